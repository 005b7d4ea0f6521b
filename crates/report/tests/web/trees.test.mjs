// The rules of the trees, without a browser.

import assert from "node:assert/strict";
import test from "node:test";

import { Data } from "../../web/trees/data.js";
import { findIn, matcher, nextMatch } from "../../web/trees/find.js";
import { layout } from "../../web/trees/flame.js";
import { BottomUp, ByConstruct, CallTree, Flat } from "../../web/trees/forms.js";
import { modesOf, quickMode, shareIn } from "../../web/trees/modes.js";
import { Outline } from "../../web/trees/outline.js";
import {
  callValues, locationValues, maskOf, partsOf, spread, systemValues,
} from "../../web/trees/severity.js";

/** A region of a function, or of a construct of OpenMP. */
const region = (construct, role = "function") => ({
  construct, role, name: construct, label: construct, place: "", paradigm: "user", clauses: "",
});

/** main calls work twice: in a loop, and work calls itself there. Two threads. */
function small() {
  return new Data({
    metrics: [
      { name: "time", title: "Time", unit: "sec", parent: -1 },
      { name: "wait", title: "Waiting", unit: "sec", parent: 0 },
      { name: "visits", title: "Visits", unit: "occ", parent: -1 },
    ],
    regions: [region("main"), region("work"), region("loop", "for"), region("barrier", "barrier")],
    calls: [[-1, 0], [0, 1], [0, 2], [2, 1], [3, 1], [2, 3]],
    locations: [{ name: "thread 0", process: 0 }, { name: "thread 10", process: 0 }],
    processes: [{ name: "Rank 0", node: "host" }],
    values: [
      [[0, 1, 1], [1, 10, 0], [2, 2, 2], [3, 20, 30], [4, 5, 5], [5, 0, 7]],
      [[5, 0, 7]],
      [[0, 1, 0], [1, 1, 0], [3, 2, 3], [4, 4, 4]],
    ],
  });
}

const all = { id: 0, minus: [] };

/** Sum of what the rows of an outline show. */
const shown = (outline) => outline.rows().reduce((total, id) => total + outline.shown(id), 0);

/** A form with the values of a property. */
function filled(Form, data, picks = [all]) {
  const form = new Form(data);
  form.update(callValues(data, partsOf(picks)));
  return form;
}

test("rows of a form sum to the whole, however it is opened", () => {
  for (const Form of [CallTree, Flat, ByConstruct, BottomUp]) {
    const outline = new Outline(filled(Form, small()));
    const steps = [shown(outline)];
    for (let row = 0; row < outline.rows().length; row++) {
      outline.expanded.add(outline.rows()[row]);
      outline.changed();
      steps.push(shown(outline));
    }
    assert.deepEqual(new Set(steps), new Set([83]), Form.name);
    assert.ok(steps.length > 3, Form.name);
  }
});

test("an expanded property lacks its parts, and so do its call paths", () => {
  const data = small();
  assert.deepEqual(data.totals, [83, 7, 15]);
  const { own } = callValues(data, partsOf([{ id: 0, minus: [1] }]));
  assert.deepEqual([...own], [2, 10, 4, 50, 10, 0]);
});

test("flat lists count recursion once, and visits", () => {
  const flat = filled(Flat, small());
  const [callees, visits] = flat.extra;
  const rows = flat.roots.map((id) => [flat.words(id).name, flat.value(id), callees(id), visits(id)]);
  assert.deepEqual(rows, [
    ["main", 2, 83, 1], ["work", 70, 70, 14], ["loop", 4, 71, 0], ["barrier", 7, 7, 0],
  ]);
});

test("kinds of constructs have their regions below them", () => {
  const kinds = filled(ByConstruct, small());
  const rows = kinds.roots.map((id) => [kinds.words(id).name, kinds.words(id).place, kinds.value(id)]);
  assert.deepEqual(rows, [["function", "2 regions", 72], ["for", "1 region", 4],
    ["barrier", "1 region", 7]]);
});

test("a bottom-up list says from where time was spent", () => {
  const form = filled(BottomUp, small());
  const work = form.nodeOf(4);
  const told = (id) => [form.words(id).name, form.value(id)];
  assert.deepEqual(told(work), ["work", 70]);
  const callers = form.children(work).map(told);
  assert.deepEqual(callers, [["← main", 10], ["← loop", 50], ["← work", 10]]);
});

