// The data that the page itself contains: it works from a disk, without a network. Of the trace it
// has pictures of the whole run and of the worst moments; what is finer needs `pompeii view`.

import { rowKey } from "./cache.js";
import { EDGES } from "./edges.js";
import { PARTS, ROW_LETTERS, isExact, isResumed, isSuspended, regionOf, shareOf } from "./decode.js";
import { estimatedTrees } from "./estimate.js";
import { EmbeddedMoments } from "./moments.js";
import { boxesOf, piecesOf } from "./pieces.js";
import { unpackPicture, unpackText } from "./unpack.js";

/** @typedef {import("./source.js").Source} Source */
/** @typedef {import("./source.js").Picture} Picture */
/** @typedef {import("./source.js").Opened} Opened */
/** @typedef {import("./source.js").Found} Found */
/** @typedef {{open: Opened, pictures: string[], instances: import("./source.js").Instance[],
 *   sums: number[][], moments?: import("./moments.js").Moment[]}} Embedded Sums of the whole run:
 *   location, region, ticks, visits. */
/** @typedef {{picture: Picture, rows: Map<string, number>, window: [number, number]}} Known */
/** @typedef {{begin: number, end: number, what: number}} Box */

/** A picture shows a moment if it is not much longer. */
const MOMENT_WIDTH = 4;

export class EmbeddedSource {
  /** @param {{text: string, isPacked: boolean}} data The JSON of the trees and the overview.
   *  @param {string | null} [first] The JSON of the begin of the overview.
   *  @param {string | null} [trace] The JSON of the timeline. */
  constructor(data, first, trace) {
    this.data = data;
    this.begin = first;
    this.trace = trace;
    /** @type {Known[]} the shortest window first */
    this.known = [];
    this.moments = new EmbeddedMoments([]);
  }

  /** Says that a page has only parts of the trace. @param {string} what */
  notHere(what) {
    return new Error(`${what} in this page for its worst moments only. ${this.command()}`);
  }

  command() {
    return `\`pompeii view ${this.embedded?.open.title ?? "EXP"}\` shows all.`;
  }

  get isWhole() {
    return false;
  }

  /** @type {Source["first"]} */
  async first() {
    return this.begin ? JSON.parse(this.begin) : null;
  }

  /** @returns {Promise<any>} */
  async cube() {
    if (this.data.isPacked) this.data = { text: await unpackText(this.data.text), isPacked: false };
    return JSON.parse(this.data.text);
  }

  /** @returns {Promise<Opened | null>} */
  async open() {
    if (!this.trace) return null;
    // What is known of a trace with many regions is packed.
    const { known, ...rest } = JSON.parse(this.trace);
    /** @type {Embedded} */
    const embedded = known ? { ...rest, ...JSON.parse(await unpackText(known)) } : rest;
    this.embedded = embedded;
    const pictures = await Promise.all(embedded.pictures.map(unpackPicture));
    this.known = pictures.map((picture) => ({
      picture,
      rows: new Map(picture.rows.map((row, at) => [rowKey(row), at])),
      window: spanOf(picture),
    })).sort((a, b) => a.window[1] - a.window[0] - (b.window[1] - b.window[0]));
    this.moments = new EmbeddedMoments(embedded.moments ?? []);
    return embedded.open;
  }

  /** Whether a moment has a picture of its own. @param {import("./source.js").Instance} instance */
  hasMoment({ start, end }) {
    return this.known.some(({ window: [t0, t1] }) => t0 <= start && end <= t1
      && t1 - t0 <= Math.max(end - start, 1) * MOMENT_WIDTH);
  }

  /** @returns {Promise<import("./source.js").Progress>} */
  async progress() {
    return { events: 0, of: 0, ready: true };
  }

  /** Boxes of a row that overlap a window. @param {string} key @param {[number, number]} window
   *  @returns {{boxes: Box[], binTicks: number}} */
  boxes(key, window) {
    const has = this.known.filter(({ rows }) => rows.has(key));
    const pieces = piecesOf(has, window);
    return {
      boxes: boxesOf(pieces, key),
      binTicks: Math.min(...pieces.map(({ of }) => of.picture.binTicks), Infinity),
    };
  }

