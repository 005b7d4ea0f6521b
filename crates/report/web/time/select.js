// Selecting: an interval of a row by pointer or keys, its neighbours, a moment from elsewhere.

import { around } from "./axis.js";
import { latest } from "./latest.js";
import { locationName } from "./rows.js";
import { shownOf, spoken } from "./words.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./fields.js").Selection} Selection */

export class Selector {
  /** @param {Timeline} time @param {(moment: import("../source/source.js").Moment | null,
   *  error: Error | null) => void} onMoment */
  constructor(time, onMoment) {
    this.time = time;
    this.onMoment = onMoment;
    /** Selects a call path in the trees. @type {(path: string) => void} */
    this.lookAt = () => {};
    this.ask = latest((/** @type {Selection} */ { loc, t }, signal) =>
      time.source.at({ loc, t }, signal), (moment, error) => this.take(moment, error), 0);
    time.state.subscribe(["sel"], () => this.follow());
    this.follow();
  }

  follow() {
    const { sel } = this.time.state.now;
    if (sel) this.ask(sel);
    else this.take(null, null);
  }

  /** @param {import("../source/source.js").Moment | null} moment @param {Error | null} error */
  take(moment, error) {
    const { time } = this;
    const { sel } = time.state.now;
    time.moment = sel ? moment : null;
    if (moment && sel) {
      const text = spoken(time.open, sel.loc, shownOf(moment, sel.level), time.window,
        moment.edge);
      time.view.live.textContent = text;
      // What stands out because it is selected in the trees stays so.
      if (time.state.now.fade !== "trees") this.lookAt(labelsOf(time.open, moment, sel.level));
    }
    this.onMoment(time.moment, error);
    time.redraw();
  }

  /** Selects what a row shows at a time. @param {import("./rows.js").Row} row @param {number} t */
  select(row, t) {
    if (row.kind === "curve" || row.kind === "counter") return;
    const level = row.kind === "stack" ? row.level : -1;
    this.time.cursor = { loc: row.loc, t };
    this.time.state.set({ sel: { loc: row.loc, level, t: Math.floor(t) } });
  }

  /** The selected interval. @returns {{loc: number, since: number, end: number,
   *  region: number} | null} */
  interval() {
    const { moment, state, open } = this.time;
    const of = moment && state.now.sel ? shownOf(moment, state.now.sel.level) : undefined;
    return of
      ? { loc: state.now.sel.loc, since: of.since, end: of.end ?? open.length, region: of.region }
      : null;
  }

  /** Shows the selected interval with some of its surroundings. */
  zoomTo() {
    const of = this.interval();
    if (of) this.time.show(around(of.since, of.end, this.time.open.length));
  }

  /** The next or previous interval of the same region and thread. @param {boolean} back */
  async neighbour(back) {
    const { time } = this;
    const of = this.interval();
    if (!of) return;
    const { name } = time.open.regions[of.region] ?? { name: "" };
    const from = back ? of.since : of.end;
    const locs = String(of.loc);
    this.goTo(await findFrom(time, { name, locs, from: Math.floor(from), back: back ? 1 : 0 }));
  }

  /** Selects what was found, and shows it. @param {import("../source/source.js").Found | null} of */
  async goTo(of) {
    const { time } = this;
    if (!of) {
      time.view.live.textContent = "There is no other one.";
      return;
    }
    this.reveal(of.loc);
    const [t0, t1] = time.window;
    if (of.start < t0 || of.end > t1) {
      const size = Math.max(t1 - t0, (of.end - of.start) * 1.2);
      const middle = (of.start + of.end) / 2;
      time.show(around(middle - size / 2.4, middle + size / 2.4, time.open.length));
    }
    time.state.set({ sel: { loc: of.loc, ...await placeOf(time, of) } });
  }

