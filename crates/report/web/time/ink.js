// What stands above the pixels: names in boxes, lines between rows, the selection. Text and lines are
// few, so the canvas draws them itself.

import { EDGES } from "../source/edges.js";
import { PARTS, isExact, isResumed, isSuspended, regionOf } from "../source/decode.js";
import { FADED, inkOn } from "./paint.js";
import { scaleOf } from "./raster.js";
import { FONT, write } from "./text.js";

/** @typedef {import("./rows.js").Row} Row */
/** @typedef {import("../source/source.js").Window} Window */

/** A name is written where this many pixels are free. */
const LABEL_MIN_PX = 40;

/**
 * What a part that draws needs: a canvas in CSS pixels, the window, and colours.
 * @typedef {{context: CanvasRenderingContext2D, width: number, height: number, window: Window,
 *   top: number, ink: (variable: string) => string}} Sheet
 */

/** Where a time is. @param {Sheet} sheet @param {number} t */
export const xOf = ({ window: [t0, t1], width }, t) => ((t - t0) / (t1 - t0)) * width;

/** Vertical lines at round times. @param {Sheet} sheet @param {number[]} times in ticks */
export function drawGrid(sheet, times) {
  const { context, height } = sheet;
  context.fillStyle = sheet.ink("--line");
  context.globalAlpha = 0.4;
  for (const time of times) context.fillRect(Math.round(xOf(sheet, time)), 0, 1, height);
  context.globalAlpha = 1;
}

/** The names of exact boxes that have room. `nameOf` gives the name of a box by its begin.
 *  @param {Sheet} sheet @param {import("./raster.js").Strip & {of: Row}} strip
 *  @param {import("./raster.js").Palette} palette
 *  @param {(region: number, row: Row, begin: number) => string} nameOf */
export function drawNames(sheet, strip, palette, nameOf) {
  const { context, width, top } = sheet;
  const { picture, row, of } = strip;
  const { offset, perColumn } = scaleOf(picture, sheet.window, width);
  const middle = of.y - top + of.height / 2 + 0.5;
  context.font = FONT;
  context.textBaseline = "middle";
  for (let box = row.from; box < row.from + row.count; box++) {
    const what = picture.what[box];
    if (!isExact(what)) continue;
    const begin = Math.max(0, offset + picture.x0[box] * perColumn);
    const end = Math.min(width, offset + picture.x1[box] * perColumn);
    if (end - begin < LABEL_MIN_PX) continue;
    const region = regionOf(what);
    if (palette.stateOf[region] === 0) continue;
    const since = picture.begin + (picture.x0[box] * picture.binTicks) / PARTS;
    context.fillStyle = inkOn(palette.region[region]);
    write(context, nameOf(region, of, since), begin + 7, middle, end - begin - 12);
    drawCuts(sheet, what, begin, end, of);
  }
}

/** Marks ends at which a task was suspended, or went on. @param {Sheet} sheet
 *  @param {number} what @param {number} begin @param {number} end @param {Row} row */
function drawCuts({ context, width, top, ink }, what, begin, end, row) {
  const [y, height] = [row.y - top, row.height];
  context.fillStyle = ink("--paper");
  const notch = (/** @type {number} */ x, /** @type {number} */ side) => {
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + side * 5, y + height / 2);
    context.lineTo(x, y + height);
    context.fill();
  };
  // The border of the window is no suspension.
  if (isSuspended(what) && end < width - 1) notch(end, -1);
  if (isResumed(what) && begin > 0) notch(begin, 1);
}

/** What is between two recorded times, if that is no event, in words. @type {Record<string, string>} */
const GAPS = { flush: "writing the trace", off: "recording off", lost: "events lost",
  summed: "short visits, summed" };

/** Hatches a time without records, and says why there are none. @param {Sheet} sheet
 *  @param {Row} row @param {import("../source/source.js").Gap} gap */
export function drawGap(sheet, row, [, start, stop, why]) {
  const { context, width, top } = sheet;
  const begin = Math.max(0, xOf(sheet, start));
  const end = Math.min(width, Math.max(xOf(sheet, stop), begin + 2));
  if (end <= begin) return;
  const y = row.y - top;
  context.save();
  context.beginPath();
  context.rect(begin, y, end - begin, row.height);
  context.clip();
  context.strokeStyle = sheet.ink("--quiet");
  context.beginPath();
  for (let x = begin - row.height; x < end; x += 7) {
    context.moveTo(x, y + row.height);
    context.lineTo(x + row.height, y);
  }
  context.stroke();
  context.restore();
  if (end - begin < 2 * LABEL_MIN_PX) return;
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = sheet.ink("--text");
  write(context, GAPS[why] ?? why, begin + 7, y + row.height / 2, end - begin - 12);
}

/** Startup or shutdown of a thread, with its name. @param {Sheet} sheet @param {Row} row
 *  @param {import("../source/source.js").Gap} gap @param {boolean} isLit */
export function drawEdge(sheet, row, [, start, stop, kind], isLit) {
  const { context, width, top } = sheet;
  const begin = Math.max(0, xOf(sheet, start));
  const end = Math.min(width, xOf(sheet, stop));
  if (end <= begin) return;
  const y = row.y - top;
  context.fillStyle = sheet.ink(EDGES[kind]);
  context.globalAlpha = isLit ? 1 : FADED;
  context.fillRect(begin, y, end - begin, row.height);
  context.globalAlpha = 1;
  if (end - begin < LABEL_MIN_PX) return;
  context.font = FONT;
  context.textBaseline = "middle";
  context.fillStyle = sheet.ink(isLit ? "--t-on-edge" : "--text");
  write(context, kind, begin + 7, y + row.height / 2 + 0.5, end - begin - 12);
}

