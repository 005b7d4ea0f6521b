// The timeline with the real server: a trace of two processes with two threads each. The policy of
// the server holds, and what the page shows is what the server answers.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { address, checkAxe, close, end, open, shot } from "./browser.mjs";

const url = process.env.PAGE_SERVED;
after(end);

async function timeline(words = "") {
  const page = await open(`${url}${words && `&${words}`}`);
  await page.locator(".sums tbody tr").first().waitFor();
  return page;
}

/** An answer of the server, asked by the page itself. */
const ask = (page, question) => page.evaluate(async (of) => {
  const token = sessionStorage.getItem("pompeii-token");
  return (await fetch(`/api/${of}`, { headers: { "X-Pompeii-Token": token } })).json();
}, question);

test("rows are drawn, and sums are those of the server", async () => {
  const page = await timeline();
  assert.ok(!(await address(page)).includes("token"));
  const { length, locations, regions } = await ask(page, "open");
  const { rows } = await ask(page, `sums?t0=0&t1=${length}&by=region`);
  const [first] = rows.sort((a, b) => b.ticks - a.ticks);
  const shown = await page.locator(".sums tbody tr").first().textContent();
  assert.match(shown, new RegExp(`${Math.round((100 * first.ticks) / length / locations.length)} %`));
  assert.ok(shown.includes(regions[first.key].role), `${shown}: ${regions[first.key].label}`);
  const colours = await page.evaluate(() => {
    const canvas = document.querySelector("canvas.pixels");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(colours > 5, `${colours} colours`);
  await shot(page, "served");
  await checkAxe(page);
  await close(page);
});

test("what is selected is what the server says", async () => {
  const page = await timeline();
  const stage = await page.locator(".time-stage").boundingBox();
  const row = await page.locator("button.flat").first().boundingBox();
  await page.mouse.click(stage.x + stage.width * 0.3, row.y + row.height / 2);
  await page.locator(".time-side h2").nth(1).waitFor();
  await page.keyboard.press("o");
  const { length, regions } = await ask(page, "open");
  const { stack } = await ask(page, `at?loc=0&t=${Math.floor(length * 0.3)}`);
  const title = await page.locator(".time-side .card:nth-child(2) h2").textContent();
  const label = stack.length ? regions[stack.at(-1).region].label : "Nothing here";
  assert.equal(title.trim(), label);
  await close(page);
});

test("levels, lines, curves and the table have answers", async () => {
  const page = await timeline("links=message,collective&curves=waiting,idle&level=parallel");
  await page.locator(".row-name.curve", { hasText: "max" }).first().waitFor();
  await page.keyboard.press("t");
  await page.locator(".time-twin tbody tr").nth(3).waitFor();
  assert.equal(await page.locator(".time-note:not([hidden])").count(), 0);
  await close(page);
});
