// The timeline: keeps what is shown, asks for pictures, and draws. Everything that is asked for the
// window (sums, links, curves) follows when it rests.

import { fillWith, prose } from "../dom.js";
import { PictureCache, bestFor } from "../source/cache.js";
import { EDGES } from "../source/edges.js";
import { clockText, digitsFor, roundTimes, unitFor } from "./axis.js";
import { bundles, drawBundles } from "./crowd.js";
import { drawSharedEdges } from "./edges.js";
import { Followers } from "./followers.js";
import {
  drawCurve, drawEdge, drawGap, drawGrid, drawLinks, drawMarkers, drawMeasure, drawNames, drawSelection, xOf,
} from "./ink.js";
import { LEVELS, hasEdges as levelHasEdges } from "./levels.js";
import { drawLevel, levelKeys } from "./leveldraw.js";
import { litOf } from "./lit.js";
import { renderNames } from "./names.js";
import { Overview } from "./overview.js";
import { FADED, STATES, cssColour, palette, shaded, wordOf } from "./paint.js";
import { Pixels } from "./pixels.js";
import { hatch, raster } from "./raster.js";
import { layout, threadsOf, visible } from "./rows.js";
import { NAMES_PX, buildView, sized } from "./view.js";
import { regionParts, shownOf } from "./words.js";

/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("../source/source.js").Window} Window */
/** @typedef {import("./rows.js").Row} Row */

/** Rows are asked for in groups, so that scrolling asks for new ones only. */
const GROUP = 32;
/** Space above the note below the rows, and the least height of the rows. */
const NOTE_GAP_PX = 8;
const ROOM_MIN_PX = 80;
/** A window rests after this time, and becomes a step in the history. In milliseconds. */
const REST_MS = 160;

export class Timeline {
  /** @param {HTMLElement} host @param {import("../source/source.js").Source} source
   *  @param {Opened} open @param {import("../state.js").State<any>} state */
  constructor(host, source, open, state) {
    this.source = source;
    this.open = open;
    this.state = state;
    this.view = buildView(host);
    /** @type {Window} */
    this.window = state.now.t ?? [0, Math.max(open.length, 1)];
    /** @type {{loc: number, t: number} | null} the cursor of the keyboard */
    this.cursor = null;
    /** @type {{from: number, to: number, isRange: boolean} | null} */
    this.measure = null;
    /** @type {import("../source/source.js").Moment | null} */
    this.moment = null;
    /** @type {import("../source/source.js").Instance[]} */
    this.instances = [];
    /** @type {number | undefined} the time below the pointer */
    this.pointer = undefined;
    /** @type {Row[]} rows of the last frame */
    this.seen = [];
    /** @type {import("../source/cache.js").Entry[]} pictures of the last frame, the best first */
    this.ranked = [];
    /** @type {Map<string, HTMLElement>} */
    this.nameElements = new Map();
    /** Rows whose names are shown. @type {import("./names.js").Shown[]} */
    this.namesShown = [];
    /** @type {{shown: import("./raster.js").Palette, faded: import("./raster.js").Palette,
     *   ink: number, css: Map<string, string>} | null} */
    this.colours = null;
    /** Names of boxes by region. @type {Map<number, string>} */
    this.shortNames = new Map();
    /** What is selected in the trees. @type {() => import("./lit.js").Chosen | null} */
    this.chosen = () => null;
    /** @type {import("./lit.js").Lit | null | undefined} undefined if it has to be found out */
    this.litNow = undefined;
    /** Regions that stand out, those with the most time in the window. @type {number[]} */
    this.walked = [];
    /** @type {(() => void)[]} */
    this.frameActs = [];
    /** @type {(() => void)[]} */
    this.recolourActs = [];
    this.pixels = new Pixels();
    /** @type {Row[]} all rows */
    this.rows = [];
    /** @type {Map<string, Row>} */
    this.rowsByKey = new Map();
    this.width = 0;
    this.height = 0;
    /** Height that there is for rows. */
    this.room = 600;
    this.isDrawing = false;
    this.timer = 0;
    this.error = "";
    this.remarked = "";
    const redraw = () => this.redraw();
    this.cache = new PictureCache(source, open.length, redraw, (error) => this.note(error));
    this.overview = new Overview(this);
    this.followers = new Followers(this);
    this.relayout();
    this.listen();
  }

