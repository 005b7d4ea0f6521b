// A tree of weighted nodes as a treegrid: value, bar, further columns, name, place. Only rows that
// are in view are in the page, so 100,000 rows cost no more than 40. It knows nothing of
// performance: what a row shows comes from `describe`, what a selection means from `onSelect`.
//
// Keys: up/down move, with Shift they add to the selection; right opens or goes to the first child,
// left closes or goes to the parent; Home/End, PageUp/PageDown; Enter opens or closes; * opens the
// path of the largest values; E and C open and close all below, P the siblings; H hides a node;
// Ctrl+Space adds to the selection. The tree has one tab stop and keeps the focus; the row that is
// looked at is its active descendant.

import { el } from "../dom.js";
import { colourOf } from "../colour.js";
import { Outline } from "./outline.js";

/** Height of a row in pixels, as in trees.css. */
export const ROW_HEIGHT = 25;
/** Rows above and below the view, so that scrolling shows no gap. */
const MARGIN_ROWS = 6;
/** Levels that are indented; deeper ones say their number, or names would leave the pane. */
const INDENTED_LEVELS = 24;
const INDENT_PX = 13;

let trees = 0;

/**
 * @typedef {{name: string, place?: string, value: number | null, text: string, share: number,
 *   said?: string, bar?: number, extra?: string[], title?: string, stub?: boolean}} Shown
 * `said` is the text in words: what a percentage is a percentage of.
 */

export class Tree {
  /**
   * @param {HTMLElement} host
   * @param {{label: string, forest: import("./outline.js").Forest, describe: (id: number) => Shown,
   *   onSelect: (id: number) => void, onToggle: (id: number) => void,
   *   nameOf?: (id: number) => string, visible?: (id: number) => boolean}} options
   */
  constructor(host, { label, forest, describe, onSelect, onToggle, nameOf, visible }) {
    this.host = host;
    this.describe = describe;
    this.onSelect = onSelect;
    this.onToggle = onToggle;
    this.outline = new Outline(forest, visible, nameOf);
    /** @type {Set<number>} */
    this.selected = new Set();
    this.focused = this.outline.roots()[0] ?? 0;
    /** Nodes found by a search, and those above them. */
    this.found = { matches: new Set(), above: new Set() };
    this.prefix = `tree${trees++}-`;
    this.canvas = el("div.rows", { role: "rowgroup" });
    /** Row elements in the page by node. @type {Map<number, HTMLElement>} */
    this.rows = new Map();
    this.prepare(label);
  }

  /** @param {string} label */
  prepare(label) {
    const { host } = this;
    for (const [name, value] of Object.entries({
      role: "treegrid", "aria-label": label, "aria-multiselectable": "true", tabindex: "0",
    })) host.setAttribute(name, value);
    host.replaceChildren(this.canvas);
    host.addEventListener("keydown", (event) => this.onKey(event));
    host.addEventListener("scroll", () => this.paint(), { passive: true });
    this.canvas.addEventListener("click", (event) => this.onClick(event));
    this.canvas.addEventListener("dblclick", (event) => {
      const id = this.idAt(event);
      if (id !== undefined && !isTwisty(event)) this.toggle(id);
    });
    let height = host.clientHeight;
    new ResizeObserver(() => {
      // A tree that was out of sight could not scroll to the row that is looked at.
      if (height === 0 && host.clientHeight > 0) this.focus(this.focused);
      height = host.clientHeight;
      this.paint();
    }).observe(host);
  }

  /** Shows another forest in the same place. @param {import("./outline.js").Forest} forest
   *  @param {Outline} outline what was open in it before */
  become(forest, outline) {
    this.outline = outline;
    this.selected = new Set([forest.roots[0]]);
    this.focused = forest.roots[0];
    this.host.scrollTop = 0;
  }

  /** @param {number} id */
  isExpanded(id) {
    return this.outline.isExpanded(id);
  }

  /** Shows current values, colours, openings and selection. */
  render() {
    this.outline.changed();
    const count = this.outline.rows().length;
    if (this.outline.rowOf(this.focused) < 0) this.focused = this.outline.rows()[0];
    this.canvas.style.height = `${count * ROW_HEIGHT}px`;
    this.host.setAttribute("aria-rowcount", String(count));
    this.paint();
  }

