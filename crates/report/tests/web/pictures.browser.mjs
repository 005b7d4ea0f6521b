// The trees of the papers, with our examples on two processes of two threads: EXPERT's Figures 2 and
// 3 (Mohr et al. 2002) and TAU's Figure 4.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { checkAxe, close, end, open, shot } from "./browser.mjs";
import { rows } from "./trees.mjs";

const { PAGE_WEATHER: weather, PAGE_OCEAN: ocean } = process.env;
after(end);

/** The value of a percentage; what is below 0.1 % counts as nothing. */
const share = ([text]) => (text.startsWith("<") || text === "–" ? 0 : Number(text.replace(" %", "")));

const sum = (all) => all.reduce((total, row) => total + share(row), 0);

test("EXPERT, Figure 2: idle threads by call path and thread", async () => {
  const page = await open(`${weather}#view=trees&property=omp_idle_threads&values=selection`);
  const tree = page.locator("#pane-calls [role=treegrid]");
  await tree.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("c");
  const roots = await rows(page, "calls");
  assert.ok(Math.abs(sum(roots) - 100) < 1, `shares of what is selected: ${roots}`);
  await page.keyboard.press("*");
  await shot(page, "expert-figure-2");
  // A master is never idle: it executes the serial code.
  const threads = (await rows(page, "system")).filter(([, name]) => /thread/i.test(name));
  const masters = threads.filter(([, name]) => /master/i.test(name));
  assert.equal(threads.length, 4);
  assert.deepEqual(masters.map(share), [0, 0]);
  await close(page);
});

test("EXPERT, Figure 3: the barrier of a parallel do, by thread", async () => {
  const page = await open(`${weather}#view=trees&property=omp_barrier&values=selection`);
  await page.locator("#pane-metrics [role=treegrid]").focus();
  await page.keyboard.press("c");
  await page.locator("#pane-calls [role=treegrid]").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("*");
  const path = page.locator("#help article").last();
  assert.match(await path.locator("h3").textContent(), /^(implicit )?barrier /);
  await shot(page, "expert-figure-3");
  await checkAxe(page);
  const threads = (await rows(page, "system")).filter(([, name]) => /thread/i.test(name));
  assert.ok(Math.abs(sum(threads) - 100) < 2, "the threads share the barrier");
  await close(page);
});

test("TAU, Figure 4: the regions of a thread, and one region on all threads", async () => {
  const page = await open(`${ocean}#view=trees&property=time&values=absolute`);
  await page.getByRole("button", { name: "Locations first" }).click();
  await page.locator("#pane-system .row").filter({ hasText: "Master thread" }).first().click();
  await page.getByRole("radio", { name: "Flat", exact: true }).click();
  assert.match(await page.locator("#pane-calls .of").textContent(), /Master thread$/);
  const regions = (await rows(page, "calls")).map(([, name]) => name);
  assert.ok(regions.includes("for") && regions.includes("parallel"), String(regions));
  await shot(page, "tau-figure-4-thread");
  await page.getByRole("button", { name: "Locations first" }).click();
  const loop = page.locator(".words", { hasText: /^for$/ });
  await page.locator("#pane-calls .row").filter({ has: loop }).first().click();
  const threads = (await rows(page, "system")).filter(([, name]) => /thread/i.test(name));
  assert.equal(threads.length, 4);
  assert.ok(threads.every(([text]) => text !== "0 s"), "each thread executes the loop");
  await shot(page, "tau-figure-4-region");
  await close(page);
});
