// A tree of weighted nodes: colour box, value and name per row; mouse and keyboard. It knows
// nothing of performance: what a row shows is asked from `describe`, what a selection means from
// `onSelect`.
//
// Keys: up/down move, right opens or goes to the first child, left closes or goes to the parent,
// Home/End, Enter opens or closes, * opens the path of the largest values, Ctrl+Space adds to the
// selection. Rows are flat in the DOM and carry aria-level, so only what is visible exists.

import { el } from "../dom.js";
import { colourOf } from "../colour.js";

export class Tree {
  /** `nodes`: objects with id, parent, children, depth. `describe(id)`: {name, place, value, text,
   *  share, title, stub}, where share is that of the colour scale. */
  constructor(host, { label, nodes, roots, describe, onSelect, onToggle, visible }) {
    Object.assign(this, { nodes, roots, describe, onSelect, onToggle });
    this.isVisible = visible ?? (() => true);
    this.expanded = new Set();
    this.selected = new Set();
    this.rows = new Map();
    this.focused = roots[0];
    this.host = host;
    host.setAttribute("role", "tree");
    host.setAttribute("aria-label", label);
    host.setAttribute("aria-multiselectable", "true");
    host.addEventListener("keydown", (event) => this.onKey(event));
  }

  children(id) {
    return this.nodes[id].children.filter(this.isVisible);
  }

  isExpanded(id) {
    return this.expanded.has(id) && this.children(id).length > 0;
  }

  /** Ids of the rows from top to bottom. */
  visibleIds() {
    const ids = [];
    const open = this.roots.filter(this.isVisible).reverse();
    while (open.length) {
      const id = open.pop();
      ids.push(id);
      if (this.isExpanded(id)) open.push(...this.children(id).reverse());
    }
    return ids;
  }

  /** Rebuilds the rows, after nodes were opened or closed. */
  render() {
    const ids = this.visibleIds();
    const rows = ids.map((id) => this.rows.get(id) ?? this.makeRow(id));
    this.rows = new Map(ids.map((id, index) => [id, rows[index]]));
    this.host.replaceChildren(...rows);
    if (!this.rows.has(this.focused)) this.focused = ids[0];
    this.refresh();
  }

  makeRow(id) {
    const row = el("div.row", { role: "treeitem", "aria-level": this.nodes[id].depth + 1 },
      el("span.twisty", { "aria-hidden": "true" }), el("span.box"), el("span.value"),
      el("span.bar", { "aria-hidden": "true" }, el("i")), el("span.name"));
    row.style.paddingLeft = `${6 + this.nodes[id].depth * 16}px`;
    row.addEventListener("click", (event) => {
      if (event.target.className === "twisty") this.toggle(id);
      else this.select(id, event.ctrlKey || event.metaKey);
    });
    row.addEventListener("dblclick", () => this.toggle(id));
    return row;
  }

  /** Shows current values, colours and selection on all rows. */
  refresh() {
    for (const [id, row] of this.rows) {
      const shown = this.describe(id);
      const [twisty, box, value, bar, name] = row.children;
      const inner = this.children(id).length > 0;
      twisty.textContent = inner ? (this.isExpanded(id) ? "▾" : "▸") : "";
      box.style.background = colourOf(shown.share);
      value.textContent = shown.text;
      name.replaceChildren(shown.name, shown.place ? el("span.place", {}, ` ${shown.place}`) : "");
      bar.hidden = shown.bar === undefined;
      if (!bar.hidden) bar.firstChild.style.width = `${Math.min(shown.bar * 100, 100)}%`;
      row.className = `row${shown.value ? "" : " zero"}${shown.stub ? " stub" : ""}`;
      row.title = shown.title ?? "";
      row.tabIndex = id === this.focused ? 0 : -1;
      row.setAttribute("aria-selected", this.selected.has(id));
      if (inner) row.setAttribute("aria-expanded", this.isExpanded(id));
      else row.removeAttribute("aria-expanded");
    }
  }

