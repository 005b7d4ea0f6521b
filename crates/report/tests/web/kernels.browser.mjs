// The three problems with tasks on the tasks page (Schmidl et al. 2012, Figures 5 to 7 as sums).

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { checkAxe, close, end, open, shot } from "./browser.mjs";

after(end);

/** Shares of the wall time of each thread, by what it did. */
const doings = (page) => page.locator(".thread .stack").evaluateAll((all) => all.map((stack) =>
  Object.fromEntries([...stack.getAttribute("aria-label").matchAll(/(\w+)[^%]*? <?([\d.]+) %/g)]
    .map(([, word, share]) => [word, Number(share)]))));

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Page, problem, construct, threads, and what is seen of all threads but the creator. */
const KERNELS = [
  ["COARSE", "Too few or too large", /task main twelve\.c:6/, 8, (of) => of.waiting > 15],
  ["FOUR", null, /task main sleep\.c:9/, 4, (of) => of.executing > 2 * of.waiting],
  ["SIXTEEN", "Creation is the bottleneck", /task main sleep\.c:9/, 16,
    (of) => of.waiting > of.executing],
];

for (const [kernel, problem, construct, threads, holds] of KERNELS) {
  test(`${kernel}: ${problem ?? "no problem"}`, async () => {
    const page = await open(`${process.env[`PAGE_${kernel}`]}#view=tasks`);
    await shot(page, `tasks-${kernel.toLowerCase()}`);
    const found = await page.locator(".task-problem.found h2").allTextContents();
    // On a machine that is busy with others, findings say that first.
    if (!await page.locator("#first .alert").count()) {
      assert.deepEqual(found, problem ? [problem] : []);
    }
    const title = page.locator("section.tasks h3").filter({ hasText: construct });
    assert.equal(await title.count(), 1);
    const all = await doings(page);
    assert.equal(all.length, threads);
    // The creator computes outside of tasks.
    const others = all.sort((a, b) => a.computing - b.computing).slice(0, -1);
    const told = { executing: mean(others.map((of) => of.executing)),
      waiting: mean(others.map((of) => of.waiting)) };
    assert.ok(holds(told), JSON.stringify(told));
    await checkAxe(page);
    await close(page);
  });
}

test("FINE: creation takes longer than execution", async () => {
  // Whether this is the largest loss depends on what else the machine does.
  const page = await open(`${process.env.PAGE_FINE}#view=tasks`);
  await shot(page, "tasks-fine");
  const small = page.locator("section.tasks").filter({ hasText: "small_tasks fine.c:31" });
  assert.match(await small.locator(".balance.poor").textContent(), /takes \d\.\d times .* is little/);
  await close(page);
});
