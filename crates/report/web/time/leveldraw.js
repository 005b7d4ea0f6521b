// Draws threads as one level of the POMP paper's Figure 1 sees them: the open regions of the call
// stack from outside to inside, each in the colour of its category.

import { PARTS, isExact, regionOf } from "../source/decode.js";
import { bestFor } from "../source/cache.js";
import { categoryOf, startups, united } from "./levels.js";
import { cssColour, wordOf } from "./paint.js";
import { SEVENTHS, copyDown, paintLine, scaleOf } from "./raster.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./levels.js").Level} Level */
/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("./raster.js").Strip & {of: import("./rows.js").Row}} Strip */

/** Levels of the call stack that are looked at. */
const STACK_MAX = 16;
/** Threads of a process that are looked at for the begin of its parallel regions. */
const TEAM_MAX = 64;
/** Threads in one question. */
const THREADS = 8;

/** @param {Opened} open @param {number} loc */
function stackKeys(open, loc) {
  const levels = Math.min(open.locations[loc].stack_levels, STACK_MAX);
  return Array.from({ length: levels }, (_, level) => `s${loc}.${level}`);
}

/** What has to be asked for: the stacks of threads and of their masters. @param {Opened} open
 *  @param {import("./rows.js").Row[]} seen @returns {string[][]} */
export function levelKeys(open, seen) {
  const threads = seen.filter(({ kind }) => kind === "flat").map(({ loc }) => loc);
  const masters = threads.map((loc) => open.processes[open.locations[loc].process].first);
  const all = [...new Set([...threads, ...masters])].sort((a, b) => a - b);
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
    if (level.name === "parallel") edges(time, line, strip.of.loc);
    copyDown(image, width, strip, Array.from({ length: SEVENTHS }, () => line));
  }
}

/** Parallel intervals of a location in pictures, in the order of time. @param {Timeline} time
 *  @param {number} loc @returns {[number, number][]} */
function parallels(time, loc) {
  /** @type {[number, number][]} */
  const found = [];
  for (const key of stackKeys(time.open, loc)) {
    const best = bestFor(time.ranked, key);
    if (!best) continue;
    const { row, picture } = best;
    const at = (/** @type {number} */ x) => picture.begin + (x * picture.binTicks) / PARTS;
    for (let box = row.from; box < row.from + row.count; box++) {
      const isParallel = isExact(picture.what[box])
        && time.open.regions[regionOf(picture.what[box])]?.role === "parallel";
      if (isParallel) found.push([at(picture.x0[box]), at(picture.x1[box])]);
    }
    // Those inside of others are no parts of the same team.
    if (found.length) break;
  }
  return found.sort((a, b) => a[0] - b[0]);
}

/** Startup and shutdown of a thread in the regions of its process. @param {Timeline} time
 *  @param {Uint32Array} line @param {number} loc */
function edges(time, line, loc) {
  const { first, count } = time.open.processes[time.open.locations[loc].process];
  const team = Array.from({ length: Math.min(count, TEAM_MAX) }, (_, at) => first + at);
  const regions = united(team.flatMap((thread) => parallels(time, thread)));
  const { startup, shutdown } = startups(regions, parallels(time, loc));
  const [t0, t1] = time.window;
  const x = (/** @type {number} */ t) => Math.round(((t - t0) / (t1 - t0)) * line.length);
  for (const [variable, intervals] of /** @type {[string, [number, number][]][]} */ (
    [["--l-startup", startup], ["--l-shutdown", shutdown]])) {
    const colour = wordOf(cssColour(time.view.host, variable));
    for (const [start, end] of intervals) {
      line.fill(colour, Math.max(0, x(start)), Math.max(0, Math.min(line.length, x(end))));
    }
  }
}
