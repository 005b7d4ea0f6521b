// More about the window: who sent how much to whom, and how long the visits of a region take.

import { el, prose } from "../dom.js";
import { count, percent } from "../format.js";
import { lengthText } from "./axis.js";
import { rounded } from "./followers.js";
import { latest } from "./latest.js";
import { threadText } from "./rows.js";
import { regionText } from "./words.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const PAUSE_MS = 250;
/** Sides of a matrix that is drawn; larger ones are sorted lists. */
const MATRIX_MAX = 24;
const PAIRS = 12;

/** @param {Timeline} time @param {HTMLElement} host */
export function addExtra(time, host) {
  const matrix = el("div.block");
  const histogram = el("div.block");
  host.replaceChildren(histogram, matrix);
  const askMatrix = latest((/** @type {[number, number]} */ window, signal) =>
    time.source.matrix({ window }, signal),
  (answer, error) => renderMatrix(time, matrix, answer?.pairs ?? [], error), PAUSE_MS);
  const askHistogram = latest((/** @type {any} */ of, signal) => time.source.histogram(of, signal),
    (answer, error, { region }) =>
      renderHistogram(time, histogram, region, answer?.buckets ?? [], answer?.remark ?? error?.message),
    PAUSE_MS);
  time.onFrame(() => {
    const window = rounded(time.window);
    if (time.open.has.messages) askMatrix(window);
    const { region: name } = time.state.now;
    const region = name ? time.open.regions.findIndex((of) => of.name === name) : -1;
    if (region >= 0) {
      askHistogram({ region, window, locs: `0-${time.open.locations.length - 1}` });
    } else histogram.replaceChildren();
    host.hidden = !time.open.has.messages && region < 0;
  });
}

/** @param {Timeline} time @param {HTMLElement} host @param {number} region
 *  @param {number[][]} buckets @param {string} remark */
function renderHistogram(time, host, region, buckets, remark = "visits that end in this window") {
  const rate = time.open.ticks_per_second;
  const all = buckets.reduce((sum, [, visits]) => sum + visits, 0);
  const most = Math.max(...buckets.map(([, visits]) => visits), 1);
  const bins = buckets.map(([log2, visits, ticks]) => {
    const bar = el("i");
    bar.style.height = `${Math.max(2, (visits / most) * 100)}%`;
    const below = lengthText(2 ** (log2 + 1) / rate);
    const title = `${count(visits)} visits (${percent(visits / Math.max(all, 1))}) take `
      + `${lengthText(2 ** log2 / rate)} to ${below}, together ${lengthText(ticks / rate)}`;
    return el("div.bin", { title }, el("span.share", {}, percent(visits / Math.max(all, 1))),
      el("div.column", {}, bar), el("span.below", {}, `< ${below}`));
  });
  host.replaceChildren(el("h2", {}, "Durations of ", regionText(time.open, region)),
    el("figure.histogram", {}, el("div.bins", {}, ...bins),
      el("figcaption", {}, "Across: duration of a visit, each column up to the time below it. "
        + `Up: share of the ${count(all)} ${remark}, in percent.`)));
}

/** @param {Timeline} time @param {HTMLElement} host @param {number[][]} pairs
 *  @param {Error | null} error */
function renderMatrix(time, host, pairs, error) {
  const places = [...new Set(pairs.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
  const bytes = (/** @type {number} */ value) => (value >= 1e6 ? `${(value / 1e6).toFixed(1)} MB`
    : value >= 1e3 ? `${(value / 1e3).toFixed(1)} kB` : `${value} B`);
  const title = el("h2", {}, "Messages ",
    el("span.quiet", {}, "their number; rows send to columns, darker with more bytes"));
  if (!pairs.length) {
    host.replaceChildren(title, el("p.quiet", {},
      ...prose(error?.message ?? "No message ends in this window.")));
    return;
  }
  if (places.length > MATRIX_MAX) {
    const largest = [...pairs].sort((a, b) => b[3] - a[3]).slice(0, PAIRS);
    host.replaceChildren(title, el("ol", {}, ...largest.map(([from, to, messages, size]) =>
      el("li", {}, `${threadText(time.open, from)} to ${threadText(time.open, to)}: `
        + `${count(messages)} messages, ${bytes(size)}`))));
    return;
  }
  const of = new Map(pairs.map(([from, to, messages, size]) => [`${from} ${to}`, [messages, size]]));
  const most = Math.max(...pairs.map((pair) => pair[3]), 1);
  const cell = (/** @type {number} */ from, /** @type {number} */ to) => {
    const [messages, size] = of.get(`${from} ${to}`) ?? [0, 0];
    const box = el("td", { title: messages ? `${threadText(time.open, from)} to `
      + `${threadText(time.open, to)}: ${count(messages)} messages, ${bytes(size)}` : null },
    messages ? count(messages) : "");
    if (messages) box.style.setProperty("--share", `${Math.round(12 + 60 * (size / most))}%`);
    return box;
  };
  const name = (/** @type {number} */ loc) => String(time.open.processes.length > 1
    ? time.open.locations[loc].process : loc);
  host.replaceChildren(title, el("table.matrix", {},
    el("tr", {}, el("td"), ...places.map((to) => el("th", { scope: "col" }, name(to)))),
    ...places.map((from) => el("tr", {}, el("th", { scope: "row" }, name(from)),
      ...places.map((to) => cell(from, to))))));
}
