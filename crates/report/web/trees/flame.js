// The call tree as a flame (icicle) view: a box for each call path, as wide as its value, below the
// one that it was entered from. It shows the same values and has the same selection as the tree.
// Boxes that would be too narrow are drawn as one grey rest, and only levels that are in view are in
// the page, so a tree of 100,000 call paths or 10,000 levels stays usable.

import { el } from "../dom.js";
import { percent } from "../format.js";

const LEVEL_HEIGHT = 22;
/** Narrower boxes are joined, in pixels. */
const LEAST_WIDTH = 4;
/** Boxes in the page at most; beyond it the least width grows. */
const MOST_BOXES = 900;

/** What regions do, by colour. @type {[string, string][]} */
const KINDS = [["code", "functions"], ["openmp", "OpenMP constructs"],
  ["wait", "barriers and locks"], ["task", "tasks"], ["mpi", "MPI"]];

/** @typedef {{id: number, x: number, width: number, depth: number, rest: number}} Box */

/**
 * Boxes of some levels below a call path. Values below 0 have no width.
 * @param {import("./outline.js").Forest} forest
 * @param {{root: number, width: number, from: number, to: number, least: number}} view levels
 *   relative to the root, to the end not included
 * @returns {{boxes: Box[], levels: number}}
 */
export function layout(forest, { root, width, from, to, least }) {
  const sizes = (/** @type {number} */ id) => Math.max(forest.value(id), 0);
  const whole = sizes(root);
  /** @type {Box[]} */
  const boxes = [];
  let levels = 1;
  /** @type {Box[]} */
  const open = [{ id: root, x: 0, width, depth: 0, rest: 0 }];
  for (let box = open.pop(); box !== undefined; box = open.pop()) {
    if (box.depth >= from && box.depth < to) boxes.push(box);
    levels = Math.max(levels, box.depth + 1);
    if (box.rest || whole <= 0) continue;
    let x = box.x;
    const rest = { id: box.id, x: 0, width: 0, depth: box.depth + 1, rest: 0 };
    const children = forest.children(box.id).filter((id) => sizes(id) > 0);
    children.sort((a, b) => sizes(b) - sizes(a) || a - b);
    // A child is never wider than what is left of its parent: own values may be negative.
    for (const id of children) {
      const wide = Math.min((sizes(id) / whole) * width, box.x + box.width - x);
      if (wide >= least) open.push({ id, x, width: wide, depth: box.depth + 1, rest: 0 });
      else {
        if (!rest.rest) rest.x = x;
        rest.rest++;
        rest.width += wide;
      }
      x += wide;
    }
    if (rest.rest && rest.width >= 1) open.push(rest);
  }
  return { boxes, levels };
}

export class Flame {
  /** @param {HTMLElement} host @param {import("./panes.js").Panes} panes */
  constructor(host, panes) {
    this.panes = panes;
    this.root = panes.formNamed("calls").form.roots[0];
    this.canvas = el("div.boxes", { role: "group" });
    this.path = el("nav.flame-path", { "aria-label": "Call path above the view" });
    this.scroll = el("div.flame", {
      role: "tree", tabindex: "0", "aria-label": "Call paths as boxes, as wide as their values",
    }, this.canvas);
    const keys = KINDS.map(([kind, title]) => el("span", {}, el(`i.kind-${kind}`), title));
    host.replaceChildren(el("div.flame-keys", {}, ...keys), this.path, this.scroll);
    this.scroll.addEventListener("scroll", () => this.draw(), { passive: true });
    this.scroll.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("click", (event) => this.onClick(event, false));
    this.canvas.addEventListener("dblclick", (event) => this.onClick(event, true));
    new ResizeObserver(() => this.draw()).observe(this.scroll);
  }

  get form() {
    return this.panes.formNamed("calls").form;
  }

  get focused() {
    return this.panes.calls.focused;
  }

  /** @param {MouseEvent} event @param {boolean} zooms */
  onClick(event, zooms) {
    const box = /** @type {HTMLElement} */ (event.target).closest(".flame-box");
    const id = /** @type {HTMLElement | null} */ (box)?.dataset.id;
    if (id === undefined) return;
    if (zooms) this.zoom(Number(id));
    else this.select(Number(id), event.ctrlKey || event.metaKey);
  }

  /** A box has everything below it, so its row in the tree is closed. @param {number} id
   *  @param {boolean} add */
  select(id, add = false) {
    const { calls } = this.panes;
    calls.outline.open(id);
    calls.outline.expanded.delete(id);
    calls.outline.changed();
    calls.liftSelection();
    calls.select(id, add);
  }

  /** @param {number} id */
  zoom(id) {
    this.root = id;
    this.scroll.scrollTop = 0;
    this.draw();
  }