/** An outline around an interval. @param {Sheet} sheet @param {Row} row @param {number} start
 *  @param {number} end */
export function drawSelection(sheet, row, start, end) {
  const { context, width, top } = sheet;
  const begin = Math.max(-3, xOf(sheet, start));
  const size = Math.max(3, Math.min(width + 3, xOf(sheet, end)) - begin);
  context.lineWidth = 2;
  context.strokeStyle = sheet.ink("--text");
  context.strokeRect(begin, row.y - top - 1, size, row.height + 2);
}

/** More lines than this are drawn faintly, so that names can be read below them. */
const CROWD = 24;

/** Lines between rows, for example from a message's sender to its receiver. @param {Sheet} sheet
 *  @param {import("../source/source.js").Link[]} links
 *  @param {(loc: number) => Row | undefined} rowOf */
export function drawLinks(sheet, links, rowOf) {
  const { context, top } = sheet;
  const isCrowded = links.length > CROWD;
  context.lineWidth = isCrowded ? 1 : 1.5;
  context.globalAlpha = isCrowded ? 0.35 : 1;
  for (const [kind, from, start, to, end] of links) {
    const [above, below] = [rowOf(from), rowOf(to)];
    if (!above || !below) continue;
    const y = (/** @type {Row} */ row) => row.y - top + row.height / 2;
    context.strokeStyle = sheet.ink(LINK_COLOURS[kind] ?? "--text");
    arrow(context, xOf(sheet, start), y(above), xOf(sheet, end), y(below));
  }
  context.globalAlpha = 1;
}

/** @type {Record<string, string>} */
export const LINK_COLOURS = {
  message: "--k-message", collective: "--k-collective", lock: "--k-lock", task: "--k-task",
};

/** @param {CanvasRenderingContext2D} context @param {number} x0 @param {number} y0
 *  @param {number} x1 @param {number} y1 */
function arrow(context, x0, y0, x1, y1) {
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  const angle = Math.atan2(y1 - y0, x1 - x0);
  for (const side of [-0.42, 0.42]) {
    context.moveTo(x1, y1);
    context.lineTo(x1 - 8 * Math.cos(angle + side), y1 - 8 * Math.sin(angle + side));
  }
  context.stroke();
}

/** A measured length: a band with its text. @param {Sheet} sheet @param {number} from
 *  @param {number} to @param {string} text */
export function drawMeasure(sheet, from, to, text) {
  const { context, height } = sheet;
  const [x0, x1] = [xOf(sheet, Math.min(from, to)), xOf(sheet, Math.max(from, to))];
  context.fillStyle = sheet.ink("--t-band");
  context.fillRect(x0, 0, x1 - x0, height);
  context.fillStyle = sheet.ink("--accent");
  context.fillRect(x0, 0, 1, height);
  context.fillRect(x1, 0, 1, height);
  if (!text) return;
  context.font = `600 ${FONT}`;
  context.textBaseline = "top";
  const size = context.measureText(text).width + 12;
  const x = Math.max(2, Math.min(sheet.width - size - 2, (x0 + x1 - size) / 2));
  context.fillStyle = sheet.ink("--raised");
  context.fillRect(x, 4, size, 20);
  context.strokeStyle = sheet.ink("--accent");
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, 4.5, size - 1, 19);
  context.fillStyle = sheet.ink("--text");
  context.fillText(text, x + 6, 9);
}

/** A curve with the band between its least and largest values. @param {Sheet} sheet
 *  @param {Row} row @param {import("../source/source.js").Curve} curve @param {string} variable
 *  @param {number} most */
export function drawCurve(sheet, row, curve, variable, most) {
  const { context, top, width } = sheet;
  const bin = 2 ** curve.bin_log2;
  const base = row.y - top + row.height - 1;
  const up = (/** @type {number} */ value) => (Math.max(0, value) / (most || 1)) * (row.height - 6);
  context.fillStyle = sheet.ink(variable);
  for (const [values, alpha] of /** @type {[number[], number][]} */ (
    [[curve.max, 0.35], [curve.mean, 1]])) {
    context.globalAlpha = alpha;
    values.forEach((value, at) => {
      const x0 = Math.round(xOf(sheet, curve.begin + at * bin));
      const x1 = Math.round(xOf(sheet, curve.begin + (at + 1) * bin));
      if (value > 0 && x1 > 0 && x0 < width) {
        context.fillRect(x0, base - up(value), Math.max(1, x1 - x0), up(value));
      }
    });
  }
  context.globalAlpha = 1;
  context.fillStyle = sheet.ink("--line");
  context.fillRect(0, base, width, 1);
}

/** Small triangles at the top: where the most severe moments are. @param {Sheet} sheet
 *  @param {number[]} times @param {string} variable */
export function drawMarkers(sheet, times, variable) {
  const { context } = sheet;
  context.fillStyle = sheet.ink(variable);
  for (const time of times) {
    const x = xOf(sheet, time);
    context.beginPath();
    context.moveTo(x - 5, 0);
    context.lineTo(x + 5, 0);
    context.lineTo(x, 7);
    context.fill();
  }
}
