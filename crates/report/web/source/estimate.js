// The trees of a window from pictures of call stacks, for a page without a server: a box belongs to
// the call path of the box above it. Boxes of bins count by how much of the bin they cover.

import { coverOf, isExact, regionOf } from "./decode.js";

/** @typedef {{begin: number, end: number, what: number}} Box */
/** @typedef {{call: number, begin: number, end: number}} Placed */

const REMARK = "estimated from the picture, time only; `pompeii view` shows all properties exactly";

/** What a box has of a window. @param {Box} box @param {[number, number]} window */
function ticksIn({ begin, end, what }, [t0, t1]) {
  const inside = Math.max(0, Math.min(end, t1) - Math.max(begin, t0));
  return inside * (isExact(what) ? 1 : coverOf(what));
}

/** Call paths with their inclusive ticks by location. */
class Paths {
  /** @param {number} width */
  constructor(width) {
    this.width = width;
    /** @type {[number, number][]} */
    this.calls = [];
    /** @type {Map<string, number>} */
    this.known = new Map();
    /** @type {Float64Array[]} */
    this.ticks = [];
  }

  /** @param {number} parent @param {number} region */
  of(parent, region) {
    const key = `${parent} ${region}`;
    let call = this.known.get(key);
    if (call === undefined) {
      call = this.calls.push([parent, region]) - 1;
      this.known.set(key, call);
      this.ticks.push(new Float64Array(this.width));
    }
    return call;
  }

  /** Adds a level of a location's stack, below the boxes of the level above.
   *  @param {number} location @param {Box[]} boxes @param {Placed[] | null} above
   *  @param {[number, number]} window @returns {Placed[]} */
  add(location, boxes, above, window) {
    /** @type {Placed[]} */
    const placed = [];
    for (const box of boxes) {
      const parent = above && callAt(above, (box.begin + box.end) / 2);
      if (parent === undefined) continue;
      const call = this.of(parent ?? -1, regionOf(box.what));
      this.ticks[call][location] += ticksIn(box, window);
      placed.push({ call, begin: box.begin, end: box.end });
    }
    return placed.sort((a, b) => a.begin - b.begin);
  }

  /** Exclusive ticks: rows of call path and one value for each location. */
  rows() {
    const own = this.ticks.map((ticks) => ticks.slice());
    this.calls.forEach(([parent], call) => {
      if (parent >= 0) this.ticks[call].forEach((ticks, at) => { own[parent][at] -= ticks; });
    });
    return own.map((ticks, call) =>
      [call, ...Array.from(ticks, (value) => Math.max(0, Math.round(value)))]);
  }
}

/** The call path that is open at a time; intervals that begin later are the more exact ones.
 *  @param {Placed[]} placed by begin @param {number} t @returns {number | undefined} */
function callAt(placed, t) {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle].begin <= t) low = middle + 1;
    else high = middle;
  }
  for (let at = low - 1; at >= Math.max(0, low - 64); at--) {
    if (placed[at].end > t) return placed[at].call;
  }
  return undefined;
}

/** @param {import("./source.js").Opened} open @param {{metrics: any[]}} cube of the whole run
 *  @param {(key: string, window: [number, number]) => Box[]} boxes of a row
 *  @param {[number, number]} window @returns {any} as the answer of a server */
export function estimatedTrees(open, { metrics }, boxes, window) {
  const paths = new Paths(open.locations.length);
  open.locations.forEach(({ stack_levels: levels }, location) => {
    /** @type {Placed[] | null} */
    let above = null;
    for (let level = 0; level < levels; level++) {
      above = paths.add(location, boxes(`s${location}.${level}`, window), above, window);
      if (!above.length) break;
    }
  });
  return {
    metrics,
    regions: open.regions.map((region) => ({ ...region, construct: region.label, place: "",
      clauses: "", end_line: region.line, barrier_included: false, sampled: false })),
    calls: paths.calls,
    processes: open.processes.map(({ name }) => ({ name, node: "" })),
    locations: open.locations.map(({ name, process }) => ({ name, process })),
    // A region is open only while something is executed.
    values: metrics.map(({ name }) => (/^(time|execution)$/.test(name) ? paths.rows() : [])),
    remark: REMARK,
  };
}