  /** Scrolls to a thread, whose process is unfolded. @param {number} loc */
  reveal(loc) {
    const { time } = this;
    const { process } = time.open.locations[loc];
    if (!time.rows.some(({ key }) => key === `f${loc}`) && time.open.processes.length > 1) {
      const { folded, unfolded } = time.state.now;
      const word = String(process);
      time.state.set({ folded: folded.filter((/** @type {string} */ it) => it !== word),
        unfolded: [...unfolded, word] }, { replace: true });
    }
    const row = time.rowOf(loc);
    const { scroll } = time.view;
    if (!row) return;
    if (row.y < scroll.scrollTop) scroll.scrollTop = row.y - 8;
    else if (row.y + row.height > scroll.scrollTop + scroll.clientHeight) {
      scroll.scrollTop = row.y + row.height - scroll.clientHeight + 8;
    }
  }

  /** Shows a moment of a finding: its interval, its thread, its region.
   *  @param {import("../source/source.js").Instance} instance */
  showInstance({ loc, start, end, path }) {
    const { time } = this;
    time.state.set({ view: "timeline", region: regionOf(time.open, path), fade: "", t: around(start, end, time.open.length)
      .map(Math.round), sel: { loc, level: -1, t: Math.floor((start + end) / 2) } });
    this.reveal(loc);
  }

  /** Opens or closes the call stack of the selected thread, or of all of them.
   *  @param {boolean} all */
  toggleStacks(all) {
    const { open, state, cursor } = this.time;
    const loc = state.now.sel?.loc ?? cursor?.loc ?? 0;
    const name = locationName(open, loc);
    const { stacks } = state.now;
    if (all) {
      const names = open.locations.map((_, at) => locationName(open, at));
      state.set({ stacks: stacks.length ? [] : names.slice(0, ALL_MAX) });
    } else {
      const others = stacks.filter((/** @type {string} */ other) => other !== name);
      state.set({ stacks: others.length < stacks.length ? others : [...stacks, name] });
    }
  }
}

/** Stacks that are opened at once. */
const ALL_MAX = 128;
/** Questions until a search gives up. */
const SEARCHES_MAX = 200;

/** The labels of the regions down to a level of the call stack, with ` > ` between.
 *  @param {import("../source/source.js").Opened} open
 *  @param {import("../source/source.js").Moment} moment @param {number} level */
function labelsOf({ regions }, { stack }, level) {
  const open = level < 0 ? stack : stack.slice(0, level + 1);
  return open.map(({ region }) => regions[region]?.label ?? "").join(" > ");
}

/** The name of the region that a call path ends with: names with `/` between, or labels with ` > `.
 *  @param {import("../source/source.js").Opened} open @param {string} path */
function regionOf({ regions }, path) {
  const ends = regions.filter(({ name, label }) =>
    path === name || path.endsWith(`/${name}`) || path.endsWith(` > ${label}`));
  // A name may have a `/` in it: the longest one is meant.
  return ends.reduce((best, { name }) => (name.length > best.length ? name : best), "");
}

/** A time within what was found at which it is open, and its level of the call stack then; -1 is the
 *  innermost one. A task may be suspended later on, and a picture may not have the very begin.
 *  @param {Timeline} time @param {import("../source/source.js").Found} of */
async function placeOf(time, { loc, region, start, end }) {
  for (const share of [0, 1 / 16, 1 / 2]) {
    const t = Math.floor(start + share * (end - start));
    try {
      const { stack } = await time.source.at({ loc, t });
      const level = stack.findLastIndex((open) => open.region === region);
      if (level >= 0) return { t, level: level === stack.length - 1 ? -1 : level };
    } catch {
      // The answer to the selection itself says why.
      break;
    }
  }
  return { t: Math.floor((start + end) / 2), level: -1 };
}

/** Asks until a search has an end. @param {Timeline} time
 *  @param {Record<string, string | number>} words
 *  @returns {Promise<import("../source/source.js").Found | null>} */
export async function findFrom(time, words) {
  let query = words;
  for (let asked = 0; asked < SEARCHES_MAX; asked++) {
    let answer;
    try {
      answer = await time.source.find(query);
    } catch (error) {
      time.note(/** @type {Error} */ (error));
      return null;
    }
    if ("none" in answer) return null;
    if (!("searching" in answer)) return answer;
    time.view.live.textContent = "Searching …";
    query = { ...query, from: answer.from };
  }
  return null;
}