  /** @type {Source["picture"]} */
  async picture({ rows, window }) {
    const keys = keysOf(rows);
    const all = keys.map((key) => this.boxes(key, window));
    const least = Math.min(...all.map((of) => of.binTicks));
    const binTicks = Number.isFinite(least) ? least : 1;
    const column = (/** @type {number} */ t) =>
      Math.round(((Math.min(Math.max(t, window[0]), window[1]) - window[0]) * PARTS) / binTicks);
    const flat = all.flatMap(({ boxes }) => boxes);
    let from = 0;
    return {
      isExact: false,
      binTicks,
      begin: window[0],
      rows: keys.map((key, at) => {
        const row = { ...rowOf(key), from, count: all[at].boxes.length };
        from += row.count;
        return row;
      }),
      x0: Uint32Array.from(flat, ({ begin }) => column(begin)),
      x1: Uint32Array.from(flat, ({ end }) => column(end)),
      what: Uint32Array.from(flat, ({ what }) => what),
      band: null,
    };
  }

  /** @type {Source["sums"]} */
  async sums({ window, by }) {
    const { open, sums } = /** @type {Embedded} */ (this.embedded);
    const isWhole = window[0] <= 0 && window[1] >= open.length;
    const cells = isWhole ? sums : this.estimated(window);
    const stateOf = (/** @type {number} */ region) => open.regions[region]?.state ?? 1;
    /** @type {Map<number, {key: number, ticks: number, visits: number, states: number[]}>} */
    const rows = new Map();
    for (const [location, region, ticks, visits] of cells) {
      const key = by === "region" ? region : by === "state" ? stateOf(region) : location;
      const row = rows.get(key) ?? { key, ticks: 0, visits: 0, states: [0, 0, 0, 0, 0] };
      row.ticks += ticks;
      row.visits += visits;
      row.states[stateOf(region)] += ticks;
      rows.set(key, row);
    }
    return { rows: [...rows.values()], exact: isWhole };
  }

  /** Sums from boxes: those of bins by their shares. @param {[number, number]} window
   *  @returns {number[][]} */
  estimated(window) {
    const { open } = /** @type {Embedded} */ (this.embedded);
    const inside = (/** @type {Box} */ { begin, end }) =>
      Math.max(0, Math.min(end, window[1]) - Math.max(begin, window[0]));
    return open.locations.flatMap((_, location) =>
      this.boxes(`f${location}`, window).boxes.map((box) => {
        const shares = [0, 1, 2, 3].map((state) => shareOf(box.what, state));
        const covered = isExact(box.what) ? 1 : shares.reduce((a, b) => a + b, 0) / 7;
        return [location, regionOf(box.what), Math.round(inside(box) * covered), 0];
      }));
  }

  /** @type {Source["at"]} */
  async at({ loc, t }) {
    const { open } = /** @type {Embedded} */ (this.embedded);
    const stack = [];
    for (let level = 0; level < open.locations[loc].stack_levels; level++) {
      const { boxes } = this.boxes(`s${loc}.${level}`, [t, t + 1]);
      const box = boxes.findLast(({ what }) => isExact(what));
      if (!box) break;
      stack.push({ region: regionOf(box.what), since: box.begin, end: box.end,
        resumed: isResumed(box.what), suspended: isSuspended(box.what) });
    }
    const path = stack.map(({ region }) => open.regions[region]?.label ?? "").join(" > ");
    const task = stack.findLast(({ region }) => open.regions[region]?.role === "task");
    const last = stack.at(-1);
    const waits = (this.embedded?.instances ?? []).filter((of) =>
      of.loc === loc && of.start <= t && t < of.end);
    return { stack, path, waits, edge: stack.length ? null : this.edgeAt(loc, t),
      task: task ? this.moments.taskAt(loc, t, task.region) : null,
      partners: last ? this.moments.partners(loc, last.since, last.end ?? last.since) : [] };
  }

  /** Startup or shutdown of a thread at a time. @param {number} loc @param {number} t
   *  @returns {import("./source.js").Edge | null} */
  edgeAt(loc, t) {
    const [, start, end, kind] = this.moments.gaps([t, t + 1])
      .find(([of, , , why]) => of === loc && why in EDGES) ?? [];
    return kind && start !== undefined && end !== undefined ? { kind, start, end } : null;
  }

  /** @type {Source["trees"]} */
  async trees({ window }) {
    const { open } = /** @type {Embedded} */ (this.embedded);
    return estimatedTrees(open, await this.cube(), (key, of) => this.boxes(key, of).boxes, window);
  }

