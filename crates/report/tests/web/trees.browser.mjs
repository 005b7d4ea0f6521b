// The trees in a browser: few elements, values as in the report for programs, mouse and keyboard.

import assert from "node:assert/strict";
import fs from "node:fs";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { count, percent, seconds } from "../../web/format.js";
import { address, checkAxe, close, end, open, ready, shot } from "./browser.mjs";

const trees = `${process.env.PAGE_OCEAN}#view=trees`;
const report = JSON.parse(fs.readFileSync(fileURLToPath(process.env.PAGE_REPORT), "utf8"));
after(end);

const FORMS = ["Call tree", "Flat", "By construct", "Bottom-up", "Flame"];

const choose = (page, name) => page.getByRole("radio", { name, exact: true }).click();
/** A row that is in view. */
const row = (page, pane, name) =>
  page.locator(`#pane-${pane} .row`).filter({ hasText: name }).first();

/** Number, further columns and name of the rows in a pane. */
const rows = (page, pane) => page.locator(`#pane-${pane} .row`).evaluateAll((all) => all
  .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
  .map((element) => ["number", "extras", "words", "place"].map((part) => {
    const cell = element.querySelector(`.${part}`);
    if (cell.hidden) return "";
    return part === "extras" ? [...cell.children].map((of) => of.textContent).join(" | ")
      : cell.textContent;
  }).filter(Boolean).join(" | ")));

/** Selects a property that is below closed ones, by its title. */
async function selectProperty(page, title) {
  const find = page.locator("[data-find=metrics]");
  await find.fill(`^${title} `);
  await find.press("Enter");
  await find.press("Escape");
  // Closed: with everything below it.
  await page.keyboard.press("c");
}

test("the overview is seen before all else is unpacked, and stays the same", async () => {
  const page = await open(process.env.PAGE_MANY, { views: false, before: () => {
    const Real = DecompressionStream;
    const released = new Promise((resolve) => { window.release = resolve; });
    window.DecompressionStream = class extends Real {
      constructor(format) {
        super(format);
        const { readable } = this;
        const later = new TransformStream({ start: () => released });
        readable.pipeTo(later.writable);
        Object.defineProperty(this, "readable", { value: later.readable });
      }
    };
  } });
  await page.locator(".finding").nth(4).waitFor();
  const overview = () => page.locator("body").evaluate((body) =>
    ["top", "panel-overview"].map((id) => body.querySelector(`#${id}`).innerText));
  const [top, before] = await overview();
  assert.match(top, /1,601 regions, 1,601 call paths/);
  assert.match(before, /15 more[^]*Who waited for whom[^]*795 more/);
  assert.equal(await page.locator("[role=tab]").count(), 0);
  await page.locator(".finding button").nth(2).click();
  await page.evaluate(() => window.release());
  await ready(page);
  assert.match(await address(page), /view=trees/);
  await page.goBack();
  assert.deepEqual((await overview())[1], before);
  await page.locator("details.more").first().click();
  assert.equal(await page.locator(".finding").count(), 20);
  await close(page);
});

test("thousands of call paths have few elements", async () => {
  const page = await open(`${process.env.PAGE_BIG}#view=trees`);
  const elements = () => page.evaluate(() => document.querySelectorAll("*").length);
  const closed = await elements();
  assert.ok(closed <= 2000, `${closed} elements`);
  await page.locator("#pane-calls .row").first().click();
  await page.keyboard.press("e");
  const tree = page.locator("#pane-calls [role=treegrid]");
  assert.equal(await tree.getAttribute("aria-rowcount"), "9025");
  await page.keyboard.press("End");
  assert.match((await rows(page, "calls")).at(-1), /^<0.1 % \| inner_92$/);
  for (const form of FORMS) {
    await choose(page, form);
    const open_ = await elements();
    assert.ok(open_ <= 2000, `${form}: ${open_} elements`);
  }
  await close(page);
});