  /** Fills the rows that are in view. */
  paint() {
    const list = this.outline.rows();
    const { scrollTop, clientHeight } = this.host;
    const from = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - MARGIN_ROWS);
    const to = Math.min(list.length,
      Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + MARGIN_ROWS);
    const wanted = new Set(list.slice(from, to));
    const free = [...this.rows].filter(([id]) => !wanted.has(id));
    free.forEach(([id]) => this.rows.delete(id));
    const pool = free.map(([, row]) => row);
    // Readers of the screen take the order of the elements, whatever their places are.
    let next = this.canvas.firstChild;
    for (let at = from; at < to; at++) {
      const id = list[at];
      const row = this.rows.get(id) ?? pool.pop() ?? this.makeRow();
      this.rows.set(id, row);
      this.fill(row, id, at);
      if (row === next) next = next.nextSibling;
      else this.canvas.insertBefore(row, next);
    }
    pool.forEach((row) => row.remove());
    const active = this.rows.get(this.focused);
    if (active) this.host.setAttribute("aria-activedescendant", active.id);
    else this.host.removeAttribute("aria-activedescendant");
  }

  makeRow() {
    const row = el("div.row", { role: "row" },
      el("span.value", { role: "gridcell" }, el("span.box", { "aria-hidden": "true" }),
        el("span.number")),
      el("span.bar", { role: "gridcell", "aria-hidden": "true" }, el("i")),
      el("span.extras", { role: "gridcell" }),
      el("span.name", { role: "gridcell" }, el("span.twisty", { "aria-hidden": "true" }),
        el("span.level"), el("span.words")),
      el("span.place", { role: "gridcell" }));
    return row;
  }

  /** @param {HTMLElement} row @param {number} id @param {number} at */
  fill(row, id, at) {
    const { outline } = this;
    const shown = this.describe(id);
    row.style.top = `${at * ROW_HEIGHT}px`;
    row.id = `${this.prefix}${id}`;
    row.dataset.id = String(id);
    row.title = shown.title ?? "";
    row.className = this.classOf(id, shown);
    this.fillCells(row, id, shown);
    const parent = outline.forest.parent(id);
    const peers = (parent < 0 ? outline.roots() : outline.children(parent)).length;
    const attributes = {
      "aria-rowindex": at + 1,
      "aria-level": outline.forest.depth(id) + 1,
      "aria-setsize": peers,
      "aria-posinset": this.position(id, parent) + 1,
      "aria-selected": this.selected.has(id),
    };
    for (const [name, value] of Object.entries(attributes)) row.setAttribute(name, String(value));
    if (outline.isInner(id)) row.setAttribute("aria-expanded", String(outline.isExpanded(id)));
    else row.removeAttribute("aria-expanded");
  }

  /** @param {number} id @param {number} parent */
  position(id, parent) {
    return Math.max(0, (parent < 0 ? this.outline.roots() : this.outline.children(parent)).indexOf(id));
  }

  /** @param {number} id @param {Shown} shown */
  classOf(id, shown) {
    const classes = ["row"];
    if (!shown.value) classes.push("zero");
    if (shown.value !== null && shown.value < 0) classes.push("negative");
    if (shown.stub) classes.push("stub");
    if (id === this.focused) classes.push("active");
    if (this.found.matches.has(id)) classes.push("found");
    else if (this.found.above.has(id)) classes.push("above-found");
    return classes.join(" ");
  }

  /** @param {HTMLElement} row @param {number} id @param {Shown} shown */
  fillCells(row, id, shown) {
    const [value, bar, extras, name, place] = /** @type {HTMLElement[]} */ ([...row.children]);
    const [box, number] = /** @type {HTMLElement[]} */ ([...value.children]);
    box.style.background = colourOf(shown.share);
    number.textContent = shown.text;
    value.setAttribute("aria-label", shown.said ?? shown.text);
    bar.hidden = shown.bar === undefined;
    const level = /** @type {HTMLElement} */ (bar.firstChild);
    level.style.width = `${Math.min(Math.max(shown.bar ?? 0, 0) * 100, 100)}%`;
    extras.hidden = !shown.extra;
    extras.replaceChildren(...(shown.extra ?? []).map((text) => el("span", {}, text)));
    const [twisty, deep, words] = /** @type {HTMLElement[]} */ ([...name.children]);
    const depth = this.outline.forest.depth(id);
    name.style.paddingLeft = `${Math.min(depth, INDENTED_LEVELS) * INDENT_PX}px`;
    const isInner = this.outline.isInner(id);
    twisty.textContent = isInner ? (this.outline.isExpanded(id) ? "▾" : "▸") : "";
    deep.textContent = depth > INDENTED_LEVELS ? `${depth + 1}` : "";
    words.textContent = shown.name;
    place.textContent = shown.place ?? "";
  }

  /** @param {Event} event */
  idAt(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest(".row");
    const id = /** @type {HTMLElement | null} */ (row)?.dataset.id;
    return id === undefined ? undefined : Number(id);
  }

  /** @param {MouseEvent} event */
  onClick(event) {
    const id = this.idAt(event);
    if (id === undefined) return;
    if (isTwisty(event)) this.toggle(id);
    else if (event.shiftKey) this.selectRange(id);
    else this.select(id, event.ctrlKey || event.metaKey);
  }

  /** @param {number} id */
  toggle(id) {
    if (!this.outline.isInner(id)) return;
    if (this.outline.expanded.delete(id)) {
      this.outline.changed();
      this.liftSelection();
    } else {
      this.outline.expanded.add(id);
    }
    this.render();
    this.onToggle(id);
  }

  /** @param {number} id @param {boolean} isOpen */
  setOpen(id, isOpen) {
    if (this.outline.isInner(id) && this.isExpanded(id) !== isOpen) this.toggle(id);
  }

  /** Selected nodes that have no row any more hand their selection up to the next one that has. */
  liftSelection() {
    const up = (/** @type {number} */ id) =>
      this.outline.path(id).find((above) => this.outline.rowOf(above) >= 0)
        ?? this.outline.rows()[0];
    this.selected = new Set([...this.selected].map(up));
    this.focused = up(this.focused);
  }

  /** @param {number} id @param {boolean} add */
  select(id, add = false) {
    if (!add) this.selected.clear();
    if (add && this.selected.has(id) && this.selected.size > 1) this.selected.delete(id);
    else this.selected.add(id);
    this.focus(id);
    this.paint();
    this.onSelect(id);
  }

  /** All rows between the one that is looked at and another one. @param {number} id */
  selectRange(id) {
    const ends = [this.outline.rowOf(this.focused), this.outline.rowOf(id)];
    const [from, to] = ends[0] < ends[1] ? ends : ends.reverse();
    this.outline.rows().slice(Math.max(from, 0), to + 1).forEach((row) => this.selected.add(row));
    this.focus(id);
    this.paint();
    this.onSelect(id);
  }

  /** Looks at a node. Only the tree scrolls, and nothing around it. @param {number} id */
  focus(id) {
    this.focused = id;
    const top = this.outline.rowOf(id) * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.host;
    if (top < scrollTop) this.host.scrollTop = top;
    else if (top + ROW_HEIGHT > scrollTop + clientHeight) {
      this.host.scrollTop = top + ROW_HEIGHT - clientHeight;
    }
  }

  /** Opens everything above nodes and selects them; the last one is looked at.
   *  @param {number[]} ids */
  reveal(ids) {
    ids.forEach((id) => this.outline.open(id));
    this.selected = new Set(ids.slice(0, -1));
    this.render();
    const last = ids.at(-1);
    if (last !== undefined) this.select(last, true);
  }

  collapseAll() {
    this.outline.expanded.clear();
    this.outline.changed();
    this.liftSelection();
    this.selected = new Set([this.focused]);
    this.host.scrollLeft = 0;
    this.select(this.focused);
    this.render();
  }

  /** @param {number} id */
  expandLargest(id) {
    this.reveal([this.outline.largest(id)]);
  }

  /** Opens or closes all below nodes. @param {number[]} ids @param {boolean} isOpen */
  openAll(ids, isOpen) {
    this.outline.openAll(ids, isOpen);
    this.liftSelection();
    this.render();
    this.onToggle(this.focused);
  }

  /** Hides a node; its value is shown by the one above it. @param {number} id */
  hide(id) {
    if (this.outline.forest.parent(id) < 0 && this.outline.roots().length < 2) return;
    const rows = this.outline.rows();
    const next = rows[this.outline.rowOf(id) + 1];
    this.outline.hidden.add(id);
    this.outline.changed();
    if (this.outline.rowOf(this.focused) < 0 && next !== undefined
      && this.outline.forest.parent(next) === this.outline.forest.parent(id)) {
      this.selected.delete(id);
      this.focused = next;
      this.selected.add(next);
    }
    this.liftSelection();
    this.render();
    this.onToggle(this.focused);
  }

  showHidden() {
    this.outline.hidden.clear();
    this.render();
    this.onToggle(this.focused);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.altKey) return;
    const act = this.keys(event)[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** @param {KeyboardEvent} event @returns {Record<string, () => void>} */
  keys({ shiftKey, ctrlKey, metaKey }) {
    const { outline, focused } = this;
    const list = outline.rows();
    const at = outline.rowOf(focused);
    const page = Math.max(1, Math.floor(this.host.clientHeight / ROW_HEIGHT) - 1);
    const move = (/** @type {number | undefined} */ id) => {
      if (id === undefined || id < 0) return;
      if (shiftKey) this.selectRange(id);
      else this.select(id);
    };
    const to = (/** @type {number} */ row) =>
      move(list[Math.min(Math.max(row, 0), list.length - 1)]);
    /** @type {Record<string, () => void>} */
    const letters = ctrlKey || metaKey ? {} : {
      e: () => this.openAll([focused], true),
      c: () => this.openAll([focused], false),
      p: () => this.openAll(outline.peers(focused), !outline.isExpanded(focused)),
      h: () => this.hide(focused),
    };
    return {
      ...letters,
      ArrowDown: () => to(at + 1),
      ArrowUp: () => to(at - 1),
      PageDown: () => to(at + page),
      PageUp: () => to(at - page),
      Home: () => to(0),
      End: () => to(list.length - 1),
      ArrowRight: () => (outline.isExpanded(focused)
        ? move(outline.children(focused)[0]) : this.toggle(focused)),
      ArrowLeft: () => (outline.isExpanded(focused)
        ? this.toggle(focused) : move(outline.forest.parent(focused))),
      Enter: () => this.toggle(focused),
      " ": () => this.select(focused, ctrlKey || metaKey),
      "*": () => this.expandLargest(focused),
    };
  }
}

/** @param {Event} event */
function isTwisty(event) {
  return /** @type {HTMLElement} */ (event.target).classList.contains("twisty");
}