  /** @type {Source["find"]} */
  async find(words) {
    const { open } = /** @type {Embedded} */ (this.embedded);
    const { from, back, name, file, longer } = words;
    const isWanted = (/** @type {number} */ region) => {
      const of = open.regions[region];
      return of && (name === undefined || `${of.name} ${of.label}`.includes(String(name)))
        && (file === undefined || `${of.file}:${of.line}`.endsWith(String(file)));
    };
    /** @type {Found | null} */
    let best = null;
    const isNearer = (/** @type {Box} */ { begin, end }) => (back
      ? end <= Number(from) && (!best || end > best.end)
      : begin >= Number(from) && (!best || begin < best.start));
    for (const { loc, box } of this.intervals(words.locs)) {
      if (isWanted(regionOf(box.what)) && box.end - box.begin >= Number(longer ?? 0)
        && isNearer(box)) {
        best = { loc, start: box.begin, end: box.end, region: regionOf(box.what) };
      }
    }
    return best ?? { none: true };
  }

  /** All exact intervals of a window. @param {string | number | undefined} locs
   *  @param {[number, number]} [window] */
  * intervals(locs, window) {
    const { open } = /** @type {Embedded} */ (this.embedded);
    const only = locs === undefined ? open.locations.keys()
      : keysOf(String(locs)).map(Number);
    for (const loc of only) {
      for (let level = 0; level < open.locations[loc].stack_levels; level++) {
        for (const box of this.boxes(`s${loc}.${level}`, window ?? [0, open.length]).boxes) {
          if (isExact(box.what)) yield { loc, box };
        }
      }
    }
  }

  files() {
    return [];
  }

  /** @type {Source["source"]} */
  async source() {
    throw new Error(`This page has no sources. ${this.command()}`);
  }

  async instances() {
    return this.embedded?.instances ?? [];
  }

  /** @type {Source["tasks"]} */
  async tasks({ window }) {
    return this.moments.tasks(window) ?? { creations: [], fragments: [], left_out: 0 };
  }

  /** @type {Source["gaps"]} */
  async gaps({ window }) {
    return { gaps: this.moments.gaps(window), left_out: 0 };
  }

  /** @type {Source["links"]} */
  async links({ kinds, window }) {
    const found = this.moments.links(kinds.split(","), window);
    if (!found) throw this.notHere("Lines are");
    return found;
  }

  /** @type {Source["curve"]} */
  async curve({ which, process, window }) {
    const found = this.moments.curve(which, process, window);
    if (!found) throw this.notHere("Curves are");
    return found;
  }

  /** @type {Source["counter"]} */
  async counter() {
    throw new Error(`This page has no counters. ${this.command()}`);
  }

  /** @type {Source["matrix"]} */
  async matrix({ window }) {
    const found = this.moments.links(["message"], window);
    if (!found?.links) throw this.notHere("Messages are");
    /** @type {Map<string, [number, number, number, number]>} */
    const pairs = new Map();
    for (const [, from, , to, end, bytes] of found.links) {
      if (end < window[0] || end >= window[1]) continue;
      const pair = pairs.get(`${from} ${to}`) ?? [from, to, 0, 0];
      pair[2] += 1;
      pair[3] += bytes;
      pairs.set(`${from} ${to}`, pair);
    }
    return { pairs: [...pairs.values()] };
  }

  /** @type {Source["histogram"]} */
  async histogram({ region, window, locs }) {
    /** @type {Map<number, [number, number, number]>} */
    const buckets = new Map();
    for (const { box: { begin, end, what } } of this.intervals(locs, window)) {
      if (regionOf(what) !== region || end <= window[0] || end > window[1]) continue;
      const log2 = Math.floor(Math.log2(Math.max(end - begin, 1)));
      const bucket = buckets.get(log2) ?? [log2, 0, 0];
      bucket[1] += 1;
      bucket[2] += Math.round(end - begin);
      buckets.set(log2, bucket);
    }
    return { buckets: [...buckets.values()].sort((a, b) => a[0] - b[0]),
      remark: "visits that are long enough to be seen in this page" };
  }
}

/** The time that a picture shows. @param {Picture} picture @returns {[number, number]} */
function spanOf({ begin, binTicks, x1 }) {
  let last = 0;
  for (const x of x1) last = Math.max(last, x);
  return [begin, begin + (last * binTicks) / PARTS];
}

/** The rows of a question, `f0-3,s1.0-2`, one by one. @param {string} text @returns {string[]} */
export function keysOf(text) {
  return text.split(",").flatMap((part) => {
    const [, prefix, from, to] = /^(.*?)(\d+)(?:-(\d+))?$/.exec(part) ?? ["", part, "0", "0"];
    const [first, last] = [Number(from), Number(to ?? from)];
    return Array.from({ length: last - first + 1 }, (_, at) => `${prefix}${first + at}`);
  });
}

/** @param {string} key */
function rowOf(key) {
  const [place, level = 0] = key.slice(1).split(".").map(Number);
  return { kind: ROW_LETTERS.indexOf(key[0]), place, level };
}
