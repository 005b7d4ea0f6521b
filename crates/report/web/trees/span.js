// Which part of the run the trees show: all of it, or the window of the timeline.

import { el, fillWith, prose } from "../dom.js";
import { clockText, lengthText, unitFor } from "../time/axis.js";
import { latest } from "../time/latest.js";
import { treesInSteps } from "./steps.js";
import { windowData } from "./window.js";

/** @typedef {import("../state.js").State<any>} State */
/** @typedef {import("../source/source.js").Window} Window */

/** The window rests before it is asked for, because an answer reads all of its events. */
const PAUSE_MS = 300;

/** A choice between the whole run and the window, above the trees.
 *  @param {ReturnType<typeof import("./view.js").renderTrees>} trees
 *  @param {import("../source/source.js").Source} source
 *  @param {import("../source/source.js").Opened} open @param {State} state */
export function followWindow(trees, source, open, state) {
  const whole = trees.panes.data;
  const run = el("button", { role: "radio", onclick: () => state.set({ of: "run" }) }, "Whole run");
  const part = /** @type {HTMLButtonElement} */ (el("button", { role: "radio",
    onclick: () => state.set({ of: "window" }) }));
  const choice = el("span.choice", { role: "radiogroup", "aria-label": "Part of the run" }, run, part);
  const note = el("span.quiet", { role: "status" });
  fillWith(trees.span, choice, note);
  choice.addEventListener("keydown", ({ key }) => {
    if (!/^Arrow/.test(key) || part.disabled) return;
    const next = state.now.of === "run" ? part : run;
    next.click();
    next.focus();
  });
  const drawTimes = (/** @type {any} */ times) => {
    const { data, metrics } = trees.panes;
    // Zeros of a property that is not known yet would be wrong.
    if (times.unknown?.includes(data.metrics[metrics.focused].name)) return;
    trees.become(windowData(whole, times));
    note.textContent = "reading the events for waiting …";
  };
  const ask = latest(async (/** @type {Window | null} */ window, signal) =>
    (window ? treesInSteps(source, window, signal, drawTimes) : null), (raw, error) => {
    // Another question has taken the place of this one.
    if (/** @type {any} */ (error)?.status === 409) return;
    fillWith(note, ...prose(error?.message ?? raw?.remark ?? ""));
    const isSame = !raw && trees.panes.data === whole;
    if (!error && !isSame) trees.become(raw ? windowData(whole, raw) : whole);
  }, PAUSE_MS);
  const show = () => {
    const { of, t } = state.now;
    const isWindow = of === "window" && t !== null;
    run.setAttribute("aria-checked", String(!isWindow));
    part.setAttribute("aria-checked", String(isWindow));
    run.tabIndex = isWindow ? -1 : 0;
    part.tabIndex = isWindow ? 0 : -1;
    part.disabled = t === null;
    part.textContent = t ? windowText(open, t) : "Window";
    part.title = t ? "What happened in the window of the timeline"
      : "Zoom in the timeline to choose a window";
    if (isWindow && trees.panes.data === whole) note.textContent = "reading the events …";
    ask(isWindow ? t : null);
  };
  state.subscribe(["of", "t"], show);
  show();
}

/** @param {import("../source/source.js").Opened} open @param {Window} window */
function windowText({ ticks_per_second: rate, length }, [t0, t1]) {
  const [step, unit] = [(t1 - t0) / rate / 100, unitFor(length / rate)];
  return `${clockText(t0 / rate, step, unit)} … ${clockText(t1 / rate, step, unit)} `
    + `(${lengthText((t1 - t0) / rate)})`;
}
