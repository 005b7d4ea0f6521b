// Parts of the run without a browser: trees of a window, moments of an offline page, what stands out,
// and values at the lines of sources.

import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";

import { estimatedTrees } from "../../web/source/estimate.js";
import { EmbeddedMoments } from "../../web/source/moments.js";
import { litOf } from "../../web/time/lit.js";
import { Data } from "../../web/trees/data.js";
import { totalsOf } from "../../web/trees/external.js";
import { modesOf } from "../../web/trees/modes.js";
import { treesInSteps } from "../../web/trees/steps.js";
import { windowData } from "../../web/trees/window.js";
import { timesByThread } from "../../web/views/codetimes.js";
import { marksOf } from "../../web/views/source.js";

const region = (name, place = "") => ({ name, label: name, construct: name, place, role: "function",
  paradigm: "user", clauses: "", file: "/src/a.c", line: name.length });

const METRICS = [{ name: "time", title: "Time", unit: "sec", parent: -1 },
  { name: "wait", title: "Waiting", unit: "sec", parent: 0 }];

/** main calls work and MPI_Send; two ranks of one thread. */
function whole() {
  return new Data({
    metrics: METRICS,
    regions: [region("main"), region("work"), region("MPI_Send", "a.c:7")],
    calls: [[-1, 0], [0, 1], [0, 2]],
    locations: [{ name: "Master thread", process: 0 }, { name: "Master thread", process: 1 }],
    processes: [{ name: "Rank 0", node: "a" }, { name: "Rank 1", node: "a" }],
    values: [[[0, 10, 20], [1, 100, 200], [2, 5, 6]], [[2, 5, 6]]],
  });
}

test("the trees of a window have the numbers of the run", () => {
  const data = whole();
  // Another order of call paths, ranks and metrics, and a call path that the run does not have.
  const part = windowData(data, {
    metrics: [METRICS[1], METRICS[0]],
    regions: [region("MPI_Send"), region("main"), region("new"), region("work")],
    calls: [[-1, 1], [0, 0], [0, 2], [2, 3], [0, 3]],
    locations: [{ name: "Master thread", process: 0 }, { name: "Master thread", process: 1 }],
    processes: [{ name: "Rank 1", node: "a" }, { name: "Rank 0", node: "a" }],
    values: [[[1, 3, 0]], [[0, 2, 1], [1, 3, 0], [3, 0, 9], [4, 50, 40]]],
  });
  assert.deepEqual(part.raw.calls, [[-1, 0], [0, 1], [0, 2], [0, 3], [3, 4]]);
  assert.deepEqual([3, 4].map((call) => part.region(call).name), ["new", "work"]);
  assert.deepEqual(part.raw.values, [
    [[0, 1, 2], [2, 0, 3], [4, 9, 0], [1, 40, 50]], [[2, 0, 3]],
  ]);
  // A trace may not know the program itself.
  const { raw } = windowData(data, { ...data.raw, calls: [[-1, 1]], values: [[[0, 7, 0]], []] });
  assert.deepEqual([raw.calls.length, raw.values[0]], [3, [[1, 7, 0]]]);
  assert.equal(part.totals[0], 105);
  assert.equal(data.totals[0], 341, "the whole run stays as it is");
});

test("the threads of a finding are named as in its sentences", () => {
  const locations = [["Master thread", 0], ["OMP thread 1", 0], ["Master thread", 1]]
    .map(([name, process]) => ({ name, process }));
  const ranks = [{ rank: 0 }, { rank: 7 }];
  const raw = { locations, processes: [{}, {}], ranks };
  assert.deepEqual(timesByThread(raw, [0.1, 0.4, 0.2]),
    [["rank 0 thread 0", 0.1], ["rank 0 thread 1", 0.4], ["rank 7 thread 0", 0.2]]);
  // Of many, those that compute longest are seen at once.
  const many = Array.from({ length: 9 }, () => locations[0]);
  const times = many.map((_, at) => (at === 6 ? 2 : 1));
  const shown = timesByThread({ locations: many, processes: [{}], ranks }, times);
  assert.deepEqual(shown[0], ["thread 0", 2]);
  assert.equal(shown.length, 9);
});