  listen() {
    const { state, view } = this;
    const observer = new ResizeObserver(() => this.resize());
    [view.scroll, view.main].forEach((part) => observer.observe(part));
    view.scroll.addEventListener("scroll", () => this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
    state.subscribe(["t"], ({ t }) => {
      this.window = t ?? [0, Math.max(this.open.length, 1)];
      this.redraw();
    });
    state.subscribe(["theme", "palette", "region", "fade", "level", "hatch"], () => this.recolour());
    state.subscribe(["stacks", "folded", "unfolded", "curves", "counters", "recorded"], () => {
      this.relayout();
      this.redraw();
    });
    state.subscribe(["links", "view"], () => this.redraw());
  }

  /** What is not as expected, below the rows. @param {Error | null} error */
  note(error) {
    this.error = error?.message ?? "";
    this.showNote();
  }

  /** What is to be known of the lines that are drawn. @param {string} text */
  remark(text) {
    this.remarked = text;
    this.showNote();
  }

  showNote() {
    const text = this.error || this.remarked;
    this.view.note.hidden = !text;
    fillWith(this.view.note, ...prose(text));
    this.resize();
  }

  resize() {
    const { scroll, main, top, note } = this.view;
    const { clientWidth: width } = scroll;
    const room = main.clientHeight - top.offsetHeight - note.offsetHeight - NOTE_GAP_PX;
    if (!width || (width === this.width + NAMES_PX && room === this.room)) return;
    this.width = Math.max(50, width - NAMES_PX);
    this.room = room;
    this.relayout();
    this.redraw();
  }

  /** Calls `act` after each frame. @param {() => void} act */
  onFrame(act) {
    this.frameActs.push(act);
  }

  relayout() {
    const { rows, height } = layout(this.open, this.state.now, this.room);
    this.rows = rows;
    // What the rows do not need is for what stands below them.
    this.height = Math.max(ROOM_MIN_PX, Math.min(this.room, height));
    this.view.scroll.style.height = `${this.height}px`;
    this.view.sheet.style.height = `${this.height}px`;
    this.rowsByKey = new Map(rows.map((row) => [row.key, row]));
    this.view.space.style.height = `${height}px`;
  }

  /** Calls `act` after each change of colours or of what stands out. @param {() => void} act */
  onRecolour(act) {
    this.recolourActs.push(act);
  }

  recolour() {
    this.colours = null;
    this.litNow = undefined;
    this.overview.forget();
    for (const act of this.recolourActs) act();
    this.redraw();
  }

  /** What stands out while all else fades; null if nothing does. */
  lit() {
    if (this.litNow === undefined) {
      const { region, fade } = this.state.now;
      this.litNow = litOf(this.open, region, fade === "trees" ? this.chosen() : null);
    }
    return this.litNow;
  }

  /** Whether a row has threads that stand out. @param {Row} row */
  isLit({ kind, process, loc }) {
    const locations = this.lit()?.locations;
    if (!locations) return true;
    if (kind !== "process") return locations.has(loc);
    const { first, count } = this.open.processes[process];
    return Array.from({ length: count }, (_, at) => first + at).some((of) => locations.has(of));
  }

  /** The colours of the theme, with one region or all of them. */
  palette() {
    if (this.colours) return this.colours;
    const { host } = this.view;
    const { regions } = this.open;
    const states = STATES.map(({ variable }) => cssColour(host, variable));
    const lit = this.lit();
    const paper = cssColour(host, "--t-paper");
    this.colours = {
      shown: palette(regions, states, paper, lit && ((at) => lit.regions.has(at))),
      faded: palette(regions, states, paper, () => false),
      ink: wordOf(shaded(states[2], -0.35)),
      /** @type {Map<string, string>} */
      css: new Map(),
    };
    return this.colours;
  }

  /** @param {string} variable @returns {string} */
  ink(variable) {
    const { css } = this.palette();
    const known = css.get(variable);
    if (known) return known;
    const alpha = variable === "--t-band" ? ", 0.13" : "";
    const found = `rgba(${cssColour(this.view.host, variable).join(", ")}${alpha || ", 1"})`;
    css.set(variable, found);
    return found;
  }

  /** Shows a window at once; it becomes a step of the history when it rests.
   *  @param {Window} window @param {string} [kind] */
  show(window, kind = "") {
    this.window = window;
    this.redraw();
    clearTimeout(this.timer);
    const keep = () => {
      const isWhole = this.window[0] <= 0 && this.window[1] >= this.open.length;
      const t = /** @type {Window} */ (this.window.map(Math.round));
      this.state.set({ t: isWhole ? null : t }, { kind });
    };
    if (kind) this.timer = setTimeout(keep, REST_MS);
    else keep();
  }

  redraw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      if (this.state.now.view === "timeline" && this.width) this.draw();
    });
  }

  draw() {
    const begin = performance.now();
    const { view, width, height } = this;
    const top = view.scroll.scrollTop;
    this.seen = visible(this.rows, top, height);
    const level = this.level();
    this.cache.want(this.groups(level), this.window, Math.round(width * pixelRatio()));
    this.ranked = this.cache.ranked(this.window);
    this.drawPixels(top, level);
    const { context } = sized(view.ink, width, height);
    /** @type {import("./ink.js").Sheet} */
    const sheet = { context, width, height, window: this.window, top,
      ink: (variable) => this.ink(variable) };
    this.drawAbove(sheet);
    this.drawAxis();
    renderNames(this, top);
    this.overview.draw();
    this.followers.follow();
    for (const act of this.frameActs) act();
    performance.measure("timeline frame", { start: begin, end: performance.now() });
  }

  level() {
    return LEVELS.find(({ name }) => name === this.state.now.level) ?? LEVELS[0];
  }

  /** Rows to ask for, in groups with neighbours of those that are seen.
   *  @param {import("./levels.js").Level} level */
  groups(level) {
    const isPicture = (/** @type {Row} */ { kind }) => kind !== "curve" && kind !== "counter";
    const all = this.rows.filter(isPicture);
    const seen = new Set(this.seen);
    const groups = [];
    for (let at = 0; at < all.length; at += GROUP) {
      const rows = all.slice(at, at + GROUP);
      if (rows.some((row) => seen.has(row))) groups.push(rows.map(({ key }) => key));
    }
    if (level.categories.length) groups.push(...levelKeys(this.open, this.seen));
    return groups;
  }

  /** What a box has room for. @param {number} region */
  shortName(region) {
    const known = this.shortNames.get(region);
    if (known !== undefined) return known;
    const { what, where } = regionParts(this.open, region);
    const name = where ? `${what}  ${where}` : what;
    this.shortNames.set(region, name);
    return name;
  }

  /** Rows that are seen and have a picture. @returns {(import("./raster.js").Strip & {of: Row})[]} */
  strips() {
    const { ranked } = this;
    return this.seen.flatMap((row) => {
      const found = bestFor(ranked, row.key);
      return found ? [{ ...found, of: row, y: row.y, height: row.height }] : [];
    });
  }

  /** @param {number} top @param {import("./levels.js").Level} level */
  drawPixels(top, level) {
    const { context, ratio } = sized(this.view.pixels, this.width, this.height);
    const { width, height } = this.view.pixels;
    const colours = this.palette();
    const strips = this.strips().map((strip) => ({ ...strip,
      y: Math.round((strip.of.y - top) * ratio), height: Math.round(strip.of.height * ratio) }));
    const words = this.pixels.take(context, width, height, strips);
    const isFlat = (/** @type {{of: Row}} */ { of }) => of.kind === "flat";
    const asStates = level.categories.length ? strips.filter((strip) => !isFlat(strip)) : strips;
    const [lit, faded] = [true, false].map((is) => asStates.filter(({ of }) => this.isLit(of) === is));
    raster(words, width, lit, this.window, colours.shown);
    raster(words, width, faded, this.window, colours.faded);
    if (level.categories.length) {
      drawLevel(this, words, width, strips.filter(isFlat), level);
    }
    if (this.state.now.hatch) {
      const waiting = new Set([colours.shown.states[1]]);
      this.open.regions.forEach(({ state }, at) =>
        state === 2 && waiting.add(colours.shown.region[at]));
      hatch(words, width, waiting, colours.ink, Math.round(8 * ratio));
    }
    this.pixels.put(context);
  }

  /** @param {import("./ink.js").Sheet} sheet */
  drawAbove(sheet) {
    const rate = this.open.ticks_per_second;
    const { times } = this.ticks();
    drawGrid(sheet, times.map((time) => time * rate));
    const colours = this.palette().shown;
    const nameOf = (/** @type {number} */ region, /** @type {Row} */ row,
      /** @type {number} */ begin) =>
      this.followers.taskName(region, row.loc, begin) ?? this.shortName(region);
    const isStates = this.level().categories.length === 0;
    for (const strip of this.strips()) {
      if (isStates || strip.of.kind === "stack") drawNames(sheet, strip, colours, nameOf);
    }
    this.drawGaps(sheet);
    this.followers.curves().forEach(({ row, curve, variable, most }) =>
      drawCurve(sheet, row, curve, variable, most));
    drawLinks(sheet, this.followers.shownLinks, (loc) => this.rowOf(loc));
    this.drawCrowd(sheet);
    drawLinks(sheet, this.followers.ownLinks(), (loc) => this.rowOf(loc));
    drawMarkers(sheet, this.instances.map(({ start, end }) => (start + end) / 2), "--accent");
    this.drawMarks(sheet);
  }

  /** Times without regions. Startup and shutdown belong to parallel regions, so levels that show
   *  other constructs leave them out. @param {import("./ink.js").Sheet} sheet */
  drawGaps(sheet) {
    const hasEdges = levelHasEdges(this.level());
    if (hasEdges) this.drawSharedEdges(sheet);
    for (const gap of this.followers.gaps) {
      const [loc, , , kind] = gap;
      const row = this.rowOf(loc);
      if (row?.kind !== "flat") continue;
      if (!(kind in EDGES)) drawGap(sheet, row, gap);
      else if (hasEdges) drawEdge(sheet, row, gap, this.isLit(row) && !this.state.now.region);
    }
  }

  /** Startup and shutdown in the rows of processes. @param {import("./ink.js").Sheet} sheet */
  drawSharedEdges({ context, width, window, top, ink }) {
    for (const row of this.seen) {
      if (row.kind !== "process") continue;
      context.globalAlpha = this.isLit(row) && !this.state.now.region ? 1 : FADED;
      const threads = new Set(threadsOf(this.open, row.process));
      drawSharedEdges(context, { y: row.y - top, height: row.height, width, window, threads },
        this.followers.gaps, ink);
    }
    context.globalAlpha = 1;
  }

  /** Lines that are too many to draw each. @param {import("./ink.js").Sheet} sheet */
  drawCrowd(sheet) {
    const { counts, binTicks } = this.followers.crowd;
    if (!counts.length) return;
    const all = bundles(counts, binTicks, (t) => xOf(sheet, t), (loc) => this.rowOf(loc));
    drawBundles(sheet, all, this.state.now.links);
  }

  /** Selection, cursor and measured length. @param {import("./ink.js").Sheet} sheet */
  drawMarks(sheet) {
    const { sel } = this.state.now;
    const of = this.moment && sel ? shownOf(this.moment, sel.level) : undefined;
    const row = sel && (this.rowOf(sel.loc, sel.level) ?? this.rowOf(sel.loc));
    const edge = this.moment?.edge;
    if (of && row) drawSelection(sheet, row, of.since, of.end ?? this.open.length);
    else if (edge && row) drawSelection(sheet, row, edge.start, edge.end);
    const at = this.cursor && this.rowOf(this.cursor.loc);
    if (this.cursor && at && this.view.stage.matches(":focus-visible")) {
      const x = xOf(sheet, this.cursor.t);
      sheet.context.fillStyle = this.ink("--focus");
      sheet.context.fillRect(x - 1, at.y - sheet.top - 3, 3, at.height + 6);
    }
    if (this.measure) {
      const { from, to, isRange } = this.measure;
      drawMeasure(sheet, from, to, isRange ? "" : this.lengthText(Math.abs(to - from)));
    }
  }

  /** Round times of the axis, in seconds. */
  ticks() {
    const rate = this.open.ticks_per_second;
    return roundTimes(this.window[0] / rate, this.window[1] / rate, this.width / 110);
  }

  drawAxis() {
    const { context } = sized(this.view.axis, this.width, 22);
    const { step, times } = this.ticks();
    const rate = this.open.ticks_per_second;
    const unit = unitFor(this.open.length / rate);
    context.font = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';
    context.fillStyle = this.ink("--quiet");
    context.textBaseline = "middle";
    const sheet = { width: this.width, window: this.window };
    for (const time of times) {
      const x = xOf(/** @type {import("./ink.js").Sheet} */ (sheet), time * rate);
      const text = clockText(time, step, unit);
      const size = context.measureText(text).width;
      context.fillText(text, Math.max(0, Math.min(this.width - size, x - size / 2)), 11);
    }
  }

  /** A length in the digits of the axis. @param {number} ticks */
  lengthText(ticks) {
    const rate = this.open.ticks_per_second;
    const { step } = this.ticks();
    const digits = digitsFor(step / 100);
    const seconds = ticks / rate;
    return seconds >= 1 ? `${seconds.toFixed(Math.min(digits, 6))} s`
      : seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(Math.max(0, Math.min(digits - 3, 4)))} ms`
        : `${(seconds * 1e6).toFixed(Math.max(0, Math.min(digits - 6, 4)))} µs`;
  }

  /** The row of a location: that of its threads, of a level, or of its process if it is folded.
   *  @param {number} loc @param {number} level @returns {Row | undefined} */
  rowOf(loc, level = -1) {
    const key = level < 0 ? `f${loc}` : `${this.state.now.recorded ? "r" : "s"}${loc}.${level}`;
    const { process } = this.open.locations[loc] ?? { process: -1 };
    return this.rowsByKey.get(key)
      ?? (level < 0 ? this.rowsByKey.get(`p${process}`) : undefined);
  }
}

function pixelRatio() {
  return Math.min(devicePixelRatio || 1, 2);
}
