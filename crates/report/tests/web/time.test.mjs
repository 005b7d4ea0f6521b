// The parts of the timeline that need no page.

import assert from "node:assert/strict";
import test from "node:test";

import { State } from "../../web/state.js";
import { around, clockText, lengthText, moved, roundTimes, zoomed } from "../../web/time/axis.js";
import { timeFields } from "../../web/time/fields.js";
import { findWords } from "../../web/time/find.js";
import { latest } from "../../web/time/latest.js";
import { LEVELS, categoryOf, hasEdges } from "../../web/time/levels.js";
import { inOrder } from "../../web/order.js";
import { bundles, crowdText } from "../../web/time/crowd.js";
import { drawSharedEdges } from "../../web/time/edges.js";
import { Moments, withShortPaths } from "../../web/time/moments.js";
import {
  layout, locationName, locationNamed, rowAt, threadHeight, threadsInOrder,
} from "../../web/time/rows.js";
import { write } from "../../web/time/text.js";
import { described, pathText, regionParts, spoken } from "../../web/time/words.js";

const region = (name, label, state, role, line = 0) =>
  ({ name, label, file: "/src/a.c", line, state, paradigm: "openmp", role });

/** Two processes of two threads each. */
const OPEN = {
  length: 1000, ticks_per_second: 1000, title: "a", fingerprint: "", has: { tasks: true },
  processes: [{ name: "Rank 0", first: 0, count: 2 }, { name: "Rank 1", first: 2, count: 2 }],
  locations: [0, 1, 2, 3].map((at) => ({
    name: `thread ${at % 2}`, process: at >> 1, stack_levels: 3, events: 9,
  })),
  regions: [region("main", "main", 1, "function"),
    region("!$omp parallel @a.c:3", "parallel main a.c:3", 1, "parallel", 3),
    region("!$omp implicit barrier @a.c:9", "implicit barrier main a.c:9", 2, "implicit barrier", 9),
    region("!$omp task @a.c:5", "task main a.c:5", 1, "task", 5)],
};
const SHOWN = { folded: [], unfolded: [], stacks: [], curves: [], counters: [], recorded: false };

test("times on an axis are round and within the window", () => {
  assert.deepEqual(roundTimes(0.295, 0.335, 8),
    { step: 0.005, times: [59, 60, 61, 62, 63, 64, 65, 66, 67].map((at) => at * 0.005) });
  assert.equal(clockText(0.335, 0.005), "0.335 s");
  assert.equal(clockText(12, 5), "12 s");
  assert.deepEqual([2.5, 0.04, 0.00000123, 3e-8, 0].map(lengthText),
    ["2.50 s", "40.0 ms", "1.23 µs", "30 ns", "0.00 ns"]);
});

test("a window stays within the run", () => {
  assert.deepEqual(zoomed([100, 300], 150, 0.5, 1000, 8), [125, 225]);
  assert.deepEqual(zoomed([100, 300], 150, 100, 1000, 8), [0, 1000]);
  assert.deepEqual(zoomed([100, 110], 105, 0.01, 1000, 8), [101, 109]);
  assert.deepEqual(moved([100, 300], -200, 1000), [0, 200]);
  assert.deepEqual(moved([100, 300], 900, 1000), [800, 1000]);
  assert.deepEqual(around(500, 600, 1000), [490, 610]);
});

test("curves of tasks are shown at once if one process has tasks", () => {
  const usual = (processes, tasks) =>
    timeFields({ ...OPEN, processes, has: { tasks } }).curves.fallback;
  assert.deepEqual(usual([OPEN.processes[0]], true), ["ready", "waiting"]);
  assert.deepEqual(usual([OPEN.processes[0]], false), []);
  assert.deepEqual(usual(OPEN.processes, true), []);
});

