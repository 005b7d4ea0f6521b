// The overview of a difference of two reports: values have signs, and nothing is to be fixed.

import { el } from "../dom.js";
import { count, seconds, signed } from "../format.js";

/** A number with its sign, in the colour of more or of less. @param {number} value
 *  @param {string} text */
const change = (value, text) =>
  el(`td.number.${value > 0 ? "more" : "less"}`, {}, signed(value, text));

/** CPU time by what it was spent on, as a difference. @param {any} raw */
export function differences(raw) {
  const parts = raw.allocation.filter((/** @type {any} */ part) => part.time_s !== 0);
  const total = parts.reduce((/** @type {number} */ sum, /** @type {any} */ part) =>
    sum + part.time_s, 0);
  const word = total > 0 ? "more" : "less";
  const rows = parts.map((/** @type {any} */ part) => el("tr", {},
    el("td.swatch", {}, el(`i.part-${part.name}`)), el("td", {}, part.title),
    change(part.time_s, seconds(part.time_s))));
  return el("div.card", {},
    el("h2", {}, `CPU time: ${seconds(Math.abs(total))} ${word} in the first report`),
    el("table.parts", {}, el("tbody", {}, ...rows)));
}

/** The regions that differ most. @param {any} raw */
export function changed(raw) {
  const rows = raw.changed.slice(0, 15).map(
    (/** @type {[string, number, number]} */ [name, time, visits]) => el("tr", {},
      el("td", {}, name), change(time, seconds(time)),
      el("td.number", {}, signed(visits, count(visits)))));
  return el("div.card", {}, el("h2", {}, "Largest differences"),
    el("table.details", {}, el("thead", {}, el("tr", {}, el("th", {}, "region"),
      el("th.number", {}, "own time"), el("th.number", {}, "visits"))),
      el("tbody", {}, ...rows)));
}
