// What a node shows. A collapsed node shows its inclusive value (with everything below it), an
// expanded one its exclusive value, in each of the three trees; so the values that are visible in a
// tree always sum to its whole. A selection in one tree is what the trees to its right are about.

import { sum } from "./data.js";

/** A selected node and whether it was expanded when the selection is looked at. */
export function pick(tree, id) {
  return { id, expanded: tree.isExpanded(id) };
}

/** Value of a property over everything. */
export function metricValue(data, { id, expanded }) {
  const parts = expanded ? data.metrics[id].children : [];
  return parts.reduce((value, part) => value - data.totals[part], data.totals[id]);
}

/** Call paths x locations of the selected properties. */
export function selectedCells(data, picks) {
  const cells = new Float64Array(data.calls.length * data.width);
  const add = (metric, sign) =>
    data.metricCells(metric).forEach((value, index) => { cells[index] += sign * value; });
  for (const { id, expanded } of picks) {
    add(id, 1);
    if (expanded) data.metrics[id].children.forEach((part) => add(part, -1));
  }
  return cells;
}

/** Own and inclusive values of every call path, summed over locations. */
export function callValues(data, cells) {
  const own = data.calls.map((_, call) =>
    sum(cells.subarray(call * data.width, (call + 1) * data.width)));
  const inclusive = own.slice();
  // Parents come before their children.
  for (let call = data.calls.length - 1; call >= 0; call--) {
    const parent = data.calls[call].parent;
    if (parent >= 0) inclusive[parent] += inclusive[call];
  }
  return { own, inclusive };
}

/** Values by location of the selected call paths. */
export function locationValues(data, cells, picks) {
  const values = new Float64Array(data.width);
  const add = (call) => {
    for (let at = 0; at < data.width; at++) values[at] += cells[call * data.width + at];
  };
  for (const { id, expanded } of picks) {
    const open = [id];
    while (open.length) {
      const call = open.pop();
      add(call);
      if (!expanded) open.push(...data.calls[call].children);
    }
  }
  return values;
}

/** Value of a node of the system tree: inner nodes have none of their own. */
export function systemValue(data, values, { id, expanded }) {
  const node = data.system[id];
  if (node.kind === "location") return values[node.index];
  if (expanded) return null;
  return sum(node.children.map((child) =>
    systemValue(data, values, { id: child, expanded: false })));
}