test("what is selected is counted once", () => {
  const data = small();
  const tree = filled(CallTree, data);
  const outline = new Outline(tree);
  outline.expanded.add(0);
  outline.expanded.add(2);
  // main itself, the loop itself, and all of work inside of the loop.
  const mask = maskOf(tree, [3, 0, 2].map((id) => outline.pick(id)), data.calls.length);
  assert.deepEqual([...mask], [1, 0, 1, 1, 1, 0]);
  const values = locationValues(data, [[0, 1]], mask);
  assert.deepEqual([...values], [28, 38]);
  assert.deepEqual([...systemValues(data, values)], [66, 66, 66, 28, 38]);
  assert.deepEqual(spread(values), { least: 28, mean: 33, most: 38, deviation: 5 });
});

/** The small run with a property that is combined in this way, in percent of time. By thread, the
 *  call paths 1, 3 and 4 have 10, 20 and 5, and none, 30 and 5. */
function combined(calls, locations) {
  const { raw } = small();
  const display = { calls, locations, percent_of: 0, words: `${calls}, ${locations}` };
  const metrics = [...raw.metrics, { name: "mine", title: "Mine", unit: "sec", parent: -1, display }];
  return new Data({ ...raw, metrics, values: [...raw.values, [[1, 10, 0], [3, 20, 30], [4, 5, 5]]] });
}

test("values are combined over call paths, then over locations, as a property says", () => {
  const check = (how, total, own, inclusive, whole) => {
    const data = combined(...how);
    const values = callValues(data, [[3, 1]]);
    assert.deepEqual([data.totals[3], data.whole(3)], [total, whole], how.join());
    assert.deepEqual([...values.own], own, how.join());
    assert.deepEqual([...values.inclusive], inclusive, how.join());
    assert.equal(values.over(data.calls.keys()), total, how.join());
  };
  check(["maximum", "maximum"], 30, [0, 10, 0, 30, 5, 0], [30, 10, 30, 30, 5, 0], 45);
  check(["maximum", "sum"], 50, [0, 10, 0, 50, 10, 0], [50, 10, 50, 50, 10, 0], 83);
  check(["sum", "mean"], 35, [0, 5, 0, 25, 5, 0], [35, 5, 30, 30, 5, 0], 41.5);
  check(["mean", "maximum"], 17.5, [0, 10, 0, 30, 5, 0], [17.5, 10, 17.5, 17.5, 5, 0], 45);
});

test("a maximum is one in all forms and at all locations", () => {
  const data = combined("maximum", "maximum");
  const [parts, picks] = [[[3, 1]], [{ id: 3, minus: [] }]];
  const flat = filled(Flat, data, picks);
  assert.deepEqual(flat.roots.map((id) => [flat.value(id), flat.extra[0](id)]),
    [[0, 30], [30, 30], [0, 30], [0, 0]]);
  const kinds = filled(ByConstruct, data, picks);
  assert.deepEqual(kinds.roots.map((id) => kinds.value(id)), [30, 0, 0]);
  const form = filled(BottomUp, data, picks);
  const work = form.roots.find((id) => form.words(id).name === "work");
  const callers = form.children(work).map((id) => form.value(id));
  assert.deepEqual([form.value(work), ...callers], [30, 10, 30, 5]);
  const values = locationValues(data, parts, Uint8Array.from([0, 1, 0, 0, 1, 0]));
  assert.deepEqual([...values], [10, 5]);
  assert.deepEqual([...systemValues(data, values, parts)], [10, 10, 10, 10, 5]);
  const outline = new Outline(filled(CallTree, data, picks));
  outline.adds = false;
  outline.expanded.add(0);
  outline.hidden.add(1);
  assert.deepEqual([outline.shown(0), outline.shown(2)], [0, 30]);
});

test("locations can be selected before call paths", () => {
  const { own, inclusive } = callValues(small(), [[0, 1]], Uint8Array.from([0, 1]));
  assert.deepEqual([...own], [1, 0, 2, 30, 5, 7]);
  assert.equal(inclusive[0], 45);
});

test("hidden rows belong to the row above them", () => {
  const outline = new Outline(filled(CallTree, small()));
  outline.expanded.add(0);
  outline.hidden.add(1);
  outline.changed();
  assert.deepEqual(outline.rows().map((id) => [id, outline.shown(id)]), [[0, 12], [2, 71]]);
  assert.deepEqual(outline.pick(0), { id: 0, minus: [2] });
  outline.hidden.clear();
  outline.threshold = 0.1;
  outline.shareOf = (id) => outline.forest.value(id) / 83;
  outline.expanded.add(2);
  outline.changed();
  assert.deepEqual(outline.rows(), [0, 1, 2, 3]);
  assert.equal(shown(outline), 83);
});

