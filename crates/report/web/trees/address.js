// What the address has of the trees: property, call path by the names of its regions, form and
// values. So a link still means the same after the program was measured again, and the browser's
// Back undoes a selection.

import { choiceField, listField, textField } from "../state.js";
import { QUICK } from "./modes.js";
import { FORMS } from "./panes.js";

/** Deeper call paths stand in the address by their number, because addresses are short. */
const NAMED_LEVELS = 40;

/** @typedef {ReturnType<typeof import("./view.js").renderTrees>} Trees */
/**
 * `open` has a letter for the property (p) and the call path (c) that are expanded: those show what
 * is theirs alone.
 * @typedef {{property: string, path: readonly string[], open: string, form: string,
 *   values: string}} TreeState
 */

/** The fields; what is selected at the start is no part of the address. @param {Trees} trees */
export function treeFields({ panes }) {
  const { property, path, open, values } = shownIn(panes);
  const modes = QUICK.map(([mode]) => mode);
  return {
    property: textField(property),
    path: { ...listField(), fallback: path },
    open: { ...textField(open), parse: (/** @type {string} */ text) =>
      (/^p?c?$/.test(text) ? text : undefined) },
    form: choiceField(FORMS.map(([form]) => form)),
    values: { ...choiceField([...modes, "mixed"]), fallback: values },
  };
}

/** Selections go into the state, and a changed state into the trees. Returns two acts: `show` shows a
 *  property at some call paths, as one step for Back; `look` selects a call path while another view
 *  is seen. @param {Trees} trees
 *  @param {import("../state.js").State<any>} state */
export function followTrees(trees, state) {
  let isFollowing = false;
  let before = selectionKey(trees.panes);
  trees.onSelect(() => {
    const now = selectionKey(trees.panes);
    // What was selected by hand stands out in the timeline, if there is one.
    const isChosen = !isFollowing && now !== before && "fade" in state.fields;
    before = now;
    const fade = isChosen ? { fade: "trees", region: "" } : {};
    if (!isFollowing) state.set({ ...shownIn(trees.panes), ...fade }, { kind: "trees" });
  });
  const follow = (/** @type {TreeState} */ wanted) => {
    if (isSame(wanted, shownIn(trees.panes))) return;
    isFollowing = true;
    apply(trees, wanted);
    isFollowing = false;
  };
  state.subscribe(["property", "path", "open", "form", "values"], follow);
  follow(state.now);
  const show = (/** @type {string} */ metric, /** @type {number[]} */ calls) => {
    isFollowing = true;
    trees.show(metric, calls);
    isFollowing = false;
    state.set({ view: "trees", ...shownIn(trees.panes) });
  };
  const look = (/** @type {number} */ call) => {
    const { panes } = trees;
    isFollowing = true;
    panes.calls.reveal([panes.form.nodeOf(call)]);
    isFollowing = false;
    state.set(shownIn(panes), { replace: true });
  };
  return { show, look };
}

/** What is selected, as a text that differs for other selections.
 *  @param {import("./panes.js").Panes} panes */
function selectionKey(panes) {
  const of = (/** @type {import("./tree.js").Tree} */ tree) => [...tree.selected].join();
  return [of(panes.metrics), panes.selectedCalls().join(), of(panes.system)].join(";");
}

/** @param {import("./panes.js").Panes} panes @returns {TreeState} */
function shownIn(panes) {
  const { data } = panes;
  const call = panes.form.key === "calls" ? panes.calls.focused : panes.selectedCalls()[0] ?? 0;
  return {
    property: data.metrics[panes.metrics.focused].name,
    path: pathOf(data, call),
    open: [panes.metrics, panes.calls].map((tree, at) =>
      (tree.isExpanded(tree.focused) ? "pc"[at] : "")).join(""),
    form: panes.shown,
    values: panes.quick || "mixed",
  };
}

/** @param {import("./data.js").Data} data @param {number} call @returns {string[]} */
function pathOf(data, call) {
  if (data.calls[call].depth >= NAMED_LEVELS) return [`#${call}`];
  const names = [];
  for (let at = call; at >= 0; at = data.calls[at].parent) names.unshift(data.region(at).label);
  return names;
}

/** The call path of some names; the part of it that exists. @param {import("./data.js").Data} data
 *  @param {readonly string[]} names */
export function callOf(data, names) {
  const [, number] = /^#(\d+)$/.exec(names[0] ?? "") ?? [];
  if (number !== undefined) return Number(number) < data.calls.length ? Number(number) : -1;
  let call = -1;
  let below = data.calls.filter((node) => node.parent < 0).map((node) => node.id);
  for (const name of names) {
    const next = below.find((id) => data.region(id).label === name);
    if (next === undefined) break;
    call = next;
    below = data.calls[next].children;
  }
  return call;
}

/** @param {Trees} trees @param {TreeState} wanted */
function apply(trees, { property, path, open, form, values }) {
  const { panes } = trees;
  if (panes.shown !== form) panes.setForm(form);
  if (values !== "mixed" && panes.quick !== values) panes.setQuick(values);
  const metric = panes.data.metricNamed(property);
  if (metric >= 0) {
    panes.metrics.reveal([metric]);
    panes.metrics.setOpen(metric, open.includes("p"));
  }
  const call = callOf(panes.data, path);
  if (call >= 0) {
    const node = panes.form.nodeOf(call);
    panes.calls.reveal([node]);
    panes.calls.setOpen(node, open.includes("c"));
  }
  trees.redraw();
}

/** @param {TreeState} a @param {TreeState} b */
function isSame(a, b) {
  return a.property === b.property && a.open === b.open && a.form === b.form && a.values === b.values
    && a.path.join("\n") === b.path.join("\n");
}
