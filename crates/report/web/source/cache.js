// Pictures that are here, and those that are on their way. A wanted window is widened and aligned, so
// that the next step of a pan or a zoom finds its picture here. Until an answer comes, the best older
// picture is drawn stretched: the timeline is never blank and never waits.

import { RECORDED, ROW_LETTERS, STACK } from "./decode.js";

/** @typedef {import("./source.js").Window} Window */
/** @typedef {{id: string, window: Window, picture: import("./source.js").Picture,
 *   rows: Map<string, number>}} Entry */

const ENTRIES_MAX = 64;
/** The most columns that a source gives. */
const PX_MAX = 4096;
const RETRY_MS = 400;

/** The window to ask for: up to three times as wide, and the same one for all windows near by.
 *  @param {Window} window @param {number} length of the run @returns {Window} */
export function widened([t0, t1], length) {
  const unit = 2 ** Math.ceil(Math.log2(Math.max(t1 - t0, 2)));
  const begin = Math.floor(t0 / (unit / 2)) * (unit / 2);
  return [Math.max(0, begin), Math.min(Math.max(length, 1), begin + 1.5 * unit)];
}

/** The name of a picture's row in questions.
 *  @param {{kind: number, place: number, level: number}} row */
export function rowKey({ kind, place, level }) {
  const hasLevels = kind === STACK || kind === RECORDED;
  return `${ROW_LETTERS[kind]}${place}${hasLevels ? `.${level}` : ""}`;
}

/** Rows as a question has them: `f0-3,s1.0-2`. @param {string[]} keys */
export function rowsText(keys) {
  /** @type {{prefix: string, from: number, to: number}[]} */
  const runs = [];
  for (const key of keys) {
    const [, prefix, digits] = /^(.*?)(\d+)$/.exec(key) ?? ["", key, "0"];
    const number = Number(digits);
    const last = runs.at(-1);
    if (last && last.prefix === prefix && last.to + 1 === number) last.to = number;
    else runs.push({ prefix, from: number, to: number });
  }
  return runs.map(({ prefix, from, to }) =>
    (from === to ? `${prefix}${from}` : `${prefix}${from}-${to}`)).join(",");
}

export class PictureCache {
  /** @param {import("./source.js").Source} source @param {number} length of the run
   *  @param {() => void} onArrival @param {(error: Error | null) => void} onError */
  constructor(source, length, onArrival, onError) {
    this.source = source;
    this.length = length;
    this.onArrival = onArrival;
    this.onError = onError;
    /** @type {Map<string, Entry>} the least recently used one first */
    this.entries = new Map();
    /** @type {Map<string, AbortController>} */
    this.pending = new Map();
  }

  /** Says what is to be drawn: groups of rows in a window with a number of columns. Questions that
   *  nothing needs any more are given up.
   *  @param {string[][]} groups @param {Window} window @param {number} px */
  want(groups, window, px) {
    const wide = widened(window, this.length);
    const columns = Math.min(PX_MAX, Math.round(px * (wide[1] - wide[0]) / (window[1] - window[0])));
    const wanted = new Map(groups.map((keys) => {
      const rows = rowsText(keys);
      return [`${rows}@${wide[0]}-${wide[1]}/${columns >> 6}`, rows];
    }));
    for (const [id, controller] of this.pending) {
      if (!wanted.has(id)) {
        controller.abort();
        this.pending.delete(id);
      }
    }
    for (const [id, rows] of wanted) {
      const entry = this.entries.get(id);
      if (entry) {
        this.entries.delete(id);
        this.entries.set(id, entry);
      } else if (!this.pending.has(id)) {
        this.ask(id, rows, wide, columns);
      }
    }
  }

  /** @param {string} id @param {string} rows @param {Window} window @param {number} px */
  async ask(id, rows, window, px) {
    const controller = new AbortController();
    this.pending.set(id, controller);
    try {
      const picture = await this.source.picture({ rows, window, px }, controller.signal);
      const keys = new Map(picture.rows.map((row, index) => [rowKey(row), index]));
      this.entries.set(id, { id, window, picture, rows: keys });
      for (const old of this.entries.keys()) {
        if (this.entries.size <= ENTRIES_MAX) break;
        this.entries.delete(old);
      }
      this.onError(null);
    } catch (error) {
      if (!controller.signal.aborted) {
        this.onError(/** @type {Error} */ (error));
        setTimeout(() => this.onArrival(), RETRY_MS * 5);
      }
    } finally {
      if (this.pending.get(id) === controller) this.pending.delete(id);
    }
    if (!controller.signal.aborted) this.onArrival();
  }

  /** Entries in the order in which they suit a window: those that cover all of it first, the finest
   *  of them first; then those that cover most of it. @param {Window} window */
  ranked([t0, t1]) {
    const covered = (/** @type {Entry} */ { window }) =>
      Math.max(0, Math.min(t1, window[1]) - Math.max(t0, window[0])) / (t1 - t0);
    const scored = [...this.entries.values()].map((entry) => ({ entry, share: covered(entry) }));
    return scored.filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share || a.entry.picture.binTicks - b.entry.picture.binTicks)
      .map(({ entry }) => entry);
  }
}

/** The best picture for a row. @param {Entry[]} ranked @param {string} key */
export function bestFor(ranked, key) {
  for (const entry of ranked) {
    const index = entry.rows.get(key);
    if (index !== undefined) return { picture: entry.picture, row: entry.picture.rows[index] };
  }
  return null;
}
