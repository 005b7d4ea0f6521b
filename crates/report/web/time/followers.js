// What follows the window when it rests: curves, counters, lines between rows, names of tasks.

import { rowsText } from "../source/cache.js";
import { crowdText } from "./crowd.js";
import { EDGE_THREADS_MAX } from "./edges.js";
import { latest } from "./latest.js";
import { threadsOf } from "./rows.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("../source/source.js").Window} Window */
/** @typedef {import("../source/source.js").Curve} Curve */
/** @typedef {import("../source/source.js").Link} Link */

const PAUSE_MS = 120;
const LINKS_MAX = 2000;
const TASKS_MAX = 5000;

/** @type {Record<string, string>} */
const CURVE_COLOURS = {
  ready: "--t-computing", running: "--t-computing", waiting: "--t-waiting", idle: "--idle",
};

export class Followers {
  /** @param {Timeline} time */
  constructor(time) {
    this.time = time;
    /** @type {Map<string, Curve>} by the key of a row */
    this.known = new Map();
    /** @type {Map<string, (question: any) => void>} */
    this.asking = new Map();
    /** @type {import("../source/source.js").Gap[]} */
    this.gaps = [];
    /** @type {Link[]} */
    this.shownLinks = [];
    /** Numbers of lines by bin and pair of locations, if there are too many.
     *  @type {{counts: number[][], binTicks: number}} */
    this.crowd = { counts: [], binTicks: 1 };
    /** @type {Map<number, {start: number, end: number, name: string}[]>} */
    this.fragments = new Map();
    const { source } = time;
    this.askLinks = latest(
      async (/** @type {{kinds: string, window: Window}} */ of, signal) =>
        (of.kinds ? source.links({ ...of, max: LINKS_MAX }, signal) : {}),
      (answer, error) => this.onLinks(answer, error), PAUSE_MS);
    this.askTasks = latest(
      (/** @type {Window} */ window, signal) => source.tasks({ window, max: TASKS_MAX }, signal),
      (answer) => this.onTasks(answer), PAUSE_MS);
    this.askGaps = latest(
      async (/** @type {{locs: string, window: Window, px: number}} */ of, signal) =>
        (of.locs ? source.gaps(of, signal) : { gaps: [] }),
      (answer) => {
        this.gaps = answer?.gaps ?? [];
        time.redraw();
      }, PAUSE_MS);
  }

  follow() {
    const { time } = this;
    const window = rounded(time.window);
    for (const row of time.seen) {
      if (row.kind === "curve" || row.kind === "counter") this.askCurve(row, window);
    }
    this.askLinks({ kinds: time.state.now.links.join(","), window });
    if (time.open.has.tasks) this.askTasks(window);
    this.askGaps({ locs: rowsText(this.gapThreads()), window, px: Math.round(time.width) });
  }

  /** Threads whose gaps are drawn: those of rows that are seen, and all of a process that is seen.
   *  @returns {string[]} */
  gapThreads() {
    const { seen, open } = this.time;
    const own = new Set(seen.filter(({ kind }) => kind === "flat").map(({ loc }) => loc));
    const all = seen.filter(({ kind }) => kind === "process")
      .flatMap(({ process }) => threadsOf(open, process));
    if (all.length <= EDGE_THREADS_MAX) all.forEach((loc) => own.add(loc));
    return [...own].sort((a, b) => a - b).map(String);
  }

  /** @param {import("./rows.js").Row} row @param {Window} window */
  askCurve(row, window) {
    let ask = this.asking.get(row.key);
    if (!ask) {
      ask = latest((of, signal) => this.curveOf(row, of, signal), (curve) => {
        if (curve) this.known.set(row.key, curve);
        this.time.redraw();
      }, PAUSE_MS);
      this.asking.set(row.key, ask);
    }
    ask({ window, px: Math.min(2000, Math.round(this.time.width)) });
  }

  /** @param {import("./rows.js").Row} row @param {{window: Window, px: number}} of
   *  @param {AbortSignal} signal */
  curveOf(row, of, signal) {
    const { source } = this.time;
    if (row.kind === "counter") {
      return source.counter({ name: row.label, loc: row.loc, ...of }, signal);
    }
    const which = row.key.slice(1, row.key.lastIndexOf("."));
    return source.curve({ which, process: row.process, ...of }, signal);
  }

  /** Curves of rows that are seen. */
  curves() {
    return (this.time.seen).flatMap((row) => {
      const curve = this.known.get(row.key);
      if (!curve) return [];
      const which = row.key.slice(1, row.key.lastIndexOf("."));
      const variable = row.kind === "counter" ? "--t-mpi" : CURVE_COLOURS[which];
      return [{ row, curve, variable, most: this.mostOf(row.key) ?? 0 }];
    });
  }

  /** The largest value of a curve in its window; null if it is not known. @param {string} key */
  mostOf(key) {
    const curve = this.known.get(key);
    return curve ? curve.max.reduce((a, b) => Math.max(a, b), 0) : null;
  }

  /** @param {import("../source/source.js").Links | null} answer @param {Error | null} error */
  onLinks(answer, error) {
    this.shownLinks = answer?.links ?? [];
    this.crowd = { counts: answer?.counts ?? [], binTicks: 2 ** (answer?.bin_log2 ?? 0) };
    const text = this.crowd.counts.length
      ? crowdText(this.crowd.counts, answer?.left_out ?? 0) : "";
    this.time.remark(error?.message ?? text);
    this.time.redraw();
  }

  /** @param {import("../source/source.js").Tasks | null} answer */
  onTasks(answer) {
    this.fragments.clear();
    for (const [loc, start, end, thread, number] of answer?.fragments ?? []) {
      const of = this.fragments.get(loc) ?? [];
      of.push({ start, end, name: `task_${thread}_${number}` });
      this.fragments.set(loc, of);
    }
    this.time.redraw();
  }

  /** The name of the task that a box of a task region belongs to. @param {number} region
   *  @param {number} loc @param {number} begin of the box */
  taskName(region, loc, begin) {
    if (this.time.open.regions[region]?.role !== "task") return null;
    const [t0, t1] = this.time.window;
    // A box begins up to a part of a bin before the task does.
    const slack = (t1 - t0) / 1000;
    const found = this.fragments.get(loc)?.find(({ start, end }) =>
      start <= begin + slack && end > begin + slack);
    return found?.name ?? null;
  }

  /** Lines of what is selected. @returns {Link[]} */
  ownLinks() {
    const { moment, state } = this.time;
    const { sel } = state.now;
    if (!moment || !sel) return [];
    /** @type {Link[]} */
    const own = moment.partners.map(({ kind, loc, at }) => {
      const of = moment.stack.at(-1);
      return [kind, sel.loc, of?.end ?? sel.t, loc, at, 0];
    });
    const { created, fragments } = moment.task ?? { created: null, fragments: [] };
    if (created && fragments.length) {
      own.push(["task", created.loc, created.at, fragments[0].loc, fragments[0].start, 0]);
    }
    for (let at = 1; at < fragments.length; at++) {
      const [one, next] = [fragments[at - 1], fragments[at]];
      own.push(["task", one.loc, one.end, next.loc, next.start, 0]);
    }
    return own;
  }
}

/** @param {Window} window @returns {Window} */
export function rounded([t0, t1]) {
  return [Math.floor(t0), Math.ceil(t1)];
}