  toggle(id) {
    if (!this.children(id).length) return;
    if (this.expanded.has(id)) {
      this.expanded.delete(id);
      this.liftSelection(id);
    } else {
      this.expanded.add(id);
    }
    this.render();
    this.onToggle(id);
  }

  /** A selected node that vanishes below a closed one hands its selection up. */
  liftSelection(id) {
    const below = (node) => node !== id && this.path(node).includes(id);
    const hidden = [...this.selected].filter(below);
    hidden.forEach((node) => this.selected.delete(node));
    if (hidden.length) this.selected.add(id);
    if (below(this.focused)) this.focused = id;
  }

  /** The node and its ancestors, innermost first. */
  path(id) {
    const path = [];
    for (; id >= 0; id = this.nodes[id].parent) path.push(id);
    return path;
  }

  select(id, add = false) {
    if (!add) this.selected.clear();
    if (add && this.selected.has(id) && this.selected.size > 1) this.selected.delete(id);
    else this.selected.add(id);
    this.focus(id);
    this.refresh();
    this.onSelect(id);
  }

  focus(id) {
    this.focused = id;
    const row = this.rows.get(id);
    for (const [other, { tabIndex }] of this.rows) {
      if (tabIndex === 0 || other === id) this.rows.get(other).tabIndex = other === id ? 0 : -1;
    }
    if (!row) return;
    this.scrollTo(row);
    // Taking the focus away from a button that was pressed elsewhere would surprise.
    if (this.host.contains(document.activeElement)) {
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: "nearest" });
    }
  }

  /** Scrolls the tree, and nothing around it, to a row. */
  scrollTo(row) {
    const [pane, place] = [this.host.getBoundingClientRect(), row.getBoundingClientRect()];
    if (place.top < pane.top) this.host.scrollTop -= pane.top - place.top;
    if (place.bottom > pane.bottom) this.host.scrollTop += place.bottom - pane.bottom;
  }

  /** Opens everything above nodes and selects them; the last one is looked at. */
  reveal(ids) {
    ids.forEach((id) => this.path(id).slice(1).forEach((above) => this.expanded.add(above)));
    this.selected = new Set(ids.slice(0, -1));
    this.render();
    this.select(ids.at(-1), true);
  }

  collapseAll() {
    this.expanded.clear();
    const [first] = this.selected;
    const root = first === undefined ? this.roots[0] : this.path(first).at(-1);
    this.selected = new Set([root]);
    this.focused = root;
    this.render();
    this.onSelect(root);
  }

  /** Opens the path of the largest inclusive values below a node and selects its end. */
  expandLargest(id, inclusive) {
    let at = id;
    for (;;) {
      const children = this.children(at);
      if (!children.length) break;
      const largest = children.reduce((a, b) => (inclusive(b) > inclusive(a) ? b : a));
      if (inclusive(largest) <= inclusive(at) / 20) break;
      at = largest;
    }
    this.reveal([at]);
  }

  onKey(event) {
    const ids = [...this.rows.keys()];
    const at = ids.indexOf(this.focused);
    const move = (id) => id !== undefined && this.select(id);
    const keys = {
      ArrowDown: () => move(ids[at + 1]),
      ArrowUp: () => move(ids[at - 1]),
      Home: () => move(ids[0]),
      End: () => move(ids.at(-1)),
      ArrowRight: () => (this.isExpanded(this.focused)
        ? move(this.children(this.focused)[0]) : this.toggle(this.focused)),
      ArrowLeft: () => (this.isExpanded(this.focused)
        ? this.toggle(this.focused) : move(this.nodes[this.focused].parent >= 0
          ? this.nodes[this.focused].parent : undefined)),
      Enter: () => this.toggle(this.focused),
      " ": () => this.select(this.focused, event.ctrlKey || event.metaKey),
      "*": () => this.onLargest?.(this.focused),
    };
    if (!keys[event.key] || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
    this.rows.get(this.focused)?.focus({ preventScroll: true });
  }
}
