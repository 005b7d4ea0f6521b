// What a node shows. A collapsed node shows its inclusive value (with everything below it), an
// expanded one its exclusive value, in each of the three trees; so the values that are visible in a
// tree always sum to its whole. A hidden child belongs to its parent's own value. A selection in
// one tree is what the trees to its right are about.

import { byLocation, combinedCalls, combinedSystem, isSum } from "./combine.js";
import { sum } from "./data.js";

/**
 * A selected node, and the visible children whose values it does not have because it is expanded.
 * @typedef {{id: number, minus: number[]}} Pick
 * Signed parts of a selection of properties: metric and +1 or -1.
 * @typedef {[number, number][]} Parts
 * `over` has the value of some call paths together, if it is not the sum of their own values.
 * @typedef {{own: Float64Array, inclusive: Float64Array,
 *   over?: (calls: Iterable<number>) => number}} CallValues
 * @typedef {import("./data.js").Data} Data
 */

/** Value of a property over everything. @param {Data} data @param {Pick} pick */
export function metricValue(data, { id, minus }) {
  return minus.reduce((value, part) => value - data.totals[part], data.totals[id]);
}

/** The selected properties as signed parts. @param {Pick[]} picks @returns {Parts} */
export function partsOf(picks) {
  return picks.flatMap(({ id, minus }) => {
    /** @type {Parts} */
    const parts = minus.map((part) => [part, -1]);
    parts.unshift([id, 1]);
    return parts;
  });
}

/** How a property is displayed that is no sum; it is the only one then.
 *  @param {Data} data @param {Parts} parts */
export function displayOf(data, parts) {
  const display = parts.length ? data.metrics[parts[0][0]].display : undefined;
  return isSum(display) ? undefined : display;
}

/**
 * Own and inclusive values of every call path, summed over locations (those of the mask, if there
 * is one).
 * @param {Data} data @param {Parts} parts @param {Uint8Array | null} mask
 * @returns {CallValues}
 */
export function callValues(data, parts, mask = null) {
  const display = displayOf(data, parts);
  if (display) return combinedCalls(data, parts[0][0], display, mask);
  const own = new Float64Array(data.calls.length);
  for (const [metric, sign] of parts) {
    const { calls, cells } = data.rows(metric);
    for (let row = 0; row < calls.length; row++) {
      own[calls[row]] += sign * rowSum(cells, row * data.width, data.width, mask);
    }
  }
  const inclusive = own.slice();
  // Parents come before their children.
  for (let call = data.calls.length - 1; call >= 0; call--) {
    const { parent } = data.calls[call];
    if (parent >= 0) inclusive[parent] += inclusive[call];
  }
  return { own, inclusive };
}

/** @param {Float64Array} cells @param {number} from @param {number} width
 *  @param {Uint8Array | null} mask */
function rowSum(cells, from, width, mask) {
  let total = 0;
  for (let at = 0; at < width; at++) if (!mask || mask[at]) total += cells[from + at];
  return total;
}

/**
 * Values by location, summed over call paths (those of the mask, if there is one).
 * @param {Data} data @param {Parts} parts @param {Uint8Array | null} mask
 */
export function locationValues(data, parts, mask = null) {
  const display = displayOf(data, parts);
  if (display) return byLocation(data, parts[0][0], display.calls, mask);
  const values = new Float64Array(data.width);
  for (const [metric, sign] of parts) {
    const { calls, cells } = data.rows(metric);
    for (let row = 0; row < calls.length; row++) {
      if (mask && !mask[calls[row]]) continue;
      for (let at = 0; at < data.width; at++) values[at] += sign * cells[row * data.width + at];
    }
  }
  return values;
}

/** Values of all nodes of the system tree, with everything below them. @param {Data} data
 *  @param {Float64Array} values by location @param {Parts} parts the properties */
export function systemValues(data, values, parts = []) {
  const display = displayOf(data, parts);
  if (display) return combinedSystem(data, values, display.locations);
  const all = new Float64Array(data.system.length);
  for (let id = all.length - 1; id >= 0; id--) {
    const { index, parent } = data.system[id];
    if (index >= 0) all[id] += values[index];
    if (parent >= 0) all[parent] += all[id];
  }
  return all;
}

/**
 * What is selected, as a mask. Deeper nodes come later: an expanded node clears what its visible
 * children have, and these may be selected too.
 * @param {{depth: (id: number) => number,
 *   mark: (id: number, mask: Uint8Array, bit: number) => void}} form
 * @param {Pick[]} picks @param {number} size
 */
export function maskOf(form, picks, size) {
  const mask = new Uint8Array(size);
  const ordered = [...picks].sort((a, b) => form.depth(a.id) - form.depth(b.id));
  for (const { id, minus } of ordered) {
    form.mark(id, mask, 1);
    minus.forEach((child) => form.mark(child, mask, 0));
  }
  return mask;
}

/** Least, mean, largest value and standard deviation over locations. @param {Float64Array} values */
export function spread(values) {
  const mean = values.length ? sum(values) / values.length : 0;
  let [least, most, squares] = [Infinity, -Infinity, 0];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    squares += (value - mean) ** 2;
  }
  return { least, mean, most, deviation: Math.sqrt(squares / Math.max(values.length, 1)) };
}
