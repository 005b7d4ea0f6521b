// Pages of experiments that no program writes on purpose. Each is opened and used in every form.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import test, { after } from "node:test";

import { close, end, open } from "./browser.mjs";

const FORMS = ["Flat", "By construct", "Bottom-up", "Flame", "Call tree"];
after(end);

const tree = (page, pane) => page.locator(`#pane-${pane} [role=treegrid]`);

/** Makes a page with call paths of functions, from one with a call path.
 *  @param {[number, number][]} calls parents and regions */
function grown(name, regions, calls, value = (call) => 1 + (call % 7), more = {}) {
  const file = fileURLToPath(process.env.PAGE_NOTHING);
  const text = fs.readFileSync(file, "utf8");
  const from = text.indexOf('id="data">') + 'id="data">'.length;
  const to = text.indexOf("</script>", from);
  const data = JSON.parse(text.slice(from, to));
  const [region] = data.regions;
  data.regions = Array.from({ length: regions }, (_, line) =>
    ({ ...region, construct: `f${line}`, label: `f${line} a.c:${line}`, place: `a.c:${line}` }));
  data.calls = calls;
  const time = data.metrics.findIndex((metric) => metric.name === "time");
  data.values[time] = calls.map((_, call) => [call, value(call)]);
  Object.assign(data, more);
  const page = path.join(path.dirname(file), `${name}.html`);
  fs.writeFileSync(page, text.slice(0, from) + JSON.stringify(data) + text.slice(to));
  process.env[`PAGE_${name}`] = pathToFileURL(page).href;
}

grown("WIDE", 100_000, Array.from({ length: 100_000 }, (_, call) =>
  [call ? Math.floor((call - 1) / 100) : -1, call]));
grown("HUGE", 3, [[-1, 0], [0, 1], [1, 2]], (call) => (call === 1 ? -1 : 1) * 2 ** 63);
grown("DEEP", 2, Array.from({ length: 10_000 }, (_, call) => [call - 1, 1]));

const cause = { thread: "thread 1", call: ["work a.c:1", 1], wait_s: 1, visits: 2 };
grown("MANY", 3, [[-1, 0], [0, 1], [1, 2]], undefined, {
  waits: Array.from({ length: 3000 }, (_, at) =>
    ({ name: `barrier a.c:${at}`, wait_s: 9, visits: 7, causes: Array(12).fill(cause) })),
  findings: Array.from({ length: 3000 }, (_, at) => ({
    title: "Waiting", construct: `barrier ${at}`, region: 1, lost: "1 s", gain: "1 s", gain_s: 1,
    share: 0.1, details: [], code_times: [{ region: 1, computing_s: [1] }], suggestion: "", significant: true, metric: "time", call_paths: [1],
  })),
});

/** Opens a page, looks at everything in all forms, and says what is seen. */
async function use(name) {
  const page = await open(`${process.env[`PAGE_${name}`]}#view=trees`);
  const texts = [await page.locator("body").innerText()];
  await tree(page, "metrics").focus();
  for (const key of ["Home", "e", "c"]) await page.keyboard.press(key);
  for (const form of FORMS) {
    await page.getByRole("radio", { name: form, exact: true }).click();
    const host = form === "Flame" ? page.locator(".flame") : tree(page, "calls");
    await host.focus();
    for (const key of ["Home", "e", "ArrowDown", "End", "ArrowUp", "Enter"]) {
      await page.keyboard.press(key);
    }
    texts.push(await page.locator("body").innerText());
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(elements <= 2000, `${name}, ${form}: ${elements} elements`);
  }
  await page.getByRole("tab", { name: "Overview" }).click();
  texts.push(await page.locator("body").innerText());
  for (const text of texts) {
    assert.doesNotMatch(text, /\bNaN\b|\bInfinity\b|\bundefined\b|\[object/, name);
  }
  return { page, texts };
}

test("names are text, whatever they contain", async () => {
  const { page, texts } = await use("MARKUP");
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.title(), /^<\/script><img .*> - Pompeii$/);
  assert.ok(texts[0].includes("</script><img src=x onerror="));
  await close(page);
});

test("100,000 regions stay usable", async () => {
  const { page } = await use("WIDE");
  await page.getByRole("tab", { name: "Trees" }).click();
  await page.locator("[data-find=calls]").fill("f99999$|a.c:99999$");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#pane-calls .row.active").count(), 1);
  assert.match(await page.locator("#pane-calls .row.active").innerText(), /f99999/);
  await close(page);
});

test("thousands of findings and waits are made when they are asked for", async () => {
  const { page } = await use("MANY");
  assert.equal(await page.locator(".finding").count(), 5);
  await page.locator("#summary .more summary").click();
  await page.locator(".finding").nth(2999).waitFor({ state: "attached" });
  assert.match(await page.locator(".finding").last().innerText(), /^3000/);
  await page.locator("#details .more summary").click();
  await page.locator("#details tr.group").nth(2999).waitFor({ state: "attached" });
  await close(page);
});

test("10,000 levels stay usable", async () => {
  const { page } = await use("DEEP");
  await page.getByRole("tab", { name: "Trees" }).click();
  await tree(page, "calls").focus();
  for (const key of ["Home", "e", "End"]) await page.keyboard.press(key);
  const last = page.locator("#pane-calls .row.active");
  assert.equal(await last.getAttribute("aria-level"), "10000");
  assert.equal(await last.locator(".level").textContent(), "10000");
  const view = await tree(page, "calls").boundingBox();
  const words = await last.locator(".words").boundingBox();
  assert.ok(words.x < view.x + view.width, "its name is in view");
  await close(page);
});

test("times of 2^63 ticks, values below 0, and nothing at all are numbers", async () => {
  for (const name of ["HUGE", "LARGE", "NEGATIVE", "NOTHING"]) await close((await use(name)).page);
});