  /** Draws the levels that are in view. */
  draw() {
    const { scroll, form } = this;
    const width = scroll.clientWidth;
    if (!width) return;
    const from = Math.floor(scroll.scrollTop / LEVEL_HEIGHT);
    const to = from + Math.ceil(scroll.clientHeight / LEVEL_HEIGHT) + 1;
    let found = layout(form, { root: this.root, width, from, to, least: LEAST_WIDTH });
    for (let least = LEAST_WIDTH * 2; found.boxes.length > MOST_BOXES; least *= 2) {
      found = layout(form, { root: this.root, width, from, to, least });
    }
    this.canvas.style.height = `${found.levels * LEVEL_HEIGHT}px`;
    this.canvas.replaceChildren(...found.boxes.map((box) => this.box(box)));
    this.drawPath();
    const active = document.getElementById(`flame-${this.focused}`);
    if (active) scroll.setAttribute("aria-activedescendant", active.id);
    else scroll.removeAttribute("aria-activedescendant");
  }

  /** @param {Box} box */
  box({ id, x, width, depth, rest }) {
    const { panes, form } = this;
    const { name, place } = form.words(id);
    const share = percent(panes.callWhole ? form.value(id) / panes.callWhole : 0);
    const value = panes.severity(form.value(id), panes.unit);
    const text = place ? `${name} ${place}` : name;
    const of = rest ? `${rest} more below ${name}` : `${text}: ${value} (${share} of ${panes.titles.property})`;
    const kind = rest ? "rest" : `kind-${kindOf(panes.data.region(id))}`;
    const box = el(`div.flame-box.${kind}`, {
      role: "treeitem", title: of, "aria-label": of,
      "aria-level": String(depth + 1 + panes.calls.outline.forest.depth(this.root)),
      "aria-selected": String(!rest && panes.calls.selected.has(id)),
    }, width > 34 && !rest ? el("span", {}, text) : null);
    if (!rest) {
      box.id = `flame-${id}`;
      box.dataset.id = String(id);
      if (id === this.focused) box.classList.add("active");
    }
    Object.assign(box.style, {
      left: `${x}px`, width: `${Math.max(width - 1, 1)}px`, top: `${depth * LEVEL_HEIGHT}px`,
    });
    return box;
  }

  /** The call paths above the view, as buttons that go back there. */
  drawPath() {
    const { form } = this;
    const above = this.panes.calls.outline.path(this.root).reverse();
    const shown = above.length > 8 ? [above[0], ...above.slice(-7)] : above;
    this.path.replaceChildren(...shown.flatMap((id, index) => [
      index ? el("span", { "aria-hidden": "true" }, index === 1 && above.length > 8 ? "… ›" : "›") : null,
      el("button.link", { onclick: () => this.zoom(id) }, form.words(id).name),
    ].filter((part) => part !== null)));
    this.path.hidden = above.length < 2;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { form, focused } = this;
    const parent = form.parent(focused);
    const bySize = (/** @type {number[]} */ ids) =>
      ids.filter((id) => form.value(id) > 0).sort((a, b) => form.value(b) - form.value(a) || a - b);
    const peers = bySize(parent < 0 ? [...form.roots] : [...form.children(parent)]);
    const go = (/** @type {number | undefined} */ id) => {
      if (id === undefined || id < 0) return;
      if (!this.panes.calls.outline.path(id).includes(this.root)) this.root = id;
      this.select(id);
      this.scrollTo(id);
    };
    const at = peers.indexOf(focused);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => go(bySize([...form.children(focused)])[0]),
      ArrowUp: () => go(parent),
      ArrowRight: () => go(peers[at + 1]),
      ArrowLeft: () => go(peers[at - 1]),
      Home: () => go(this.root),
      Enter: () => this.zoom(focused),
      Backspace: () => this.zoom(Math.max(form.parent(this.root), form.roots[0])),
      "*": () => go(this.panes.calls.outline.largest(focused)),
    };
    const act = keys[event.key];
    if (!act || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** @param {number} id */
  scrollTo(id) {
    const { forest } = this.panes.calls.outline;
    const top = (forest.depth(id) - forest.depth(this.root)) * LEVEL_HEIGHT;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop) this.scroll.scrollTop = top;
    else if (top + LEVEL_HEIGHT > scrollTop + clientHeight) {
      this.scroll.scrollTop = top + LEVEL_HEIGHT - clientHeight;
    }
    this.draw();
  }
}

/** What a region does, for its colour. @param {import("./data.js").RawRegion} region */
export function kindOf({ role, paradigm }) {
  if (paradigm === "mpi") return "mpi";
  if (/barrier|critical|lock|ordered|taskwait|taskgroup/.test(role)) return "wait";
  if (/task/.test(role)) return "task";
  if (paradigm === "openmp") return "openmp";
  return "code";
}
