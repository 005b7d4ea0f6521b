// How long each thread computes in the code for which others wait, as bars in the card of a finding.

import { el } from "../dom.js";
import { seconds } from "../format.js";
import { more, table } from "./tables.js";

/** Few threads stay in their order; of more, those that compute longest come first. */
const IN_ORDER = 8;

/** The thread as sentences have it: `rank 1 thread 3`. @param {any} raw @param {number} at */
export function threadWords(raw, at) {
  const { name, process } = raw.locations[at];
  const thread = name === "Master thread" ? "thread 0" : name.replace(/^OMP thread /, "thread ");
  return raw.processes.length < 2 ? thread : `rank ${raw.ranks[process].rank} ${thread}`;
}

/** The threads with their times, as they are shown. @param {any} raw @param {number[]} times
 *  @returns {[string, number][]} */
export function timesByThread(raw, times) {
  /** @type {[string, number][]} */
  const rows = times.map((time, at) => [threadWords(raw, at), time]);
  return rows.length > IN_ORDER ? rows.sort((a, b) => b[1] - a[1]) : rows;
}

/** @param {any} raw @param {{region: number, computing_s: number[]}} of */
function codeTimes(raw, { region, computing_s }) {
  const most = computing_s.reduce((most, time) => Math.max(most, time), 0);
  const rows = timesByThread(raw, computing_s);
  const part = (/** @type {number} */ from, /** @type {number} */ to) => table(
    [`Computing in ${raw.regions[region].label}`, "time"],
    rows.slice(from, to).map(([thread, time]) => {
      const bar = el("i.level");
      bar.style.width = `${most > 0 ? Math.max(0, time / most) * 100 : 0}%`;
      return el("tr", {}, el("td", {}, thread),
        el("td.number.levelled", {}, bar, el("span", {}, seconds(time))));
    }));
  return el("div.code-times", {}, part(0, IN_ORDER),
    rows.length > IN_ORDER
      ? more(rows.length - IN_ORDER, () => [part(IN_ORDER, rows.length)]) : null);
}

/** Those of a finding. @param {any} raw @param {any} finding */
export const allCodeTimes = (raw, finding) =>
  finding.code_times.map((/** @type {any} */ of) => codeTimes(raw, of));
