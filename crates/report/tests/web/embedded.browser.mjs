// The timeline of an offline page: it loads nothing, and shows what the server shows.

import assert from "node:assert/strict";
import fs from "node:fs";
import test, { after } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";

import { checkAxe, close, end, open, shot } from "./browser.mjs";

const url = process.env.PAGE_TRACED;
after(end);

/** What the page has inside. */
function embedded() {
  const text = fs.readFileSync(fileURLToPath(url), "utf8");
  const [, json] = /<script type="application\/json" id="timeline">(.*?)<\/script>/s.exec(text);
  return JSON.parse(json);
}

async function timeline(words = "") {
  const page = await open(`${url}#view=timeline${words && `&${words}`}`);
  await page.locator(".sums tbody tr").first().waitFor();
  return page;
}

test("the offline page has sums of the whole run, and loads nothing", async () => {
  const { open: opened, sums } = embedded();
  const page = await timeline();
  await page.locator(".time-side", { hasText: "exact" }).first().waitFor();
  const ticks = new Map();
  for (const [, region, of] of sums) ticks.set(region, (ticks.get(region) ?? 0) + of);
  const [first] = [...ticks].sort((a, b) => b[1] - a[1]);
  const share = Math.round((100 * first[1]) / opened.length / opened.locations.length);
  assert.match(await page.locator(".sums tbody tr").first().textContent(), new RegExp(`${share} %`));
  assert.equal(await page.evaluate(() => performance.getEntriesByType("resource").length), 0);
  await shot(page, "embedded");
  await checkAxe(page);
  await close(page);
});

test("what is known of a trace may be packed", async () => {
  const { pictures, moments, ...known } = embedded();
  const packed = JSON.stringify({ pictures, moments,
    known: deflateSync(JSON.stringify(known)).toString("base64") });
  const file = fileURLToPath(url);
  const text = fs.readFileSync(file, "utf8");
  const from = text.indexOf('id="timeline">') + 'id="timeline">'.length;
  const other = file.replace(".html", "-packed.html");
  fs.writeFileSync(other, text.slice(0, from) + packed
    + text.slice(text.indexOf("</script>", from)));
  const shown = [];
  for (const of of [url, pathToFileURL(other)]) {
    const page = await open(`${of}#view=timeline`);
    await page.locator(".sums tbody tr").first().waitFor();
    shown.push(await page.locator("#panel-timeline").innerText());
    await close(page);
  }
  assert.match(shown[0], /exact/);
  assert.equal(shown[1], shown[0]);
});

test("a click selects, zooming works, and what is missing is said", async () => {
  const page = await timeline();
  const stage = await page.locator(".time-stage").boundingBox();
  const row = await page.locator("button.flat").first().boundingBox();
  await page.mouse.click(stage.x + stage.width * 0.5, row.y + row.height / 2);
  await page.locator(".time-side", { hasText: "Zoom to it" }).first().waitFor();
  await page.keyboard.press("o");
  await page.keyboard.press("w");
  await page.locator(".time-side", { hasText: "estimated from the picture" }).first().waitFor();
  await page.keyboard.press("t");
  const { open: opened } = embedded();
  await page.locator(".time-twin tbody tr").first().waitFor();
  assert.equal(await page.locator(".time-twin tbody tr").count(), opened.locations.length);
  await close(page);
});
