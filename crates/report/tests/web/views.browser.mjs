// Overview, tasks page and the address of the trees in a browser.

import assert from "node:assert/strict";
import fs from "node:fs";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { count, percent, seconds } from "../../web/format.js";
import { address, checkAxe, close, end, open, shot } from "./browser.mjs";
import { ANSWERS } from "./program.mjs";
import { TOKEN, serve } from "./serve.mjs";

const { PAGE_OCEAN: ocean, PAGE_TASKS: tasks } = process.env;
const report = JSON.parse(fs.readFileSync(fileURLToPath(process.env.PAGE_REPORT), "utf8"));
after(end);

const choose = (page, name) => page.getByRole("radio", { name, exact: true }).click();

/** What is selected in the trees, and how it is shown. */
const seen = (page) => page.evaluate(() => {
  const active = (pane) =>
    document.querySelector(`#pane-${pane} .row.active .words`)?.textContent;
  const on = [...document.querySelectorAll("#toolbar [aria-checked=true]")];
  return [active("metrics"), active("calls"), ...on.map((button) => button.textContent)];
});

test("a finding leads to its trees, and Back to the overview", async () => {
  const page = await open(ocean);
  const card = page.locator(".finding").first();
  const title = await card.locator(".problem").textContent();
  await card.getByRole("button", { name: "Show in trees" }).click();
  assert.equal((await seen(page))[0], title);
  await page.goBack();
  assert.ok(await page.locator("#summary").isVisible());
  await close(page);
});

test("a link shows the same selection, form and values", async () => {
  const page = await open(`${ocean}#view=trees`);
  await page.locator("[data-find=metrics]").fill("^Idle threads ");
  await page.keyboard.press("Enter");
  await page.locator("[data-find=calls]").fill("write_state");
  await page.keyboard.press("Enter");
  await choose(page, "Absolute");
  await choose(page, "Bottom-up");
  const before = await seen(page);
  assert.deepEqual(before, ["Idle threads", "write_state", "Bottom-up", "Absolute"]);
  const again = await open(await address(page));
  assert.deepEqual(await seen(again), before);
  await close(again);
  await close(page);
});

test("a link shows what is closed with its parts, and what is open without", async () => {
  const whole = await open(`${ocean}#view=trees&property=execution&path=ocean`);
  const sum = (page) => page.locator("#pane-metrics .foot").textContent();
  assert.match(await sum(whole), /^selected 33.9 s/);
  await whole.locator("#pane-metrics [role=treegrid]").focus();
  await whole.keyboard.press("Enter");
  assert.match(await sum(whole), /^selected 0 s/);
  const again = await open(await address(whole));
  assert.match(await sum(again), /^selected 0 s/);
  await close(again);
  await whole.goBack();
  assert.match(await sum(whole), /^selected 33.9 s/);
  await close(whole);
});

test("Back undoes a selection", async () => {
  const page = await open(`${ocean}#view=trees`);
  const before = await seen(page);
  await page.locator("#pane-metrics .row").filter({ hasText: "Visits" }).click();
  assert.notDeepEqual(await seen(page), before);
  await page.goBack();
  assert.deepEqual(await seen(page), before);
  await close(page);
});

test("a call path leads to the timeline", async () => {
  const text = fs.readFileSync(fileURLToPath(ocean), "utf8");
  const [, data] = /id="data">(.*?)<\/script>/s.exec(text);
  ANSWERS.cube = () => JSON.parse(data);
  const server = await serve();
  const page = await open(`${server.url}#token=${TOKEN}&view=trees`);
  await page.locator("[data-find=calls]").fill("ocean.c:131");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Show in timeline" }).click();
  assert.ok(await page.locator(".time-stage").isVisible());
  const shown = decodeURIComponent(await address(page));
  assert.match(shown, /view=timeline.*&region=.*barrier.*ocean\.c:131/);
  await page.goBack();
  assert.ok(await page.locator("#pane-calls").isVisible());
  await close(page);
  server.stop();
});

test("a damaged link shows what exists", async () => {
  const page = await open(`${ocean}#view=trees&property=nosuch&path=ocean,gone&form=nosuch`);
  assert.equal((await seen(page))[1], "ocean");
  await close(page);
});

test("the tasks page has the numbers of the report", async () => {
  const page = await open(`${tasks}#view=tasks`);
  const tables = await page.locator("section.tasks").evaluateAll((sections) =>
    sections.map((section) => [section.querySelector("h3").textContent,
      ...[...section.querySelectorAll("table")].map((table) =>
        [...table.querySelectorAll("tbody tr")].map((row) =>
          [...row.cells].map((cell) => cell.textContent).join(" | ")))]));
  const row = (name, of) => [name, count(of.count), seconds(of.sum_s), seconds(of.mean_s),
    seconds(of.deviation_s), seconds(of.min_s), seconds(of.max_s)].join(" | ");
  assert.deepEqual(tables, report.tasks.map((of) => [report.regions[of.region].label,
    [row("creation", of.creation), row("execution", of.execution),
      `undeferred, counted only | ${count(of.undeferred)}`],
    ["Master thread | 8 | 2", "OMP thread 1 | 0 | 6"]]));
  const bars = await page.locator(".bins i").evaluateAll((all) => all.map((bar) => bar.title));
  const [{ creation }] = report.tasks;
  const [bin] = creation.histogram;
  assert.equal(bars[0], `creation: ${count(bin.count)} instances (${percent(bin.count
    / creation.count)}) took less than ${seconds(bin.below_s)} and at least half of it`);
  await close(page);
});

test("a problem with tasks stands out, and leads to its trees", async () => {
  const page = await open(`${tasks}#view=tasks`);
  const found = page.locator(".task-problem.found");
  assert.deepEqual(await found.locator("h2").allTextContents(), ["Too small"]);
  assert.equal(await page.locator(".task-problem.calm").count(), 2);
  const parts = await page.locator(".thread .stack").first().getAttribute("aria-label");
  assert.match(parts, /^executing tasks 4.0 %, .*creating tasks 85 %/);
  await found.getByRole("button", { name: "Show in trees" }).click();
  assert.ok(await page.locator("#pane-calls").isVisible());
  await close(page);
});

for (const theme of ["light", "dark"]) {
  test(`pages are accessible in distinct ${theme} colours`, async () => {
    const page = await open(tasks, { theme });
    await page.getByRole("button", { name: "Distinct colours" }).click();
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await shot(page, `${await tab.textContent()}-distinct-${theme}`.toLowerCase());
      await checkAxe(page);
    }
    await close(page);
  });
}
