// What the address has of the timeline: times in seconds, threads as process and thread, regions by
// their names, so that a person can read and change it.

import { flagField, choiceField, listField, textField } from "../state.js";
import { LEVELS } from "./levels.js";
import { locationName, locationNamed } from "./rows.js";

/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("../source/source.js").Window} Window */
/** @typedef {{loc: number, level: number, t: number}} Selection level -1: innermost region */

/** The most digits after the point of a second. */
const DIGITS_MAX = 12;

/** A time in seconds, with as many digits as tell it from its neighbours. @param {number} ticks
 *  @param {number} rate */
function secondsText(ticks, rate) {
  for (let digits = 0; digits < DIGITS_MAX; digits++) {
    const text = (ticks / rate).toFixed(digits);
    if (Math.round(Number(text) * rate) === ticks) return text;
  }
  return (ticks / rate).toFixed(DIGITS_MAX);
}

/** The window; null is the whole run. @param {Opened} open
 *  @returns {import("../state.js").Field<Window | null>} */
function windowField({ ticks_per_second: rate, length }) {
  return {
    fallback: null,
    parse: (text) => {
      const parts = /^([\d.]+)-([\d.]+)$/.exec(text)?.slice(1) ?? [];
      const [begin, end] = parts.map((part) => Math.round(Number(part) * rate));
      const isWindow = begin >= 0 && end > begin && begin < length;
      return isWindow ? [begin, Math.min(end, length)] : undefined;
    },
    write: (window) =>
      (window ? window.map((t) => secondsText(Math.round(t), rate)).join("-") : ""),
  };
}

/** What is selected: `0.2@1.25`, with the level of the call stack after `/`.
 *  @param {Opened} open @returns {import("../state.js").Field<Selection | null>} */
function selectionField(open) {
  const rate = open.ticks_per_second;
  return {
    fallback: null,
    parse: (text) => {
      const [, name, time, level] = /^([\d.]+)@([\d.]+)(?:\/(\d+))?$/.exec(text) ?? [];
      const loc = name === undefined ? -1 : locationNamed(open, name);
      if (loc < 0) return undefined;
      return { loc, t: Math.round(Number(time) * rate), level: level ? Number(level) : -1 };
    },
    write: (of) => (of
      ? `${locationName(open, of.loc)}@${secondsText(Math.floor(of.t), rate)}`
        + `${of.level < 0 ? "" : `/${of.level}`}`
      : ""),
  };
}

/** @param {Opened} open @returns {string[]} */
function usualCurves({ has, processes }) {
  return has.tasks && processes.length === 1 ? ["ready", "waiting"] : [];
}

/** @param {Opened} open */
export function timeFields(open) {
  return {
    t: windowField(open),
    sel: selectionField(open),
    region: textField(),
    // What stands out: the region above, or what is selected in the trees.
    fade: choiceField(["", "trees"]),
    stacks: listField(),
    folded: listField(),
    unfolded: listField(),
    recorded: flagField(),
    // Without ready tasks threads wait: both curves together show it at a glance.
    curves: { ...listField(), fallback: usualCurves(open) },
    counters: listField(),
    links: listField(),
    level: choiceField(LEVELS.map(({ name }) => name)),
    hatch: flagField(),
    table: flagField(),
  };
}
