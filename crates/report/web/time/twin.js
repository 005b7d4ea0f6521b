// The same as the picture as a table, for those who do not see it: the states of each thread in the
// window.

import { el, fillWith } from "../dom.js";
import { percent } from "../format.js";
import { lengthText } from "./axis.js";
import { rounded } from "./followers.js";
import { latest } from "./latest.js";
import { STATES } from "./paint.js";
import { threadText, threadsInOrder } from "./rows.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const ROWS_MAX = 400;

/** @param {Timeline} time */
export function addTwin(time) {
  const { view, open, state } = time;
  const ask = latest((/** @type {any} */ question, signal) => time.source.sums(question, signal),
    (answer, _, { window }) => answer && render(time, answer, window), 120);
  const show = () => {
    view.twin.hidden = !state.now.table;
    view.scroll.hidden = state.now.table;
    time.redraw();
  };
  state.subscribe(["table"], show);
  show();
  time.onFrame(() => {
    if (!state.now.table || !open.locations.length) return;
    ask({ locs: `0-${open.locations.length - 1}`, window: rounded(time.window), by: "location" });
  });
}

/** @param {Timeline} time @param {any} answer @param {[number, number]} window */
function render(time, answer, [t0, t1]) {
  const { open, view } = time;
  const rate = open.ticks_per_second;
  const order = [1, 2, 3, 4, 0];
  const of = new Map(answer.rows.map((/** @type {any} */ row) => [row.key, row]));
  const all = threadsInOrder(open).flatMap((loc) => of.get(loc) ?? []);
  const rows = all.slice(0, ROWS_MAX).map((/** @type {any} */ row) => {
    const cells = order.map((state) => el("td.number", {}, row.states
      ? percent(row.states[state] / (t1 - t0)) : "–"));
    return el("tr", {}, el("th", { scope: "row" }, threadText(open, row.key)), ...cells);
  });
  const left = all.length - ROWS_MAX;
  fillWith(view.twin,
    el("p", {}, `From ${lengthText(t0 / rate)} to ${lengthText(t1 / rate)} after the begin. `
      + "Key t shows the picture again."),
    el("table.details", { tabindex: 0 },
      el("caption.unseen", {}, "Share of the window by thread and state"),
      el("thead", {}, el("tr", {}, el("th", {}, "thread"), ...order.map((state) =>
        el("th.number", {}, STATES[state].title)))),
      el("tbody", {}, ...rows)),
    left > 0 ? el("p", {}, `${left} more threads: zoom by folding processes.`) : null);
}
