// The three problems with tasks (Schmidl et al. 2012, Figures 5 to 7): on the tasks page as sums, and
// in the timeline. Tasks in the call tree (Figure 8).

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { checkAxe, close, end, open, shot } from "./browser.mjs";
import { states, timeline } from "./timelines.mjs";
import { rows } from "./trees.mjs";

after(end);

/** Shares of the wall time of each thread, by what it did. */
const doings = (page) => page.locator(".thread .stack").evaluateAll((all) => all.map((stack) =>
  Object.fromEntries([...stack.getAttribute("aria-label").matchAll(/(\w+)[^%]*? <?([\d.]+) %/g)]
    .map(([, word, share]) => [word, Number(share)]))));

/** Whether the machine was busy with others: the findings say that first. */
const isBusy = async (page) => await page.locator("#first .alert").count() > 0;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Page, problem, construct, threads, and what is seen of all threads but the creator. Twelve tasks
 * on eight threads leave a quarter of the time without work; a busy machine makes some tasks longer,
 * and then it is less.
 */
const KERNELS = [
  ["COARSE", "Too few or too large", /task main twelve\.c:6/, 8, (of) => of.waiting > 5],
  ["FOUR", null, /task main sleep\.c:9/, 4, (of) => of.executing > of.waiting],
  ["SIXTEEN", "Creation is the bottleneck", /task main sleep\.c:9/, 16,
    (of) => of.waiting > of.executing],
];

for (const [kernel, problem, construct, threads, holds] of KERNELS) {
  test(`${kernel}: ${problem ?? "no problem"}`, async () => {
    const page = await open(`${process.env[`PAGE_${kernel}`]}#view=tasks`);
    await shot(page, `tasks-${kernel.toLowerCase()}`);
    const found = await page.locator(".task-problem.found h2").allTextContents();
    if (!await isBusy(page)) {
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

test("tasks, Figure 5: four threads execute two tasks, four only one", async () => {
  const page = await timeline("COARSE");
  await shot(page, "tasks-figure-5");
  const computing = (await states(page)).map(([share]) => share).sort((a, b) => a - b);
  assert.equal(computing.length, 8);
  assert.ok(computing[4] > computing[3] + 5, String(computing));
  await close(page);
});

test("tasks, Figure 6: creating tasks takes longer than executing them", async () => {
  const page = await timeline("FINE");
  await page.locator(".time-side details.more summary").first().click().catch(() => {});
  const time = async (name) => {
    const row = page.locator(".sums tr").filter({ hasText: name }).filter({ hasText: "fine.c:31" });
    const text = await row.first().locator(".number").first().textContent();
    return Number.parseFloat(text) * (text.endsWith("µs") ? 1e-6 : text.endsWith("ms") ? 1e-3 : 1);
  };
  // Others may have suspended a thread within a task of 20 ns for longer than all creations took.
  const creation = await time(/^create task/), execution = await time(/^task/);
  assert.ok(creation > 0 && execution > 0, `${creation} ${execution}`);
  assert.ok(creation > execution || await isBusy(page), `${creation} ${execution}`);
  await page.locator("input.find").fill("task small_tasks");
  await page.locator("input.find").press("Enter");
  await page.locator(".time-stage").focus();
  await shot(page, "tasks-figure-6");
  await close(page);
});

test("tasks, Figure 7: one thread creates tasks fast enough for four, not for sixteen", async () => {
  const busy = {};
  for (const name of ["FOUR", "SIXTEEN"]) {
    const page = await timeline(name);
    await shot(page, `tasks-figure-7-${name.toLowerCase()}`);
    const computing = (await states(page)).map(([share]) => share);
    // The creator is the thread that computes outside of tasks; its share is no matter here.
    busy[name] = mean(computing.slice(1));
    await close(page);
  }
  assert.ok(busy.FOUR > busy.SIXTEEN + 10, JSON.stringify(busy));
});

test("tasks, Figure 8: task instances in the call tree, where they were executed", async () => {
  const page = await open(`${process.env.PAGE_BATCH}#view=trees&property=task_switches&values=absolute`);
  await page.locator("#pane-calls [role=treegrid]").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("*");
  await shot(page, "tasks-figure-8");
  const instances = (await rows(page, "calls")).filter(([, name]) => /^task_\d+_\d+$/.test(name));
  assert.equal(instances.length, 10, String(instances));
  assert.ok(instances.every(([parts]) => Number(parts) > 0), String(instances));
  await checkAxe(page);
  await close(page);
});

test("comparisons of runs: tables and the picture are seen, without scripts", async () => {
  const page = await open(process.env.PAGE_CHANGES, { views: false });
  assert.equal(await page.locator("h1").textContent(), "From four.exp to sixteen.exp");
  assert.match(await page.locator("tr").first().textContent() ?? "", /^Wall time\d.* -> /);
  await checkAxe(page);
  await close(page);
  const scaling = await open(process.env.PAGE_SCALING, { views: false });
  await shot(scaling, "scaling");
  assert.equal(await scaling.locator("svg circle").count(), 2);
  const threads = await scaling.locator("tr").first().locator("td").allTextContents();
  assert.deepEqual(threads, ["Threads", "4", "16"]);
  await checkAxe(scaling);
  await close(scaling);
});