test("siblings are in the order of values, names or columns", () => {
  const data = small();
  const flat = filled(Flat, data);
  const outline = new Outline(flat, () => true, (id) => flat.words(id).name);
  outline.columns = flat.extra;
  const names = (order) => {
    outline.order = order;
    outline.changed();
    return outline.rows().map((id) => flat.words(id).name).join(" ");
  };
  assert.equal(names("value"), "work barrier loop main");
  assert.equal(names("name"), "barrier loop main work");
  assert.equal(names(0), "main loop work barrier");
  assert.equal(names(1), "work main loop barrier");
});

test("the largest path ends where it no longer explains the value", () => {
  const outline = new Outline(filled(CallTree, small()));
  assert.equal(outline.largest(0), 4);
  assert.deepEqual(outline.path(4), [4, 3, 2, 0]);
});

test("all below a node opens and closes", () => {
  const outline = new Outline(filled(CallTree, small()));
  outline.openAll([0], true);
  assert.equal(outline.rows().length, 6);
  outline.openAll([2], false);
  assert.deepEqual(outline.rows(), [0, 1, 2]);
});

test("names are found by expressions, or as they are", () => {
  const tree = filled(CallTree, small());
  const found = (pattern) => findIn(tree, pattern);
  assert.deepEqual(found("^work$").matches, [1, 3, 4]);
  assert.deepEqual([...found("BARRIER").matches], []);
  assert.deepEqual([...found("barrier").above], [2, 0]);
  assert.ok(matcher("main(")("call Main(x)"));
  assert.equal(matcher(""), null);
  assert.deepEqual([nextMatch([1, 3, 4], 3, 1), nextMatch([1, 3, 4], 4, 1)], [4, 1]);
  assert.deepEqual([nextMatch([1, 3, 4], 2, -1), nextMatch([1, 3, 4], 0, -1)], [1, 4]);
  assert.equal(nextMatch([], 0, 1), undefined);
});

test("a pane offers the modes that refer to it or to its left", () => {
  const names = (pane, order) => modesOf(pane, order).map(({ mode }) => mode).join(" ");
  const usual = ["metrics", "calls", "system"];
  assert.equal(names("metrics", usual), "absolute own");
  assert.equal(names("calls", usual), "absolute own metric-root metric-selection");
  assert.equal(names("system", usual), "absolute own metric-root metric-selection call-root " +
    "call-selection peer position");
  assert.equal(names("calls", ["metrics", "system", "calls"]),
    "absolute own metric-root metric-selection system-root system-selection");
  assert.equal(quickMode("selection", "system", usual), "call-selection");
  assert.equal(quickMode("root", "calls", usual), "metric-root");
});

test("peers are compared with the largest, or between the extremes", () => {
  const of = { root: 420, bases: { "call-root": 840 }, least: 100, most: 200 };
  const shares = (mode) => [100, 120, 200].map((value) => shareIn(mode, value, of));
  assert.deepEqual(shares("peer"), [0.5, 0.6, 1]);
  assert.deepEqual(shares("position"), [0, 0.2, 1]);
  assert.equal(shareIn("own", 210, of), 0.5);
  assert.equal(shareIn("call-root", 210, of), 0.25);
  assert.equal(shareIn("system-root", 210, of), 0);
});

test("boxes are as wide as values, and narrow ones are joined", () => {
  const tree = filled(CallTree, small());
  const view = { root: 0, width: 830, from: 0, to: 9, least: 60 };
  const { boxes, levels } = layout(tree, view);
  assert.equal(levels, 4);
  const told = boxes.map(({ id, x, width, depth, rest }) => [id, x, width, depth, rest]);
  assert.deepEqual(told.sort((a, b) => a[3] - b[3] || a[1] - b[1]), [
    [0, 0, 830, 0, 0], [2, 0, 710, 1, 0], [1, 710, 100, 1, 0],
    [3, 0, 600, 2, 0], [5, 600, 70, 2, 0], [4, 0, 100, 3, 0],
  ]);
  const coarse = layout(tree, { ...view, least: 200 }).boxes.filter((box) => box.rest);
  assert.deepEqual(coarse.map(({ id, width, rest }) => [id, width, rest]), [[0, 100, 1], [2, 70, 1],
    [3, 100, 1]]);
});

test("values below 0 are no wider than nothing", () => {
  const tree = filled(CallTree, small());
  tree.update({ own: new Float64Array(6), inclusive: Float64Array.from([5, -3, 8, 4, 4, 4]) });
  const { boxes } = layout(tree, { root: 0, width: 100, from: 0, to: 9, least: 1 });
  assert.ok(boxes.every(({ x, width }) => width >= 0 && x + width <= 100.001));
  assert.ok(boxes.every(({ id }) => id !== 1));
});