test("the address has times in seconds and threads by process", () => {
  const bar = { hash: () => "#t=0.1-0.25&sel=1.0@0.125/2", push: (hash) => { bar.pushed = hash; },
    onBack: () => {}, clock: () => 0 };
  const state = new State(timeFields(OPEN), bar);
  assert.deepEqual(state.now.t, [100, 250]);
  assert.deepEqual(state.now.sel, { loc: 2, t: 125, level: 2 });
  state.set({ t: [3, 7], sel: null });
  assert.equal(bar.pushed, "#t=0.003-0.007");
  for (const text of ["5-6", "0.3-0.2", "-1-2", "x-y", "0.1"]) {
    assert.equal(timeFields(OPEN).t.parse(text), undefined, text);
  }
  assert.equal(timeFields(OPEN).sel.parse("7.0@0.1"), undefined);
});

test("rows: folded processes, call stacks, heights", () => {
  const keys = (shown) => layout(OPEN, { ...SHOWN, ...shown }, 600).rows.map(({ key }) => key);
  assert.deepEqual(keys({}), ["p0", "f0", "f1", "p1", "f2", "f3"]);
  assert.deepEqual(keys({ folded: ["0"] }), ["p0", "p1", "f2", "f3"]);
  assert.deepEqual(keys({ folded: ["0"], stacks: ["1.0"], curves: ["ready"] }),
    ["p0", "p1", "f2", "s2.0", "s2.1", "s2.2", "f3", "cready.1"]);
  assert.deepEqual(keys({ stacks: ["0.1"], recorded: true }).slice(3, 6), ["r1.0", "r1.1", "r1.2"]);
  const { rows, height } = layout(OPEN, SHOWN, 600);
  assert.equal(rowAt(rows, rows[2].y + 1)?.key, "f1");
  assert.equal(rowAt(rows, height + 5), undefined);
  assert.deepEqual([1, 20, 500].map((threads) => threadHeight(threads, 600)), [64, 26, 14]);
  assert.equal(locationNamed(OPEN, "1.1"), 3);
  assert.equal(locationNamed(OPEN, "1.2"), -1);
});

test("threads stand in the order of their numbers", () => {
  const names = ["Master thread", "OMP thread 3", "OMP thread 1", "OMP thread 10", "OMP thread 2",
    "OMP thread 1:2", "GPU 0"];
  assert.deepEqual(inOrder(names).map((at) => names[at]), ["Master thread", "OMP thread 1",
    "OMP thread 1:2", "OMP thread 2", "OMP thread 3", "OMP thread 10", "GPU 0"]);
  const open = { ...OPEN, locations: ["thread 1", "thread 0", "thread 0", "thread 1"].map((name, at) =>
    ({ ...OPEN.locations[at], name })) };
  assert.deepEqual(threadsInOrder(open), [1, 0, 2, 3]);
  assert.deepEqual(layout(open, SHOWN, 600).rows.map(({ key }) => key),
    ["p0", "f1", "f0", "p1", "f2", "f3"]);
  assert.deepEqual([locationName(open, 0), locationNamed(open, "0.1")], ["0.1", 0]);
});

test("counters stand below their threads", () => {
  const counters = ["PAPI@L2@1.1", "FLOPS@0.0", "FLOPS@7.0"];
  const { rows } = layout(OPEN, { ...SHOWN, counters, stacks: ["0.0"] }, 600);
  const found = rows.filter(({ kind }) => kind === "counter");
  assert.deepEqual(found.map(({ label, loc }) => [label, loc]), [["FLOPS", 0], ["PAPI@L2", 3]]);
  assert.equal(rows[rows.indexOf(found[0]) - 1].key, "s0.2");
});

test("lines that are too many are joined by column and pair of rows", () => {
  const row = (key, y) => ({ key, y, height: 10 });
  const rows = [row("f0", 0), row("f1", 20)];
  const counts = [[0, 0, 1, 1000], [4, 0, 1, 500], [40, 0, 1, 7], [40, 1, 0, 2], [40, 0, 9, 3]];
  const found = bundles(counts, 4, (t) => t, (loc) => rows[loc]);
  assert.deepEqual(found.map(({ from, to, count }) => [from.key, to.key, count]),
    [["f0", "f1", 1500], ["f0", "f1", 7], ["f1", "f0", 2]]);
  assert.match(crowdText(counts, 20), /^1,532 lines: .* 20 of them are not drawn\. Zoom in/);
});

