// Lines between rows, if there are too many to draw each: one for each bin and pair of rows, the
// thicker the more lines it stands for, with their number where there is room.

import { LINK_COLOURS, xOf } from "./ink.js";

/** @typedef {import("./ink.js").Sheet} Sheet */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {{x: number, from: Row, to: Row, count: number}} Bundle */

/** Bundles are at least as far apart as this. */
const STEP_PX = 14;
/** The number of lines is written if a bundle has this much room. */
const NUMBER_PX = 34;
const THICKEST_PX = 7;

/** Lines of columns that are drawn as one: by column and pair of rows.
 *  @param {number[][]} counts begin of a bin, both locations, number of lines
 *  @param {number} binTicks @param {(t: number) => number} x where a time is
 *  @param {(loc: number) => Row | undefined} rowOf @returns {Bundle[]} */
export function bundles(counts, binTicks, x, rowOf) {
  /** @type {Map<string, Bundle>} */
  const found = new Map();
  for (const [begin, one, other, count] of counts) {
    const [from, to] = [rowOf(one), rowOf(other)];
    if (!from || !to) continue;
    const column = Math.floor(x(begin + binTicks / 2) / STEP_PX);
    const key = `${column} ${from.key} ${to.key}`;
    const bundle = found.get(key);
    if (bundle) bundle.count += count;
    else found.set(key, { x: (column + 0.5) * STEP_PX, from, to, count });
  }
  return [...found.values()];
}

/** @param {Sheet} sheet @param {Bundle[]} all @param {string[]} kinds that are shown */
export function drawBundles(sheet, all, kinds) {
  const { context, top, width } = sheet;
  const seen = all.filter(({ x }) => x > -STEP_PX && x < width + STEP_PX);
  const most = seen.reduce((largest, { count }) => Math.max(largest, count), 1);
  const colour = sheet.ink(kinds.length === 1 ? LINK_COLOURS[kinds[0]] ?? "--text" : "--text");
  context.strokeStyle = colour;
  context.lineCap = "round";
  for (const { x, from, to, count } of seen) {
    const share = Math.sqrt(count / most);
    context.globalAlpha = 0.18 + 0.5 * share;
    context.lineWidth = 1 + (THICKEST_PX - 1) * share;
    context.beginPath();
    context.moveTo(x, middle(from, top));
    context.lineTo(x + STEP_PX / 2, middle(to, top));
    context.stroke();
  }
  context.globalAlpha = 1;
  context.lineCap = "butt";
  writeNumbers(sheet, seen);
}

/** @param {Row} row @param {number} top */
const middle = (row, top) => row.y - top + row.height / 2;

/** The numbers of the largest bundles, as many as do not cover each other. @param {Sheet} sheet
 *  @param {Bundle[]} seen */
function writeNumbers(sheet, seen) {
  const { context, top, width } = sheet;
  context.font = '600 11px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
  context.textBaseline = "middle";
  /** @type {{x: number, y: number}[]} */
  const taken = [];
  for (const { x, from, to, count } of [...seen].sort((a, b) => b.count - a.count).slice(0, 200)) {
    const text = String(count);
    const size = context.measureText(text).width + 6;
    const place = { x: Math.min(Math.max(x, size / 2), width - size / 2),
      y: (middle(from, top) + middle(to, top)) / 2 };
    const isFree = taken.every((of) =>
      Math.abs(of.x - place.x) > NUMBER_PX || Math.abs(of.y - place.y) > 14);
    if (!isFree) continue;
    taken.push(place);
    context.fillStyle = sheet.ink("--raised");
    context.fillRect(place.x - size / 2, place.y - 7, size, 14);
    context.fillStyle = sheet.ink("--text");
    context.fillText(text, place.x - size / 2 + 3, place.y + 0.5);
  }
}

/** What the lines are, below the rows. @param {number[][]} counts @param {number} leftOut */
export function crowdText(counts, leftOut) {
  const lines = counts.reduce((sum, [, , , count]) => sum + count, 0) + leftOut;
  const rest = leftOut ? ` ${leftOut.toLocaleString("en-US")} of them are not drawn.` : "";
  return `${lines.toLocaleString("en-US")} lines: each one that is drawn stands for several, the `
    + `thicker the more.${rest} Zoom in to see them one by one.`;
}
