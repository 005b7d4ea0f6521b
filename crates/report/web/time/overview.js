// The whole run as a strip, with the window marked: drag it to move it, its edges to resize it, and
// elsewhere to choose a new one.

import { rowsText } from "../source/cache.js";
import { PROCESS } from "../source/decode.js";
import { WINDOW_MIN, moved } from "./axis.js";
import { EDGE_THREADS_MAX, drawSharedEdges } from "./edges.js";
import { FADED } from "./paint.js";
import { raster } from "./raster.js";
import { threadsInOrder, threadsOf } from "./rows.js";
import { sized } from "./view.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const HEIGHT = 46;
const ROWS_MAX = 46;
const EDGE_PX = 6;

export class Overview {
  /** @param {Timeline} time */
  constructor(time) {
    this.time = time;
    /** @type {import("../source/source.js").Picture | null} */
    this.picture = null;
    /** Startup and shutdown of its threads, among others. @type {import("../source/source.js").Gap[]} */
    this.gaps = [];
    this.asked = "";
    /** @type {HTMLCanvasElement | null} */
    this.drawn = null;
    time.view.strip.addEventListener("pointerdown", (event) => this.onDown(event));
  }

  /** Draws the picture anew, because colours or sizes have changed. */
  forget() {
    this.drawn = null;
  }

  rowsText() {
    const { open } = this.time;
    const { processes } = open;
    if (processes.length > 1) return `p0-${Math.min(processes.length, ROWS_MAX) - 1}`;
    return rowsText(threadsInOrder(open).slice(0, ROWS_MAX).map((loc) => `f${loc}`));
  }

  /** The threads of a row. @param {import("../source/source.js").PictureRow} row */
  threadsOf({ kind, place }) {
    return kind === PROCESS ? threadsOf(this.time.open, place) : [place];
  }

  async ask() {
    const { width, source, open } = this.time;
    const rows = this.rowsText();
    const px = Math.min(4096, Math.round(width * (devicePixelRatio || 1)));
    const question = `${rows}/${px >> 6}`;
    if (question === this.asked || !open.locations.length) return;
    this.asked = question;
    try {
      const window = /** @type {[number, number]} */ ([0, Math.max(open.length, 1)]);
      const picture = await source.picture({ rows, window, px });
      const threads = picture.rows.flatMap((row) => this.threadsOf(row));
      const locs = rowsText(threads.sort((a, b) => a - b).map(String));
      const isFew = threads.length <= EDGE_THREADS_MAX;
      this.gaps = isFew ? (await source.gaps({ locs, window, px })).gaps : [];
      this.picture = picture;
      this.drawn = null;
      this.time.redraw();
    } catch {
      // The rows below say what is wrong; the next frame asks again.
      this.asked = "";
    }
  }

  draw() {
    this.ask();
    const { width, view } = this.time;
    const { context } = sized(view.strip, width, HEIGHT);
    if (this.drawn?.width !== view.strip.width) this.drawn = null;
    this.drawn ??= this.drawRun(view.strip.width, view.strip.height);
    if (this.drawn) context.drawImage(this.drawn, 0, 0, width, HEIGHT);
    const [x0, x1] = this.edges();
    context.fillStyle = this.time.ink("--t-veil");
    context.globalAlpha = 0.55;
    context.fillRect(0, 0, x0, HEIGHT);
    context.fillRect(x1, 0, width - x1, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = this.time.ink("--accent");
    context.lineWidth = 2;
    context.strokeRect(x0 + 1, 1, Math.max(1, x1 - x0 - 2), HEIGHT - 2);
  }

  /** @param {number} width @param {number} height */
  drawRun(width, height) {
    const { picture, time } = this;
    if (!picture) return null;
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = context.createImageData(width, height);
    const words = new Uint32Array(image.data.buffer);
    const { shown } = time.palette();
    words.fill(shown.paper);
    const gap = picture.rows.length > 16 ? 0 : 1;
    const each = height / Math.max(picture.rows.length, 1);
    const strips = picture.rows.map((row, at) => ({ row, picture, y: Math.round(at * each),
      height: Math.max(1, Math.round((at + 1) * each) - Math.round(at * each) - gap) }));
    const window = /** @type {[number, number]} */ ([0, Math.max(time.open.length, 1)]);
    raster(words, width, strips, window, shown);
    context.putImageData(image, 0, 0);
    context.globalAlpha = time.lit() ? FADED : 1;
    for (const strip of strips) {
      const threads = new Set(this.threadsOf(strip.row));
      drawSharedEdges(context, { ...strip, width, window, threads }, this.gaps,
        (variable) => time.ink(variable));
    }
    return canvas;
  }

  /** Where the window is. @returns {[number, number]} */
  edges() {
    const { width, window, open } = this.time;
    const x = (/** @type {number} */ t) => (t / Math.max(open.length, 1)) * width;
    return [x(window[0]), Math.max(x(window[1]), x(window[0]) + 3)];
  }

  /** @param {PointerEvent} down */
  onDown(down) {
    const { time } = this;
    const { strip } = time.view;
    const length = Math.max(time.open.length, 1);
    const left = strip.getBoundingClientRect().left;
    const timeAt = (/** @type {PointerEvent} */ event) =>
      Math.min(length, Math.max(0, ((event.clientX - left) / time.width) * length));
    const [x0, x1] = this.edges();
    const x = down.clientX - left;
    const [t0, t1] = time.window;
    const from = timeAt(down);
    const near = (/** @type {number} */ edge) => Math.abs(x - edge) <= EDGE_PX;
    /** @type {(t: number) => [number, number]} */
    let change = (t) => [from, t];
    if (near(x0)) change = (t) => [t, t1];
    else if (near(x1)) change = (t) => [t0, t];
    else if (x > x0 && x < x1 && t1 - t0 < length) change = (t) => moved([t0, t1], t - from, length);
    const move = (/** @type {PointerEvent} */ event) => {
      const [a, b] = change(timeAt(event));
      if (Math.abs(b - a) >= WINDOW_MIN) time.show([Math.min(a, b), Math.max(a, b)], "strip");
    };
    const up = () => {
      strip.removeEventListener("pointermove", move);
      strip.removeEventListener("pointerup", up);
    };
    strip.setPointerCapture(down.pointerId);
    strip.addEventListener("pointermove", move);
    strip.addEventListener("pointerup", up);
  }
}
