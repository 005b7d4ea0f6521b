// Startup and shutdown of threads in rows that several threads share: that of a process, and those of
// the strip. Their pictures have shares of states from the bottom up; what no state has is blank at
// the top. There as much of the height is coloured as the row has threads that start up or shut down.

import { EDGES } from "../source/edges.js";

/** @typedef {import("../source/source.js").Gap} Gap */
/**
 * A row: its place and size, the window that its width shows, and its threads.
 * @typedef {{y: number, height: number, width: number, window: import("../source/source.js").Window,
 *   threads: Set<number>}} SharedRow
 */

/** With more threads than this, startup and shutdown of single ones cannot be seen. */
export const EDGE_THREADS_MAX = 512;

/** How many threads of a row start up (or shut down) in each column.
 *  @param {SharedRow} row @param {Gap[]} gaps @param {string} wanted */
function countsOf({ width, window: [t0, t1], threads }, gaps, wanted) {
  const counts = new Uint16Array(width);
  const column = (/** @type {number} */ t) =>
    Math.min(width, Math.max(0, Math.round(((t - t0) / (t1 - t0)) * width)));
  for (const [loc, start, end, kind] of gaps) {
    if (kind !== wanted || !threads.has(loc)) continue;
    for (let x = column(start); x < column(end); x++) counts[x]++;
  }
  return counts;
}

/** Colours the blank part of a row. @param {CanvasRenderingContext2D} context @param {SharedRow} row
 *  @param {Gap[]} gaps @param {(variable: string) => string} ink */
export function drawSharedEdges(context, row, gaps, ink) {
  const each = row.height / Math.max(row.threads.size, 1);
  const above = new Uint16Array(row.width);
  for (const [kind, variable] of Object.entries(EDGES)) {
    const counts = countsOf(row, gaps, kind);
    context.fillStyle = ink(variable);
    for (let x = 0, from = 0; x < row.width; x = from) {
      const isSame = () => counts[from] === counts[x] && above[from] === above[x];
      while (from < row.width && isSame()) from++;
      if (counts[x]) {
        context.fillRect(x, row.y + above[x] * each, from - x, counts[x] * each);
      }
    }
    counts.forEach((count, x) => { above[x] += count; });
  }
}