test("flat values are those of the report", async () => {
  const page = await open(trees);
  await selectProperty(page, "Execution");
  await choose(page, "Flat");
  await choose(page, "Absolute");
  const expected = report.regions
    .filter(({ visits, time_s }) => visits || time_s)
    .sort((a, b) => b.self_s - a.self_s)
    .map((of) => `${seconds(of.self_s)} | ${seconds(of.time_s)} | ${count(of.visits)} | `);
  const found = await rows(page, "calls");
  assert.deepEqual(found.map((text) => text.match(/^.*? \| .*? \| .*? \| /)[0]), expected);
  await close(page);
});

test("locations have the values of the report, in every mode", async () => {
  const page = await open(trees);
  await selectProperty(page, "Wait at implicit barrier");
  await row(page, "calls", "ocean").click();
  await page.keyboard.press("c");
  const values = report.locations.map(({ metrics }) => metrics.omp_ibarrier_wait);
  const total = values.reduce((a, b) => a + b, 0);
  const mode = page.locator("[data-mode-of=system]");
  const shown = async () => (await rows(page, "system")).slice(3).map((text) => text.split(" | ")[0]);
  const expected = {
    absolute: values.map(seconds),
    own: values.map((value) => percent(value / total)),
    "metric-root": values.map((value) => percent(value / report.allocation_s)),
    "metric-selection": values.map((value) => percent(value / total)),
    "call-root": values.map((value) => percent(value / total)),
    "call-selection": values.map((value) => percent(value / total)),
    peer: values.map((value) => percent(value / Math.max(...values))),
    position: values.map((value) => percent(
      (value - Math.min(...values)) / (Math.max(...values) - Math.min(...values)))),
  };
  const offered = await mode.locator("option").evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(offered, Object.keys(expected));
  for (const [name, texts] of Object.entries(expected)) {
    await mode.selectOption(name);
    assert.deepEqual(await shown(), texts, name);
  }
  assert.match(await page.locator("#pane-system .foot").textContent(),
    new RegExp(`^mean ${seconds(total / values.length)} · least`));
  await close(page);
});

test("percentages can be those of another report", async () => {
  const page = await open(trees);
  const file = fileURLToPath(process.env.PAGE_REPORT);
  await page.getByLabel("A report whose totals are 100 %").setInputFiles(file);
  await page.getByRole("button", { name: /^% of REPORT/ }).waitFor();
  await page.locator("#pane-metrics .row").first().click();
  await page.keyboard.press("c");
  assert.match((await rows(page, "metrics"))[0], /^100 % \| Time/);
  assert.equal(await page.locator("#pane-calls .base").textContent(), "% of REPORT.html");
  await page.getByRole("button", { name: /^% of REPORT/ }).click();
  assert.ok(await page.getByRole("radio", { name: "% of root" }).isChecked());
  assert.equal(await page.locator("#pane-calls .base").textContent(), "% of Time");
  await page.getByRole("gridcell", { name: "100 % of Time" }).first().waitFor();
  await close(page);
});

test("locations can be chosen first", async () => {
  const page = await open(trees);
  await selectProperty(page, "Wait at implicit barrier");
  await page.getByRole("button", { name: "Locations first" }).click();
  await row(page, "system", "thread 3").click();
  await choose(page, "Absolute");
  assert.match(await page.locator("#pane-calls .of").textContent(), /barrier, .*thread 3$/);
  await page.locator("#pane-calls .row").first().click();
  await page.keyboard.press("c");
  const [first] = await rows(page, "calls");
  assert.equal(first, `${seconds(report.locations[3].metrics.omp_ibarrier_wait)} | ocean`);
  await close(page);
});

test("several rows are selected by mouse and keyboard", async () => {
  const page = await open(trees);
  const selected = () => page.locator("#pane-calls [aria-selected=true]").count();
  await page.locator("#pane-calls .row").first().click();
  await page.keyboard.press("e");
  await row(page, "calls", "for").click();
  await row(page, "calls", "critical").click({ modifiers: ["Control"] });
  assert.equal(await selected(), 2);
  await page.keyboard.press("Home");
  assert.equal(await selected(), 1);
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  assert.equal(await selected(), 3);
  const tree = page.locator("#pane-calls [role=treegrid]");
  const active = page.locator(`#${await tree.getAttribute("aria-activedescendant")}`);
  assert.equal(await active.getAttribute("aria-rowindex"), "3");
  assert.ok(await tree.evaluate((element) => element === document.activeElement));
  await close(page);
});