test("a level shows the regions that belong to it", () => {
  assert.deepEqual(LEVELS.filter(hasEdges).map(({ name }) => name), ["states", "parallel"]);
  const level = LEVELS.find(({ name }) => name === "worksharing");
  assert.deepEqual(OPEN.regions.map((of) => categoryOf(level, of)), [-1, 0, -1, 2]);
});

test("what is selected is said in sentences", () => {
  const stack = [{ region: 1, since: 100, end: 400, resumed: false, suspended: false },
    { region: 3, since: 200, end: 240, resumed: true, suspended: false }];
  const task = { name: "task_0_7", region: 3, created: { loc: 1, at: 150 },
    fragments: [{ loc: 0, start: 160, end: 170 }, { loc: 0, start: 200, end: 240 }] };
  const moment = { stack, task, path: "", partners: [],
    waits: [{ property: "p", title: "Starvation", ticks: 30, because: "no task is ready." }] };
  assert.deepEqual(described(OPEN, 0, moment, -1), {
    title: "task_0_7", place: "a.c:5",
    facts: ["Rank 0, thread 0, computing, for 40.0 ms from 0.200000 s on. It was suspended before.",
      "The task was created by Rank 0, thread 1 at 0.150000 s. It waited 10.0 ms.",
      "It ran 50.0 ms in 2 pieces."],
    why: ["Starvation, 30.0 ms: no task is ready."],
  });
  assert.equal(described(OPEN, 0, moment, 0).title, "parallel main a.c:3");
  assert.equal(described(OPEN, 0, { ...moment, stack: [] }, -1).title, "Nothing here");
  const alone = { ...OPEN, processes: [{ name: "a", first: 0, count: 4 }] };
  assert.match(described(alone, 0, moment, 0).facts[0], /^Thread 0, computing, for 300 ms/);
  assert.match(spoken(alone, 0, undefined, [0, 400]), /^Thread 0: nothing/);
  assert.equal(spoken(OPEN, 0, stack[1], [0, 400]),
    "Rank 0, thread 0, task main a.c:5, 40.0 ms, 10 % of the window");
  const at = (kind) => ({ ...moment, stack: [], edge: { kind, start: 100, end: 142 } });
  assert.deepEqual(described(alone, 1, at("startup"), -1), { title: "Startup", place: "", why: [],
    facts: ["Thread 1 begins its part of the parallel region 42.0 ms after the fork."] });
  assert.deepEqual(described(alone, 1, at("shutdown"), -1).facts,
    ["Thread 1 has ended its part of the parallel region 42.0 ms before the join."]);
  assert.match(spoken(OPEN, 1, undefined, [0, 400], at("startup").edge), /^Startup: Rank 0, thread 1/);
  assert.equal(pathText(OPEN, moment), "parallel a.c:3 › task :5");
  assert.deepEqual(regionParts(OPEN, 0xffff), { what: "several regions", where: "" });
  assert.deepEqual(regionParts(OPEN, 0), { what: "main", where: "" });
  const send = { regions: [region("MPI_Send", "MPI_Send a.c:30", 4, "mpi", 30)] };
  assert.deepEqual(regionParts(send, 0), { what: "MPI_Send", where: "a.c:30" });
});

test("call paths of moments are found by names or labels, and told by their last region", () => {
  const calls = [[-1, 0], [0, 1], [1, 2]].map(([parent, of], id) => ({ id, parent, region: of,
    depth: id }));
  const metrics = [{ name: "all", parent: -1 }, { name: "p", parent: 0 }];
  const data = { calls, metrics, region: (id) => OPEN.regions[calls[id].region] };
  const moments = new Moments([{ property: "p",
    path: "main/!$omp parallel @a.c:3/!$omp implicit barrier @a.c:9" }], data);
  assert.equal(moments.callNamed("main/!$omp parallel @a.c:3"), 1);
  assert.equal(moments.callNamed("parallel main a.c:3 > implicit barrier main a.c:9"), 2);
  assert.equal(moments.callNamed("nosuch"), 0);
  let shown = null;
  moments.show = (instance) => { shown = instance; };
  assert.equal(moments.of({ metric: "p", call_paths: [1] }), null);
  moments.of({ metric: "p", call_paths: [2] })();
  assert.equal(shown, moments.instances[0]);
  assert.ok(moments.of({ metric: "all", call_paths: [2] }), "a property below that of the finding");
  assert.equal(moments.of({ metric: "q", call_paths: [2] }), null);
  assert.equal(withShortPaths("It waited for thread 1 at a/!$omp parallel @a.c:3/!$omp single @a.c:5."),
    "It waited for thread 1 at single a.c:5.");
});

