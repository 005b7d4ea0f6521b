// The keys of the timeline.

import { PARTS } from "../source/decode.js";
import { bestFor } from "../source/cache.js";
import { WINDOW_MIN, moved, zoomed } from "./axis.js";
import { walk } from "./lit.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const ZOOM = 1.6;
const PAN = 0.2;

/** @param {Timeline} time @param {import("./select.js").Selector} selector
 *  @param {import("../keys.js").Keys} keys @param {{find: () => void}} actions */
export function addCommands(time, selector, keys, actions) {
  const { state } = time;
  const isShown = () => state.now.view === "timeline";
  const length = Math.max(time.open.length, 1);
  const zoom = (/** @type {number} */ factor) => {
    const [t0, t1] = time.window;
    const at = [time.pointer, time.cursor?.t].find((t) => t !== undefined && t >= t0 && t <= t1)
      ?? (t0 + t1) / 2;
    time.show(zoomed(time.window, at, factor, length, WINDOW_MIN), "zoom");
  };
  const pan = (/** @type {number} */ share) =>
    time.show(moved(time.window, share * (time.window[1] - time.window[0]), length), "pan");
  keys.add("Timeline", isShown, [
    { keys: ["w", "+", "="], what: "zoom in", run: () => zoom(1 / ZOOM) },
    { keys: ["s", "-"], what: "zoom out", run: () => zoom(ZOOM) },
    { keys: ["a"], what: "move the window back", run: () => pan(-PAN) },
    { keys: ["d"], what: "move the window on", run: () => pan(PAN) },
    { keys: ["0"], what: "show the whole run", run: () => time.show([0, length]) },
    { keys: ["Backspace"], what: "undo the last step", run: () => history.back() },
    { keys: ["."], what: "zoom to what is selected", run: () => selector.zoomTo() },
    { keys: ["["], what: "previous interval of this region", run: () => selector.neighbour(true) },
    { keys: ["]"], what: "next interval of this region", run: () => selector.neighbour(false) },
    { keys: ["n"], what: "next interval of what stands out", run: () => walk(time, selector, false) },
    { keys: ["N"], what: "the one before", run: () => walk(time, selector, true) },
    { keys: ["p"], what: "go to the creator of the task", run: () => toCreator(time, selector) },
    { keys: ["o"], what: "open or close the call stack", run: () => selector.toggleStacks(false) },
    { keys: ["O"], what: "open or close all call stacks", run: () => selector.toggleStacks(true) },
    { keys: ["t"], what: "show the same as a table",
      run: () => state.set({ table: !state.now.table }) },
    { keys: ["h"], what: "hatch what waits", run: () => state.set({ hatch: !state.now.hatch }) },
    { keys: ["/"], what: "find", run: actions.find },
    { keys: ["Escape"], what: "select nothing", run: () => clear(time) },
  ]);
  const isFocused = () => isShown() && document.activeElement === time.view.stage;
  keys.add("Timeline, if it has the focus", isFocused, [
    { keys: ["ArrowUp"], what: "cursor to the thread above", run: () => moveRow(time, -1) },
    { keys: ["ArrowDown"], what: "cursor to the thread below", run: () => moveRow(time, 1) },
    { keys: ["ArrowLeft"], what: "cursor to the border before", run: () => moveBorder(time, -1) },
    { keys: ["ArrowRight"], what: "cursor to the next border", run: () => moveBorder(time, 1) },
    { keys: ["Enter", " "], what: "select what is at the cursor",
      run: () => selectCursor(time, selector) },
  ]);
  time.view.stage.addEventListener("focus", () => {
    cursorOf(time);
    time.redraw();
  });
  time.view.stage.addEventListener("blur", () => time.redraw());
}

/** @param {Timeline} time */
function clear(time) {
  time.measure = null;
  time.state.set({ sel: null, region: "", fade: "" });
  time.redraw();
}

/** @param {Timeline} time @param {import("./select.js").Selector} selector */
export function toCreator(time, selector) {
  const created = time.moment?.task?.created;
  if (!created) return;
  // No region: the innermost one of that moment.
  selector.goTo({ loc: created.loc, start: created.at, end: created.at + 1, region: -1 });
}

/** The cursor, which is made if there is none or it is out of sight. @param {Timeline} time */
function cursorOf(time) {
  const [t0, t1] = time.window;
  const { cursor } = time;
  if (cursor && cursor.t >= t0 && cursor.t <= t1) return cursor;
  const loc = cursor?.loc ?? time.state.now.sel?.loc ?? time.seen?.[0]?.loc ?? 0;
  time.cursor = { loc, t: (t0 + t1) / 2 };
  return time.cursor;
}

/** @param {Timeline} time @param {number} step */
function moveRow(time, step) {
  const cursor = cursorOf(time);
  const rows = time.rows.filter(({ kind }) => kind === "flat" || kind === "process");
  const at = rows.findIndex((row) => row === time.rowOf(cursor.loc));
  const next = rows[at + step];
  if (!next) return;
  time.cursor = { ...cursor, loc: next.loc };
  const { scroll } = time.view;
  if (next.y < scroll.scrollTop) scroll.scrollTop = next.y - 8;
  const below = next.y + next.height - scroll.clientHeight;
  if (below > scroll.scrollTop) scroll.scrollTop = below + 8;
  time.redraw();
}

/** Moves the cursor to the next border of a box that is told apart, and the window with it.
 *  @param {Timeline} time @param {number} step */
function moveBorder(time, step) {
  const cursor = cursorOf(time);
  const [t0, t1] = time.window;
  const least = ((t1 - t0) / time.width) * 3;
  const found = bestFor(time.ranked, time.rowOf(cursor.loc)?.key ?? "");
  let next = cursor.t + step * (t1 - t0) * 0.1;
  if (found) {
    const { picture, row } = found;
    for (let box = row.from; box < row.from + row.count; box++) {
      // Just inside of the box, so that Enter selects it.
      const t = picture.begin + (picture.x0[box] * picture.binTicks) / PARTS + least / 2;
      const isBetween = step > 0 ? t > cursor.t + least && t < next : t < cursor.t - least && t > next;
      if (isBetween) next = t;
    }
  }
  const length = Math.max(time.open.length, 1);
  time.cursor = { ...cursor, t: Math.min(Math.max(0, next), length - 1) };
  const out = time.cursor.t < t0 ? time.cursor.t - t0 : Math.max(0, time.cursor.t - t1);
  if (out) time.show(moved(time.window, out + step * (t1 - t0) * 0.25, length), "pan");
  time.redraw();
}

/** @param {Timeline} time @param {import("./select.js").Selector} selector */
function selectCursor(time, selector) {
  const cursor = cursorOf(time);
  const row = time.rowOf(cursor.loc);
  if (row) selector.select(row, cursor.t);
}