test("trees of a window come in two steps, time first", async () => {
  const steps = async (isWhole, answers, abort = false) => {
    const [asked, drawn, controller] = [[], [], new AbortController()];
    const trees = async ({ waits = true }) => {
      asked.push(waits);
      if (abort) controller.abort();
      if (!(waits in answers)) throw new Error("not ready");
      return answers[waits];
    };
    const all = await treesInSteps({ isWhole, trees }, [0, 9], controller.signal,
      (times) => drawn.push(times)).catch(({ message }) => message);
    return { asked, drawn, all };
  };
  const both = { false: "times", true: "all" };
  assert.deepEqual(await steps(true, both),
    { asked: [false, true], drawn: ["times"], all: "all" });
  // An offline page has one answer, and the index may be built still.
  assert.deepEqual(await steps(false, both), { asked: [true], drawn: [], all: "all" });
  assert.deepEqual(await steps(true, { true: "all" }),
    { asked: [false, true], drawn: [], all: "all" });
  assert.deepEqual((await steps(true, both, true)).drawn, [], "another window is chosen meanwhile");
  assert.equal((await steps(true, { false: "times" })).all, "not ready");
});

test("trees without a server come from the boxes of call stacks", () => {
  const exact = (of) => 2 ** 31 + of;
  const rows = {
    "s0.0": [{ begin: 0, end: 100, what: exact(0) }],
    "s0.1": [{ begin: 10, end: 50, what: exact(1) },
      { begin: 60, end: 80, what: 2 + 21 * 2 ** 16 }],
    "s1.0": [{ begin: 90, end: 200, what: exact(1) }],
  };
  const open = {
    regions: [region("main"), region("work"), region("short")],
    processes: [{ name: "a", first: 0, count: 2 }],
    locations: [{ name: "x", process: 0, stack_levels: 3 }, { name: "y", process: 0, stack_levels: 1 }],
  };
  const found = estimatedTrees(open, { metrics: METRICS }, (key) => rows[key] ?? [], [20, 120]);
  assert.deepEqual(found.calls, [[-1, 0], [0, 1], [0, 2], [-1, 1]]);
  // 80 of main in the window; 30 and a third of 20 of those below it.
  assert.deepEqual(found.values, [[[0, 43, 0], [1, 30, 0], [2, 7, 0], [3, 0, 30]], []]);
  const { values } = estimatedTrees(open, { metrics: [{ name: "execution" }, { name: "comp" }] },
    (key) => rows[key] ?? [], [20, 120]);
  assert.deepEqual(values, [found.values[0], []]);
  assert.match(found.remark, /pompeii view/);
});

test("moments of an offline page answer for windows inside of them", () => {
  const curve = { begin: 0, bin_log2: 4, min: [0], max: [1], mean: [1] };
  const moments = new EmbeddedMoments([
    { window: [0, 1000], curves: { "ready.0": { ...curve, bin_log2: 9 } },
      gaps: { gaps: [[1, 300, 330, "startup", null, 0, 0]] } },
    { window: [100, 200], curves: { "ready.0": curve },
      gaps: { gaps: [[1, 100, 104, "startup", null, 0, 0], [0, 190, 200, "shutdown", null, 0, 0]] },
      links: { links: [["message", 0, 110, 1, 120, 64], ["lock", 0, 150, 1, 151, 0]], left_out: 0 },
      tasks: { creations: [[0, 105, 1, 7, 0]], left_out: 0,
        fragments: [[1, 110, 130, 1, 7, 0, 0], [1, 140, 150, 1, 8, 0, 0], [0, 160, 170, 1, 7, 0, 1]] } },
  ]);
  assert.deepEqual(moments.links(["message"], [100, 130]).links.map(([, , t]) => t), [110]);
  assert.deepEqual(moments.links(["message", "lock"], [140, 190]).links.map(([kind]) => kind), ["lock"]);
  assert.equal(moments.links(["message"], [300, 400]), null);
  assert.equal(moments.links(["message"], [0, 1000]), null, "the whole run is no moment");
  assert.equal(moments.tasks([105, 135]).fragments.length, 1);
  assert.deepEqual(moments.taskAt(0, 165, 3), { name: "task_1_7", region: 3,
    created: { loc: 0, at: 105 },
    fragments: [{ loc: 1, start: 110, end: 130 }, { loc: 0, start: 160, end: 170 }] });
  assert.equal(moments.taskAt(0, 155, 3), null);
  assert.deepEqual(moments.partners(1, 115, 125), [{ kind: "message", loc: 0, at: 110 }]);
  assert.equal(moments.curve("ready", 0, [120, 180]).bin_log2, 4);
  assert.equal(moments.curve("ready", 0, [300, 400]).bin_log2, 9);
  assert.equal(moments.curve("idle", 0, [120, 180]), null);
  assert.deepEqual(moments.gaps([100, 150]).map(([loc, start]) => [loc, start]), [[1, 100]]);
  assert.deepEqual(moments.gaps([0, 1000]).map(([loc, start]) => [loc, start]), [[1, 300]]);
});

