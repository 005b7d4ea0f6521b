// What the tasks page computes, without a browser.

import assert from "node:assert/strict";
import test from "node:test";

import { Data } from "../../web/trees/data.js";
import { calmVerdict, doings, insideTasks, instances, sharedBins } from "../../web/views/taskfacts.js";

const region = (name, role, line = 0) => ({ name, role, line, file: "a.c" });

/** Thread 0 computes and creates, thread 1 executes and waits. */
function run() {
  const metric = (name, parent = -1) => ({ name, parent, unit: "sec", title: name });
  return new Data({
    metrics: [metric("time"), metric("comp", 0), metric("omp_task_creation", 0),
      metric("omp_synchronization", 0), metric("tasks_created"), metric("visits")],
    regions: [region("a", "artificial"), region("TASKS", "artificial"), region("task", "task", 7),
      region("create task", "task create", 7), region("create task", "task create", 9),
      region("work", "function", 20), region("barrier", "barrier", 8)],
    calls: [[-1, 0], [-1, 1], [1, 2], [2, 5], [0, 3], [0, 4], [0, 5], [0, 6]],
    locations: [{ name: "0", process: 0 }, { name: "1", process: 0 }],
    processes: [{ name: "Rank 0", node: "host" }],
    values: [
      [[2, 5, 40], [3, 0, 20], [4, 10, 0], [5, 2, 0], [6, 70, 0], [7, 3, 30], [0, 10, 10]],
      [[2, 5, 40], [3, 0, 20], [6, 70, 0]],
      [[4, 10, 0], [5, 2, 0]],
      [[7, 3, 30]],
      [[4, 8, 0], [5, 1, 0]],
      [[2, 2, 6], [4, 8, 0], [5, 1, 0]],
    ],
  });
}

test("call paths inside of tasks are known", () => {
  assert.deepEqual([...insideTasks(run())], [0, 1, 1, 1, 0, 0, 0, 0]);
});

test("what a thread did sums to its time", () => {
  assert.deepEqual(doings(run()), [
    { executing: 5, computing: 70, creating: 12, waiting: 3, rest: 10 },
    { executing: 60, computing: 0, creating: 0, waiting: 30, rest: 10 },
  ]);
});

test("a construct has the creations at its line, and its executions", () => {
  const { created, executed } = instances(run(), 2);
  assert.deepEqual([[...created], [...executed]], [[8, 0], [2, 6]]);
});

test("histograms have one axis, and rare bins are left out", () => {
  const bins = (...counts) => ({
    count: counts.reduce((sum, [, count]) => sum + count, 0),
    histogram: counts.map(([below, count]) => ({ below_s: below / 1000, count })),
  });
  const { first, columns, rows } = sharedBins([bins([2, 5], [8, 995], [1024, 4]), bins([32, 1])],
    1000, 0.005);
  assert.deepEqual([first, columns], [3, 3]);
  assert.deepEqual(rows.map((row) => row.map((bin) => [bin.column, bin.count])),
    [[[0, 995]], [[2, 1]]]);
  assert.deepEqual(sharedBins([bins()], 1000, 0.005).columns, 0);
});

test("a task problem that no repair is worth has its cost and says so", () => {
  const finding = (property, significant) => ({ property, significant, lost: "0.60 CPU s", share: 0.56 });
  assert.equal(calmVerdict([finding("tasks_too_few", false)], "tasks_too_few"),
    "costs 0.60 CPU s, 56 % of the CPU time, but the run would hardly be shorter without it");
  const creation = (significant) => [finding("omp_task_creation", significant)];
  assert.equal(calmVerdict(creation(false), "tasks_too_few"), "not found");
  assert.equal(calmVerdict(creation(false), "tasks_too_small"), "not found, although creating tasks "
    + "costs 0.60 CPU s, 56 % of the CPU time, and the run would hardly be shorter without it");
  assert.equal(calmVerdict(creation(true), "tasks_too_small"),
    "not found, although creating tasks costs 0.60 CPU s, 56 % of the CPU time");
});
