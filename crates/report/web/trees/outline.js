// Which nodes of a tree have rows, from top to bottom: what is expanded, what is hidden, and the
// order among siblings. It knows no browser, so that the rules of the display can be tested without
// one.

/**
 * @typedef {Pick<import("./forms.js").Form, "roots" | "children" | "isInner" | "parent" | "depth"
 *   | "value" | "own">} Forest
 * @typedef {"given" | "value" | "name" | number} Order a number is a further column
 */

/** Thread 10 comes after thread 9. */
const COLLATOR = new Intl.Collator("en", { numeric: true });
/** The key of the roots among the children of nodes. */
const NO_PARENT = -1;

export class Outline {
  /** @param {Forest} forest @param {(id: number) => boolean} isShown a node without rows at all
   *  @param {(id: number) => string} nameOf */
  constructor(forest, isShown = () => true, nameOf = String) {
    this.forest = forest;
    this.isShown = isShown;
    this.nameOf = nameOf;
    /** @type {Set<number>} */
    this.expanded = new Set();
    /** Hidden by hand. @type {Set<number>} */
    this.hidden = new Set();
    /** Nodes with a smaller share have no row. */
    this.threshold = 0;
    /** Whether a row that is expanded has the values of its hidden children: maxima do not add up. */
    this.adds = true;
    /** @type {(id: number) => number} */
    this.shareOf = () => 1;
    /** @type {Order} */
    this.order = "given";
    /** @type {((id: number) => number)[]} */
    this.columns = [];
    this.changed();
  }

  /** Forgets what depends on values, openings and hiding. */
  changed() {
    /** @type {Map<number, number[]>} */
    this.sorted = new Map();
    /** @type {number[] | null} */
    this.list = null;
    /** @type {Map<number, number>} */
    this.places = new Map();
  }

  /** @param {number} id */
  isHidden(id) {
    if (!this.isShown(id) || this.hidden.has(id)) return true;
    return this.threshold > 0 && Math.abs(this.shareOf(id)) < this.threshold;
  }

  /** Visible children in their order. @param {number} id */
  children(id) {
    let children = this.sorted.get(id);
    if (!children) {
      children = this.arranged(this.forest.children(id).filter((child) => !this.isHidden(child)));
      this.sorted.set(id, children);
    }
    return children;
  }

  /** Visible roots; the last one stays, so that there is always a row. */
  roots() {
    let roots = this.sorted.get(NO_PARENT);
    if (!roots) {
      const shown = this.forest.roots.filter((id) => !this.isHidden(id));
      roots = this.arranged(shown.length ? shown : this.forest.roots.slice(0, 1));
      this.sorted.set(NO_PARENT, roots);
    }
    return roots;
  }

  /** @param {number[]} ids */
  arranged(ids) {
    const { order } = this;
    if (order === "given") return ids;
    if (order === "name") {
      const names = new Map(ids.map((id) => [id, this.nameOf(id)]));
      const of = (/** @type {number} */ id) => names.get(id) ?? "";
      return [...ids].sort((a, b) => COLLATOR.compare(of(a), of(b)) || a - b);
    }
    const key = order === "value" ? this.forest.value.bind(this.forest) : this.columns[order];
    const of = (/** @type {number} */ id) => (Number.isNaN(key(id)) ? -Infinity : key(id));
    return [...ids].sort((a, b) => of(b) - of(a) || a - b);
  }

  /** Whether something is below a node. @param {number} id */
  isInner(id) {
    return this.forest.isInner(id) && this.children(id).length > 0;
  }

  /** @param {number} id */
  isExpanded(id) {
    return this.expanded.has(id) && this.isInner(id);
  }

  /** Ids of the rows from top to bottom. */
  rows() {
    if (this.list) return this.list;
    /** @type {number[]} */
    const list = [];
    const open = [...this.roots()].reverse();
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      this.places.set(id, list.length);
      list.push(id);
      if (!this.isExpanded(id)) continue;
      const children = this.children(id);
      for (let at = children.length - 1; at >= 0; at--) open.push(children[at]);
    }
    this.list = list;
    return list;
  }

  /** The row of a node, or -1. @param {number} id */
  rowOf(id) {
    this.rows();
    return this.places.get(id) ?? -1;
  }

  /** Value that a row shows: without its visible children if it is expanded. @param {number} id */
  shown(id) {
    if (!this.isExpanded(id)) return this.forest.value(id);
    return this.forest.own(id) + this.hiddenBelow(id);
  }

  /** Sum of the hidden children of a node. @param {number} id */
  hiddenBelow(id) {
    if (!this.adds) return 0;
    return this.forest.children(id).reduce((total, child) =>
      total + (this.isHidden(child) ? this.forest.value(child) : 0), 0);
  }

  /** @param {number} id @returns {import("./severity.js").Pick} */
  pick(id) {
    return { id, minus: this.isExpanded(id) ? this.children(id) : [] };
  }

  /** The node and its ancestors, innermost first. @param {number} id */
  path(id) {
    const path = [];
    for (let at = id; at >= 0; at = this.forest.parent(at)) path.push(at);
    return path;
  }

  /** Opens everything above a node, and shows what was hidden there by hand. @param {number} id */
  open(id) {
    for (const above of this.path(id)) {
      this.hidden.delete(above);
      if (above !== id) this.expanded.add(above);
    }
    this.changed();
  }

  /** Opens or closes a node and all that is below it; at most `most` nodes are opened.
   *  @param {number[]} ids @param {boolean} isOpen */
  openAll(ids, isOpen, most = 200_000) {
    const open = [...ids];
    for (let id = open.pop(); id !== undefined && most > 0; id = open.pop(), most--) {
      if (isOpen) this.expanded.add(id);
      else if (!this.expanded.delete(id)) continue;
      for (const child of this.forest.isInner(id) ? this.forest.children(id) : []) open.push(child);
    }
    this.changed();
  }

  /** Siblings of a node, itself included. @param {number} id */
  peers(id) {
    const parent = this.forest.parent(id);
    return parent < 0 ? this.roots() : this.children(parent);
  }

  /** The end of the path of the largest values below a node. @param {number} id */
  largest(id) {
    const size = (/** @type {number} */ node) => this.forest.value(node);
    for (let at = id; ;) {
      const children = this.forest.isInner(at) ? this.children(at) : [];
      if (!children.length) return at;
      const most = children.reduce((a, b) => (size(b) > size(a) ? b : a));
      // Below a twentieth the path no longer says where the value comes from.
      if (size(most) <= size(at) / 20) return at;
      at = most;
    }
  }
}
