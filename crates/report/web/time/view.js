// The parts of the timeline in the page: tools, the whole run as a strip, the axis, the rows with
// their names, and the column at the side.

import { el } from "../dom.js";

/** Width of the names of rows, in CSS pixels. */
export const NAMES_PX = 132;

const KEYS_TEXT = "Timeline. Arrow keys move the cursor, Enter selects, w and s zoom, a and d move "
  + "the window, 0 shows the whole run, t opens the same as a table, and ? lists all keys.";

/** @param {HTMLElement} host */
export function buildView(host) {
  const canvas = (/** @type {string} */ kind) =>
    /** @type {HTMLCanvasElement} */ (el(`canvas.${kind}`, { "aria-hidden": "true" }));
  const [pixels, ink, axis, strip] = ["pixels", "ink", "axis", "strip"].map(canvas);
  const parts = {
    tools: el("div.time-tools", { role: "toolbar", "aria-label": "Timeline" }),
    stripBox: el("div.time-strip", { title: "Drag the window to move it, its edges to resize it" },
      strip),
    names: el("div.time-names"),
    space: el("div.time-space"),
    stage: el("div.time-stage", { role: "application", tabindex: 0, "aria-label": KEYS_TEXT,
      "aria-roledescription": "timeline" }, pixels, ink),
    live: el("div.time-live", { "aria-live": "polite" }),
    side: el("aside.time-side", { "aria-label": "This window and what is selected" }),
    twin: el("div.time-twin", { hidden: "" }),
    below: el("div.time-below", { hidden: "" }),
    note: el("div.time-note", { role: "status", hidden: "" }),
  };
  const sheet = el("div.time-sheet", {}, parts.names, parts.stage);
  const scroll = el("div.time-scroll", { tabindex: -1 }, parts.space, sheet);
  const top = el("div.time-top", {}, el("div.time-whole", {}, "whole run"), parts.stripBox,
    el("div"), axis);
  const main = el("div.time-main", {}, top, scroll, parts.twin, parts.below, parts.note);
  host.replaceChildren(parts.tools, el("div.time-body", {}, main, parts.side), parts.live);
  return { ...parts, host, main, top, scroll, sheet, pixels, ink, axis, strip };
}

/** @typedef {ReturnType<typeof buildView>} View */

/** A canvas as large as it is shown, in device pixels, drawn in CSS pixels.
 *  @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
export function sized(canvas, width, height) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, ratio };
}
