// Boxes become pixels: a plain loop over words of a picture, because machines without a GPU draw
// 60,000 rectangles by the canvas forty times slower. A row of innermost regions is seven lines, as
// the shares of states count in sevenths; each line is then copied down to its height.

import { FLAT, PARTS, PROCESS, coverOf, isExact, regionOf, shareOf } from "../source/decode.js";

/** @typedef {import("../source/source.js").Picture} Picture */
/** @typedef {import("../source/source.js").PictureRow} PictureRow */
/**
 * Colours as words of an image: by region, of the four states with shares, of the background; the
 * state of each region, and the regions that are not drawn.
 * @typedef {{region: Uint32Array, states: Uint32Array, stateOf: Uint8Array, paper: number,
 *   isLeftOut?: Uint8Array}} Palette
 * @typedef {{row: PictureRow, picture: Picture, y: number, height: number}} Strip
 */

/** Parts of a row of innermost regions. */
export const SEVENTHS = 7;
/** Boxes as wide as this end with a line that tells them from the next one. */
const EDGE_MIN_PX = 5;

/** Where the columns of a picture are in an image. @param {Picture} picture
 *  @param {[number, number]} window @param {number} width */
export function scaleOf(picture, [t0, t1], width) {
  const perTick = width / (t1 - t0);
  return {
    offset: (picture.begin - t0) * perTick,
    perColumn: (picture.binTicks / PARTS) * perTick,
  };
}

/** A colour between two. @param {number} one @param {number} other @param {number} share of the
 *  other one */
export function mixed(one, other, share) {
  const part = (/** @type {number} */ shift) => {
    const [a, b] = [(one >>> shift) & 255, (other >>> shift) & 255];
    return Math.round(a + (b - a) * share) << shift;
  };
  return (part(0) | part(8) | part(16) | (255 << 24)) >>> 0;
}

/** Draws rows of pictures. @param {Uint32Array} image @param {number} width
 *  @param {Strip[]} strips @param {[number, number]} window @param {Palette} palette */
export function raster(image, width, strips, window, palette) {
  const all = new Uint32Array(SEVENTHS * width);
  const lines = Array.from({ length: SEVENTHS }, (_, at) => all.subarray(at * width, (at + 1) * width));
  for (const strip of strips) {
    all.fill(palette.paper);
    const scale = scaleOf(strip.picture, window, width);
    if (strip.row.kind === FLAT || strip.row.kind === PROCESS) {
      flatLines({ all, width }, strip, scale, palette);
      copyDown(image, width, strip, lines);
    } else {
      paintLine(lines[0], strip, scale, palette);
      copyDown(image, width, strip, lines.map(() => lines[0]));
    }
  }
}

/** @param {Uint32Array} image @param {number} width @param {Strip} strip
 *  @param {Uint32Array[]} lines from the lowest on */
export function copyDown(image, width, { y, height }, lines) {
  const rows = Math.floor(image.length / width);
  for (let at = Math.max(0, -y); at < height && y + at < rows; at++) {
    const line = lines[SEVENTHS - 1 - Math.floor((at * SEVENTHS) / height)];
    image.set(line, (y + at) * width);
  }
}

/** @typedef {{offset: number, perColumn: number}} Scale */

/** Whether a box with these ends has a pixel. @param {number} left @param {number} right
 *  @param {number} width */
const isSeen = (left, right, width) => left < width && (right > 0 || (right === 0 && left === 0));

/** The lines of a row of innermost regions, one after the other from the lowest on.
 *  @typedef {{all: Uint32Array, width: number}} Lines */

// A frame has a hundred thousand boxes, nearly all of them one column wide. Therefore the functions
// below have simple loops, and nothing is made for a box.

/** @param {Lines} lines @param {Strip} strip @param {Scale} scale @param {Palette} palette */
function flatLines(lines, { row, picture }, { offset, perColumn }, palette) {
  const { x0, x1, what, band } = picture;
  const { width } = lines;
  const hasBand = band !== null && row.kind === PROCESS;
  const last = row.from + row.count;
  for (let box = row.from; box < last; box++) {
    const right = Math.round(offset + x1[box] * perColumn);
    if (right < 0) continue;
    const left = Math.round(offset + x0[box] * perColumn);
    if (!isSeen(left, right, width)) continue;
    const begin = Math.max(0, left);
    const end = Math.min(width, Math.max(right, begin + 1));
    if (isExact(what[box])) exactBox(lines, begin, end, what[box], palette);
    else shareBox(lines, begin, end, what[box], palette);
    if (hasBand) bandBox(lines, begin, end, band[box], palette);
  }
}

