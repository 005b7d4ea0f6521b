// The head of the page: which program, how long, on how many threads, when and where.

import { el } from "../dom.js";
import { count, wallTime } from "../format.js";

/** @param {HTMLElement} host @param {any} raw @param {HTMLElement[]} buttons */
export function renderTop(host, raw, buttons) {
  const threads = `${raw.locations.length} thread${raw.locations.length === 1 ? "" : "s"}`;
  const processes = raw.processes.length === 1 ? "1 process" : `${raw.processes.length} processes`;
  const observed = raw.observed_by ? `observed by ${raw.observed_by}` : "";
  const size = `${count(raw.region_count)} regions, ${count(raw.call_count)} call paths`;
  const run = [`on ${threads} (${processes})`, observed, size];
  const facts = (raw.difference ? [size] : run).filter(Boolean).join(" · ");
  const where = [raw.started, raw.host && `on ${raw.host}`].filter(Boolean).join(" ");
  const title = raw.difference ? "difference of two reports" : wallTime(raw);
  host.replaceChildren(
    el("h1", {}, `${raw.program}: ${title}`),
    el("span.facts", {}, facts), el("span.spring"), ...buttons,
    el("div.run", {}, where, raw.command ? el("code", {}, raw.command) : ""),
  );
}
