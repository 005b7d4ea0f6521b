// A server for tests: the files of the page, and the answers of a program that tests know. It asks
// for a token as the real one does.

import fs from "node:fs";
import http from "node:http";

import { keysOf } from "../../web/source/embedded.js";
import { ANSWERS, picture } from "./program.mjs";

export const TOKEN = "0123456789abcdef";
const WEB = new URL("../../web/", import.meta.url);
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
  + "img-src 'self' data:";

/** The styles that the page has, as the list of its files says. */
function styles() {
  const list = fs.readFileSync(new URL("../../src/web.rs", import.meta.url), "utf8");
  return [...list.matchAll(/"(\w[\w/]*\.css)"/g)].map(([, path]) =>
    `<link rel="stylesheet" href="/${path}">`).join("\n") + "<link rel=\"icon\" href=\"data:,\">";
}

function page() {
  return fs.readFileSync(new URL("page.html", WEB), "utf8")
    .replace("{{POLICY}}", "").replace("{{TITLE}}", "steps").replace("{{STYLES}}", styles())
    .replace("{{DATA}}", "").replace("{{SCRIPT}}", "<script type=\"module\" src=\"/main.js\"></script>");
}

function answer(name, query) {
  if (name === "picture") {
    const window = [Number(query.get("t0")), Number(query.get("t1"))];
    return picture(keysOf(query.get("rows")), window, Number(query.get("px")));
  }
  return ANSWERS[name] ? JSON.stringify(ANSWERS[name](query)) : null;
}

/** Starts it; returns its address and what it was asked. */
export function serve() {
  const asked = [];
  const server = http.createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    const send = (status, type, content) => {
      response.writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY });
      response.end(content);
    };
    if (!url.pathname.startsWith("/api/")) {
      const type = url.pathname.endsWith(".css") ? "text/css" : "text/javascript";
      if (url.pathname === "/") return send(200, "text/html", page());
      return send(200, type, fs.readFileSync(new URL(`.${url.pathname}`, WEB)));
    }
    const name = url.pathname.slice(5);
    asked.push(`${name}${url.search}`);
    if (request.headers["x-pompeii-token"] !== TOKEN) {
      return send(403, "application/json", "{\"error\": \"the token is wrong\"}");
    }
    const content = answer(name, url.searchParams);
    return content === null ? send(404, "application/json", "{\"error\": \"there is no report\"}")
      : send(200, "application/octet-stream", content);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve({
      url: `http://127.0.0.1:${server.address().port}/`, asked, stop: () => server.close(),
    }));
  });
}