/** @param {Lines} lines @param {number} begin @param {number} end @param {number} what
 *  @param {Palette} palette */
function exactBox({ all, width }, begin, end, what, { region, stateOf, paper }) {
  const of = regionOf(what);
  const colour = region[of];
  const size = end - begin;
  const { length } = all;
  if (size === 1) {
    for (let at = begin; at < length; at += width) all[at] = colour;
    return;
  }
  for (let at = begin; at < length; at += width) fill(all, at, at + size, colour);
  if (size >= EDGE_MIN_PX && stateOf[of] !== 0) {
    const edge = mixed(colour, paper, 0.45);
    for (let at = end - 1; at < length; at += width) all[at] = edge;
  }
}

/** Shares of states, the first one at the bottom; the dominant region has its own shade.
 *  @param {Lines} lines @param {number} begin @param {number} end @param {number} what
 *  @param {Palette} palette */
function shareBox({ all, width }, begin, end, what, { region, states, stateOf }) {
  const of = regionOf(what);
  const own = stateOf[of] - 1;
  const size = end - begin;
  let at = begin;
  for (let state = 0; state < 4; state++) {
    const top = Math.min(all.length, at + shareOf(what, state) * width);
    const colour = state === own ? region[of] : states[state];
    if (size === 1) for (; at < top; at += width) all[at] = colour;
    else for (; at < top; at += width) fill(all, at, at + size, colour);
  }
}

/** The threads of a process differ: between the least and the largest share of computing.
 *  @param {Lines} lines @param {number} begin @param {number} end @param {number} band
 *  @param {Palette} palette */
function bandBox({ all, width }, begin, end, band, palette) {
  for (let line = band & 7; line < Math.min(SEVENTHS, (band >>> 3) & 7); line++) {
    const at = line * width + begin;
    fill(all, at, at + end - begin, mixed(all[at], palette.states[0], 0.4));
  }
}

/** Paints a level of a call stack over a line. @param {Uint32Array} line @param {Strip} strip
 *  @param {Scale} scale @param {Palette} palette */
export function paintLine(line, { row, picture }, { offset, perColumn }, palette) {
  const { x0, x1, what } = picture;
  for (let box = row.from; box < row.from + row.count; box++) {
    const right = Math.round(offset + x1[box] * perColumn);
    if (right < 0) continue;
    const left = Math.round(offset + x0[box] * perColumn);
    if (!isSeen(left, right, line.length)) continue;
    const begin = Math.max(0, left);
    const end = Math.min(line.length, Math.max(right, begin + 1));
    if (palette.isLeftOut?.[regionOf(what[box])]) continue;
    const colour = palette.region[regionOf(what[box])];
    if (!isExact(what[box])) {
      fill(line, begin, end, mixed(line[begin], colour, 0.25 + 0.75 * coverOf(what[box])));
      continue;
    }
    fill(line, begin, end, colour);
    if (end - begin >= EDGE_MIN_PX) line[end - 1] = mixed(colour, palette.paper, 0.6);
  }
}

/** Narrow boxes are most of them, and plain stores are faster there. @param {Uint32Array} line
 *  @param {number} begin @param {number} end @param {number} colour */
function fill(line, begin, end, colour) {
  if (end - begin > 8) line.fill(colour, begin, end);
  else for (let at = begin; at < end; at++) line[at] = colour;
}

/** Hatches pixels of some colours, for those who do not tell colours apart.
 *  @param {Uint32Array} image @param {number} width @param {Set<number>} colours
 *  @param {number} ink @param {number} period in pixels */
export function hatch(image, width, colours, ink, period) {
  for (let at = 0, x = 0, y = 0; at < image.length; at++) {
    if ((x + y) % period < period / 4 && colours.has(image[at])) image[at] = ink;
    if (++x === width) {
      x = 0;
      y++;
    }
  }
}
