// The pointer on the rows: a click selects, a drag chooses a range to zoom to, with Shift it measures,
// the wheel zooms, and with Shift (or sideways) it moves the window.

import { PARTS } from "../source/decode.js";
import { bestFor } from "../source/cache.js";
import { WINDOW_MIN, moved, zoomed } from "./axis.js";
import { rowAt } from "./rows.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

/** A drag that is shorter is a click. */
const CLICK_PX = 4;
/** A measured length sticks to borders that are as near as this. */
const STICKY_PX = 7;
/** How much a pixel of the wheel zooms. */
const WHEEL = 1.0018;
const LINE_PX = 16;

/** @param {Timeline} time @param {import("./select.js").Selector} selector */
export function listenToPointer(time, selector) {
  const { stage } = time.view;
  stage.addEventListener("wheel", (event) => onWheel(time, event), { passive: false });
  stage.addEventListener("pointerdown", (event) => onDown(time, selector, event));
  stage.addEventListener("dblclick", () => selector.zoomTo());
  stage.addEventListener("pointermove", (event) => {
    const { x } = placeOf(time, event);
    time.pointer = timeAt(time, x);
  });
  stage.addEventListener("pointerleave", () => { time.pointer = undefined; });
}

/** @param {Timeline} time @param {MouseEvent} event */
function placeOf(time, event) {
  const box = time.view.stage.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top + time.view.scroll.scrollTop };
}

/** @param {Timeline} time @param {number} x */
export function timeAt({ window: [t0, t1], width }, x) {
  return t0 + (Math.min(Math.max(x, 0), width) / width) * (t1 - t0);
}

/** @param {Timeline} time @param {WheelEvent} event */
function onWheel(time, event) {
  event.preventDefault();
  const scale = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
  const [dx, dy] = [event.deltaX * scale, event.deltaY * scale];
  const length = Math.max(time.open.length, 1);
  const isPan = event.shiftKey || Math.abs(dx) > Math.abs(dy);
  if (isPan) {
    const by = ((dx || dy) / time.width) * (time.window[1] - time.window[0]);
    time.show(moved(time.window, by, length), "pan");
    return;
  }
  // A pinch comes as a wheel with Ctrl, in small steps.
  const factor = WHEEL ** (dy * (event.ctrlKey ? 5 : 1));
  const at = timeAt(time, placeOf(time, event).x);
  time.show(zoomed(time.window, at, factor, length, WINDOW_MIN), "zoom");
}

/** @param {Timeline} time @param {import("./select.js").Selector} selector
 *  @param {PointerEvent} down */
function onDown(time, selector, down) {
  if (down.button !== 0) return;
  const { stage } = time.view;
  const start = placeOf(time, down);
  const isMeasure = down.shiftKey;
  let hasMoved = false;
  const at = (/** @type {{x: number, y: number}} */ place) =>
    (isMeasure ? stuck(time, place) : timeAt(time, place.x));
  time.measure = null;
  const move = (/** @type {PointerEvent} */ event) => {
    const place = placeOf(time, event);
    hasMoved ||= Math.abs(place.x - start.x) >= CLICK_PX;
    if (!hasMoved) return;
    time.measure = { from: at(start), to: at(place), isRange: !isMeasure };
    time.redraw();
  };
  const up = (/** @type {PointerEvent} */ event) => {
    stage.removeEventListener("pointermove", move);
    stage.removeEventListener("pointerup", up);
    const place = placeOf(time, event);
    if (!hasMoved) {
      const row = rowAt(time.rows, place.y);
      if (row) selector.select(row, timeAt(time, place.x));
    } else if (!isMeasure) {
      const range = [timeAt(time, start.x), timeAt(time, place.x)].sort((a, b) => a - b);
      time.measure = null;
      if (range[1] - range[0] >= WINDOW_MIN) time.show([range[0], range[1]]);
    }
    time.redraw();
  };
  stage.setPointerCapture(down.pointerId);
  stage.addEventListener("pointermove", move);
  stage.addEventListener("pointerup", up);
}

/** The time at a place, or the border of a box near it. @param {Timeline} time
 *  @param {{x: number, y: number}} place */
function stuck(time, { x, y }) {
  const t = timeAt(time, x);
  const row = rowAt(time.rows, y);
  const found = row && bestFor(time.ranked, row.key);
  if (!found) return t;
  const { picture, row: of } = found;
  let best = t;
  let distance = (STICKY_PX / time.width) * (time.window[1] - time.window[0]);
  for (let box = of.from; box < of.from + of.count; box++) {
    for (const column of [picture.x0[box], picture.x1[box]]) {
      const border = picture.begin + (column * picture.binTicks) / PARTS;
      if (Math.abs(border - t) < distance) {
        distance = Math.abs(border - t);
        best = border;
      }
    }
  }
  return best;
}
