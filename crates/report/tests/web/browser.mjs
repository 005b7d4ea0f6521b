// What tests in a browser share: the browser, pictures of what it shows, and a check of
// accessibility. The packages lie in the target folder, which POMPEII_WEB names.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const folder = process.env.POMPEII_WEB ?? "";
const require = createRequire(`${folder}/`);
const { chromium } = require("playwright-core");

/** Chromium's places in the distributions. */
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

let browser;

/** A page at an address, with all its views if it has `views`. `before` runs in it before its own
 *  scripts. Errors of its scripts fail the test at `close`. */
export async function open(url,
  { theme = "light", width = 1440, height = 900, views = true, before = null } = {}) {
  browser ??= await chromium.launch({
    executablePath: BROWSERS.find((place) => fs.existsSync(place)),
    args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-sandbox"],
  });
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce",
  });
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.stack));
  // The page deals with answers that are errors; the browser tells of them nevertheless.
  const isAnswer = (text) => text.startsWith("Failed to load resource");
  page.on("console", (line) =>
    line.type() === "error" && !isAnswer(line.text()) && page.errors.push(line.text()));
  await page.goto(url);
  if (views) await ready(page);
  return page;
}

/** Waits until all views of a page are there: the overview is shown before them. */
export const ready = (page) =>
  page.locator("#views:not([aria-busy])").waitFor({ state: "attached" });

/** The address of a page now; what the browser has told of it may be older. */
export const address = (page) => page.evaluate(() => location.href);

/** Ends a page, which must not have had errors. */
export async function close(page) {
  const { errors } = page;
  await page.context().close();
  assert.deepEqual(errors, []);
}

/** Ends the browser, after all tests of a file. */
export async function end() {
  await browser?.close();
}

/** A picture of what is seen, to be looked at. */
export async function shot(page, name) {
  const pictures = path.join(folder, "shots");
  fs.mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `${name}.png`) });
}

/** No rule of accessibility is violated by what is seen. */
export async function checkAxe(page) {
  const source = fs.readFileSync(require.resolve("axe-core"), "utf8");
  // As a function of the page and not as an element, because its policy allows no other scripts.
  await page.evaluate(source);
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
  }));
  const told = found.violations.map(({ id, nodes }) =>
    `${id}: ${nodes.slice(0, 5).map((node) => `${node.html} ${node.failureSummary}`).join("\n")}`);
  assert.deepEqual(told, []);
}