test("what is selected in the trees stands out in the timeline", () => {
  const open = {
    regions: [region("main"), region("work"), region("barrier")],
    processes: [{ name: "Rank 0", first: 0, count: 2 }, { name: "Rank 1", first: 2, count: 1 }],
    locations: [{ name: "Master thread", process: 0 }, { name: "OMP thread 1", process: 0 },
      { name: "Master thread", process: 1 }],
  };
  assert.equal(litOf(open, "", null), null);
  const chosen = { title: "Waiting", names: new Set(["barrier", "gone"]), locations: null, width: 3 };
  assert.deepEqual(litOf(open, "", chosen).regions, new Set([2]));
  assert.equal(litOf(open, "", chosen).locations, null);
  // A region that is chosen in the timeline comes first.
  assert.deepEqual(litOf(open, "work", chosen),
    { title: "work", regions: new Set([1]), locations: null });
  const locations = [{ name: "Master thread", process: "Rank 1" }, { name: "x", process: "Rank 1" }];
  assert.deepEqual(litOf(open, "", { ...chosen, locations }).locations, new Set([2]));
  // A program of one process may have another name for it.
  const alone = { ...open, processes: [{ name: "Process", first: 0, count: 3 }],
    locations: open.locations.slice(0, 2) };
  const thread = [{ name: "OMP thread 1", process: "a" }];
  assert.deepEqual(litOf(alone, "", { ...chosen, locations: thread }).locations, new Set([1]));
});

test("lines of sources have the values of their regions", () => {
  const data = whole();
  const panes = { data, callValues: { own: [30, 300, 11] } };
  const lines = marksOf(panes, [{ label: "other", file: "/src/b.c", line: 3 }]);
  assert.deepEqual([...lines.get("/src/a.c").values()], [
    { line: 4, regions: [{ name: "main", value: 30 }, { name: "work", value: 300 }], value: 330 },
    { line: 8, regions: [{ name: "MPI_Send", value: 11 }], value: 11 },
  ]);
  assert.equal(lines.get("/src/b.c").get(3).value, 0);
  const over = (calls) => Math.max(...[...calls].map((call) => panes.callValues.own[call]));
  const largest = marksOf({ data, callValues: { ...panes.callValues, over } }, []);
  assert.equal(largest.get("/src/a.c").get(4).value, 300);
});

test("totals of another report are read from its JSON or its page", async () => {
  const json = { ticks_per_second: 10,
    metrics: [{ name: "time", unit: "sec", total: 34.1, raw: 341 }, { name: "visits", unit: "occ", total: 7 }] };
  assert.deepEqual([...await totalsOf(JSON.stringify(json))], [["time", 34.1], ["visits", 7]]);
  const data = JSON.stringify({ ...whole().raw, ticks_per_second: 10 });
  const plain = `<p><script type="application/json" id="data">${data}</script>`;
  const packed = `<p><script type="text/plain" id="data">${
    deflateSync(data).toString("base64")}</script>`;
  for (const page of [plain, packed]) {
    assert.deepEqual([...await totalsOf(page)], [["time", 34.1], ["wait", 1.1]]);
  }
  for (const wrong of ["", "{}", "<html>", "[1]", '{"metrics": [], "ticks_per_second": 0}']) {
    await assert.rejects(totalsOf(wrong), /no report of Pompeii/, wrong);
  }
  const last = (has) => modesOf("metrics", ["metrics", "calls", "system"], has).at(-1).mode;
  assert.deepEqual([last(false), last(true)], ["own", "external"]);
});
