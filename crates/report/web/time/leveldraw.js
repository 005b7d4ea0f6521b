// Draws threads as one level of the POMP paper's Figure 1 sees them: the open regions of the call
// stack from outside to inside, each in the colour of its category.

import { bestFor } from "../source/cache.js";
import { categoryOf } from "./levels.js";
import { cssColour, wordOf } from "./paint.js";
import { SEVENTHS, copyDown, paintLine, scaleOf } from "./raster.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("./raster.js").Strip & {of: import("./rows.js").Row}} Strip */

/** Levels of the call stack that are looked at. */
const STACK_MAX = 16;
/** Threads in one question. */
const THREADS = 8;

/** @param {Opened} open @param {number} loc */
function stackKeys(open, loc) {
  const levels = Math.min(open.locations[loc].stack_levels, STACK_MAX);
  return Array.from({ length: levels }, (_, level) => `s${loc}.${level}`);
}

/** What has to be asked for: the stacks of threads. @param {Opened} open
 *  @param {import("./rows.js").Row[]} seen @returns {string[][]} */
export function levelKeys(open, seen) {
  const threads = seen.filter(({ kind }) => kind === "flat").map(({ loc }) => loc);
  const all = threads.sort((a, b) => a - b);
  const groups = [];
  for (let at = 0; at < all.length; at += THREADS) {
    groups.push(all.slice(at, at + THREADS).flatMap((loc) => stackKeys(open, loc)));
  }
  return groups;
}

/** The palette of a level. @param {Timeline} time @param {Level} level
 *  @returns {import("./raster.js").Palette} */
function levelPalette(time, level) {
  const { shown } = time.palette();
  const colours = level.categories.map(({ variable }) =>
    wordOf(cssColour(time.view.host, variable)));
  const region = shown.region.slice();
  const isLeftOut = new Uint8Array(region.length).fill(1);
  time.open.regions.forEach((of, at) => {
    const category = categoryOf(level, of);
    if (category < 0) return;
    isLeftOut[at] = 0;
    region[at] = colours[category];
  });
  return { ...shown, region, isLeftOut };
}

/** @param {Timeline} time @param {Uint32Array} image @param {number} width
 *  @param {Strip[]} strips of threads @param {Level} level */
export function drawLevel(time, image, width, strips, level) {
  const palette = levelPalette(time, level);
  const line = new Uint32Array(width);
  for (const strip of strips) {
    line.fill(palette.paper);
    for (const key of stackKeys(time.open, strip.of.loc)) {
      const found = bestFor(time.ranked, key);
      if (!found) continue;
      const scale = scaleOf(found.picture, time.window, width);
      paintLine(line, { ...strip, ...found }, scale, palette);
    }
    copyDown(image, width, strip, Array.from({ length: SEVENTHS }, () => line));
  }
}