test("find understands tasks, places, lengths and names", () => {
  assert.deepEqual(findWords("task_0_7", 1000), { task: "task_0_7" });
  assert.deepEqual(findWords("a.c:12", 1000), { file: "a.c:12" });
  assert.deepEqual(findWords(">2ms  implicit barrier", 1e6),
    { longer: 2000, name: "implicit barrier" });
  assert.deepEqual(findWords("> 1.5 s", 1000), { longer: 1500 });
  assert.equal(findWords("  ", 1000), null);
});

test("only the latest question has an answer", async () => {
  const asked = [];
  const answers = [];
  const ask = latest(async (question, signal) => {
    asked.push(question);
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    if (signal.aborted) throw new Error("given up");
    if (question === 3) throw new Error("no");
    return question * 10;
  }, (answer, error, question) => answers.push([question, answer, error?.message]), 0);
  const pause = () => new Promise((resolve) => { setTimeout(resolve, 2000); });
  ask(1);
  await new Promise((resolve) => { setTimeout(resolve, 5); });
  ask(2);
  await pause();
  ask(2);
  ask(3);
  await pause();
  ask(3);
  await pause();
  assert.deepEqual(asked, [1, 2, 3, 3]);
  assert.deepEqual(answers, [[2, 20, undefined], [3, null, "no"], [3, null, "no"]]);
});

/** A canvas that notes its rectangles and texts; each letter is ten pixels wide. */
function notedContext() {
  return {
    rects: [], texts: [], measured: 0, fillStyle: "",
    fillRect(...of) { this.rects.push([this.fillStyle, ...of]); },
    fillText(text) { this.texts.push(text); },
    measureText(text) {
      this.measured++;
      return { width: text.length * 10 };
    },
  };
}

test("startup and shutdown take the blank part of a row, by the number of threads", () => {
  const context = notedContext();
  // Four threads in a row of 40 pixels, a column for each 10 ticks. Thread 1 starts up from 20 to 40,
  // threads 0 and 2 shut down from 30 to 50. Thread 9 is in another row, and a gap is no edge.
  const gaps = [[1, 20, 40, "startup"], [0, 30, 50, "shutdown"], [2, 30, 50, "shutdown"],
    [9, 0, 100, "startup"], [3, 0, 100, "off"]];
  const row = { y: 100, height: 40, width: 10, window: [0, 100], threads: new Set([0, 1, 2, 3]) };
  drawSharedEdges(context, row, gaps, (variable) => variable);
  assert.deepEqual(context.rects, [
    ["--l-startup", 2, 100, 2, 10],
    ["--l-shutdown", 3, 110, 1, 20],
    ["--l-shutdown", 4, 100, 1, 20],
  ]);
  const one = notedContext();
  drawSharedEdges(one, { ...row, threads: new Set([1]), window: [30, 40] }, gaps, String);
  assert.deepEqual(one.rects, [["--l-startup", 0, 100, 10, 40]]);
});

test("a name is measured once, and cut off where there is no room", () => {
  const context = notedContext();
  const draw = (room) => write(context, "parallel for", 0, 0, room);
  draw(120);
  assert.equal(context.measured, 1);
  draw(119);
  const { measured } = context;
  draw(119);
  draw(120);
  assert.equal(context.measured, measured, "all widths are known");
  // Eleven characters have room, the last one of which says that there are more.
  assert.deepEqual(context.texts,
    ["parallel for", "parallel f…", "parallel f…", "parallel for"]);
  draw(69);
  assert.equal(context.texts.length, 4, "five letters say nothing");
  draw(70);
  assert.equal(context.texts.at(-1), "parall…");
});