test("names are found, and the keyboard goes on to the next", async () => {
  const page = await open(trees);
  await page.locator("#pane-calls .row").first().click();
  await page.keyboard.press("/");
  await page.keyboard.type("implicit.*1[34]");
  assert.equal(await page.locator("#pane-calls .find .count").textContent(), "2 found");
  await page.keyboard.press("Enter");
  const place = page.locator("#pane-calls .row.active .place");
  const first = await place.textContent();
  await page.keyboard.press("Enter");
  assert.notEqual(await place.textContent(), first);
  assert.equal(await page.locator("#pane-calls .row.found").count(), 2);
  await page.keyboard.press("Control+Enter");
  assert.equal(await page.locator("#pane-calls [aria-selected=true]").count(), 2);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#pane-calls .row.found").count(), 0);
  await close(page);
});

test("hidden rows are counted above them, and come back", async () => {
  const page = await open(trees);
  const sum = () => page.locator("#pane-calls .foot").textContent();
  await page.locator("#pane-calls .row").first().click();
  await page.keyboard.press("e");
  const before = (await rows(page, "calls")).length;
  await row(page, "calls", "write_state").click();
  await page.keyboard.press("h");
  assert.equal((await rows(page, "calls")).length, before - 1);
  await page.locator("#pane-calls .dots").click();
  await page.getByRole("menuitem", { name: "Show 1 hidden" }).click();
  assert.equal((await rows(page, "calls")).length, before);
  await page.getByLabel("Hide rows").selectOption("0.05");
  assert.ok((await rows(page, "calls")).length < before);
  await page.keyboard.press("Home");
  assert.match(await sum(), /selected/);
  await close(page);
});

test("a menu works by keyboard and gives the focus back", async () => {
  const page = await open(trees);
  await page.locator("#pane-calls .row").first().click({ button: "right" });
  assert.ok(await page.getByRole("menu").isVisible());
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("menu").count(), 0);
  assert.equal((await rows(page, "calls")).length, 1, "all below was closed");
  const tree = page.locator("#pane-calls [role=treegrid]");
  assert.ok(await tree.evaluate((element) => element === document.activeElement));
  await close(page);
});

test("the flame view has the same selection and values", async () => {
  const page = await open(trees);
  await selectProperty(page, "Execution");
  await choose(page, "Flame");
  const boxes = page.locator(".flame-box");
  const box = boxes.filter({ hasText: "parallel ocean.c:203" }).first();
  await box.click();
  assert.equal(await page.locator(".flame-box[aria-selected=true]").count(), 1);
  const region = report.regions.find(({ label }) => label === "parallel ocean.c:203");
  assert.ok((await box.getAttribute("title")).includes(`: ${seconds(region.time_s)} (`));
  const width = (of) => of.evaluate((element) => element.getBoundingClientRect().width);
  const whole = await width(boxes.first());
  const share = region.time_s / report.regions[0].time_s;
  assert.ok(Math.abs(await width(box) / whole - share) < 0.01);
  await page.keyboard.press("Enter");
  // The boxes are drawn anew.
  await page.waitForFunction((wide) => Math.round(document.querySelector(".flame-box.active")
    .getBoundingClientRect().width) === wide, Math.round(whole));
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".flame-box.active").getAttribute("title"), /ocean\.c:2/);
  await page.keyboard.press("Backspace");
  await choose(page, "Call tree");
  assert.match((await page.locator("#pane-calls .row[aria-selected=true]").textContent()), /ocean\.c:2/);
  await close(page);
});

for (const [theme, palette] of [["light", "usual"], ["dark", "usual"], ["dark", "distinct"]]) {
  test(`every form is accessible in ${palette} ${theme} colours`, async () => {
    const page = await open(`${trees}&palette=${palette}`, { theme });
    for (const form of FORMS) {
      await choose(page, form);
      await shot(page, `trees-${form}-${theme}-${palette}`.toLowerCase().replaceAll(" ", "-"));
      await checkAxe(page);
    }
    await close(page);
  });
}
