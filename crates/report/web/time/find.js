// Find: by the name of a region, `task_1_47`, `file.c:12`, or `>2ms` for long intervals.

import { el } from "../dom.js";
import { findFrom } from "./select.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

/** @type {Record<string, number>} */
const UNITS = { s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6, ns: 1e-9 };

/** What a text asks for, in the words of a question. Parts with blanks between them all hold:
 *  `>2ms barrier`. @param {string} text @param {number} rate ticks per second
 *  @returns {Record<string, string | number> | null} */
export function findWords(text, rate) {
  /** @type {Record<string, string | number>} */
  const words = {};
  let rest = text.trim();
  const length = /(?:^|\s)>\s*([\d.]+)\s*(s|ms|us|µs|ns)(?=\s|$)/.exec(rest);
  if (length) {
    words.longer = Math.round(Number(length[1]) * UNITS[length[2]] * rate);
    rest = rest.replace(length[0], " ").trim();
  }
  if (/^task_\d+_\d+$/.test(rest)) words.task = rest;
  else if (/^\S+:\d+$/.test(rest)) words.file = rest;
  else if (rest) words.name = rest;
  return Object.keys(words).length ? words : null;
}

/** The field; returns it. @param {Timeline} time @param {import("./select.js").Selector} selector */
export function makeFind(time, selector) {
  const field = /** @type {HTMLInputElement} */ (el("input.find", {
    type: "search", placeholder: "Find: region, task_0_7, a.c:12, >2ms",
    "aria-label": "Find a region, task_0_7, file.c:12, or >2ms in the timeline", size: 36,
  }));
  const search = async (/** @type {boolean} */ back) => {
    const words = findWords(field.value, time.open.ticks_per_second);
    if (!words) return;
    const of = selector.interval();
    const from = of ? (back ? of.since : of.end) : back ? time.window[1] : time.window[0];
    selector.goTo(await findFrom(time, { ...words, from: Math.floor(from), back: back ? 1 : 0 }));
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      search(event.shiftKey);
    } else if (event.key === "Escape") {
      time.view.stage.focus();
    }
  });
  const button = (/** @type {string} */ text, /** @type {string} */ title,
    /** @type {boolean} */ back) => el("button", { title, "aria-label": title,
    onclick: () => search(back) }, text);
  const host = el("span.finder", {}, field, button("↑", "Find the previous one", true),
    button("↓", "Find the next one", false));
  return { host, focus: () => field.focus() };
}
