// The forms in which call paths are shown: as a tree, as a flat list of regions, grouped by kind of
// construct, and bottom-up (a region first, below it who entered it). Each form is a forest of
// numbered nodes. A node stands for a set of call paths, so values and selections mean the same in
// all of them, and the values of the roots always sum to the whole.

/**
 * @typedef {import("./data.js").Data} Data
 * @typedef {import("./severity.js").CallValues} CallValues
 * @typedef {{name: string, place: string, title: string, stub?: boolean}} Words
 * @typedef {object} Form
 * @property {string} key
 * @property {number[]} roots
 * @property {(id: number) => number[]} children
 * @property {(id: number) => boolean} isInner
 * @property {(id: number) => number} parent
 * @property {(id: number) => number} depth
 * @property {(values: CallValues) => void} update
 * @property {(id: number) => number} value with everything below the node
 * @property {(id: number) => number} own without
 * @property {(id: number, mask: Uint8Array, bit: number) => void} mark
 * @property {(call: number) => number} nodeOf the node to look at for a call path
 * @property {(id: number) => Words} words
 * @property {() => Iterable<number>} all nodes that can be searched
 * @property {((id: number) => number)[]} [extra] further columns
 */

/** Words for a region. @param {import("./data.js").RawRegion} region @returns {Words} */
export function regionWords(region) {
  const clauses = region.clauses && ` ${region.clauses}`;
  const barrier = region.barrier_included ? " (barrier included)" : "";
  const sampled = region.sampled ? " (sampled)" : "";
  return { name: region.construct + sampled, place: region.place,
    title: region.label + clauses + barrier + sampled };
}

/** @implements {Form} */
export class CallTree {
  /** @param {Data} data */
  constructor(data) {
    this.key = "calls";
    this.data = data;
    this.roots = data.calls.filter((node) => node.parent < 0).map((node) => node.id);
    /** @type {CallValues} */
    this.values = { own: new Float64Array(0), inclusive: new Float64Array(0) };
  }

  /** @param {number} id */
  children(id) {
    return this.data.calls[id].children;
  }

  /** @param {number} id */
  isInner(id) {
    return this.data.calls[id].children.length > 0;
  }

  /** @param {number} id */
  parent(id) {
    return this.data.calls[id].parent;
  }

  /** @param {number} id */
  depth(id) {
    return this.data.calls[id].depth;
  }

  /** @param {CallValues} values */
  update(values) {
    this.values = values;
  }

  /** @param {number} id */
  value(id) {
    return this.values.inclusive[id];
  }

  /** @param {number} id */
  own(id) {
    return this.values.own[id];
  }

  /** @param {number} id @param {Uint8Array} mask @param {number} bit */
  mark(id, mask, bit) {
    const open = [id];
    for (let call = open.pop(); call !== undefined; call = open.pop()) {
      mask[call] = bit;
      open.push(...this.data.calls[call].children);
    }
  }

  /** @param {number} call */
  nodeOf(call) {
    return call;
  }

  /** @param {number} id */
  words(id) {
    return { ...regionWords(this.data.region(id)), stub: this.data.isStub(id) };
  }

  all() {
    return this.data.calls.keys();
  }
}

/** Regions, each with its sums over all call paths. @implements {Form} */
export class Flat {
  /** @param {Data} data */
  constructor(data) {
    this.key = "flat";
    this.data = data;
    this.callsOf = callsByRegion(data);
    this.roots = data.regions.map((_, region) => region).filter((id) => this.callsOf[id].length);
    this.outermost = outermost(data);
    this.sums = new Float64Array(data.regions.length);
    this.withCallees = new Float64Array(data.regions.length);
    const visits = new Float64Array(data.regions.length);
    const metric = data.metricNamed("visits");
    if (metric >= 0) {
      const { calls, cells } = data.rows(metric);
      cells.forEach((value, at) => {
        visits[data.calls[calls[Math.floor(at / data.width)]].region] += value;
      });
    }
    this.visits = visits;
    this.extra = [(/** @type {number} */ id) => this.withCallees[id],
      (/** @type {number} */ id) => this.visits[id]];
  }

  /** @returns {number[]} */
  children() {
    return [];
  }

  isInner() {
    return false;
  }

  parent() {
    return -1;
  }

  depth() {
    return 0;
  }

  /** @param {CallValues} values */
  update({ own, inclusive, over }) {
    this.sums.fill(0);
    this.withCallees.fill(0);
    if (over) {
      this.callsOf.forEach((calls, region) => {
        this.sums[region] = over(calls);
        this.withCallees[region] = over(withBelow(this.data, calls));
      });
      return;
    }
    this.data.calls.forEach(({ region }, call) => {
      this.sums[region] += own[call];
      if (this.outermost[call]) this.withCallees[region] += inclusive[call];
    });
  }

  /** @param {number} id */
  value(id) {
    return this.sums[id];
  }

  /** @param {number} id */
  own(id) {
    return this.sums[id];
  }

  /** @param {number} id @param {Uint8Array} mask @param {number} bit */
  mark(id, mask, bit) {
    this.callsOf[id].forEach((call) => { mask[call] = bit; });
  }

  /** @param {number} call */
  nodeOf(call) {
    return this.data.calls[call].region;
  }

  /** @param {number} id */
  words(id) {
    return regionWords(this.data.regions[id]);
  }

  all() {
    return this.roots;
  }
}

/** Kinds of constructs, and their regions below them. The ids of groups come after those of regions.
 *  @implements {Form} */
export class ByConstruct extends Flat {
  /** @param {Data} data */
  constructor(data) {
    super(data);
    this.key = "construct";
    /** @type {Map<string, number[]>} */
    const groups = new Map();
    for (const id of this.roots) {
      const kind = kindOf(data.regions[id]);
      const members = groups.get(kind);
      if (members) members.push(id);
      else groups.set(kind, [id]);
    }
    this.first = data.regions.length;
    this.groups = [...groups].map(([kind, members]) => ({ kind, members }));
    this.groupOf = new Map(this.groups.flatMap(({ members }, at) =>
      members.map((id) => [id, this.first + at])));
    this.members = this.roots;
    this.groupSums = this.groups.map(() => 0);
    this.roots = this.groups.map((_, at) => this.first + at);
    const visits = this.groups.map(({ members }) =>
      members.reduce((total, id) => total + this.visits[id], 0));
    // Callees of one region of a group may be in the group too, so their sum means nothing.
    this.extra = [
      (/** @type {number} */ id) => (this.isInner(id) ? NaN : this.withCallees[id]),
      (/** @type {number} */ id) => (this.isInner(id) ? visits[id - this.first] : this.visits[id]),
    ];
  }

  /** @override @param {number} id */
  children(id = -1) {
    return this.isInner(id) ? this.groups[id - this.first].members : [];
  }

  /** @override @param {number} id */
  isInner(id = -1) {
    return id >= this.first;
  }

  /** @override @param {number} id */
  parent(id = -1) {
    return this.groupOf.get(id) ?? -1;
  }

  /** @override @param {number} id */
  depth(id = -1) {
    return this.isInner(id) ? 0 : 1;
  }

  /** @override @param {CallValues} values */
  update(values) {
    super.update(values);
    const { over } = values;
    this.groupSums = this.groups.map(({ members }) => (over
      ? over(members.flatMap((id) => this.callsOf[id]))
      : members.reduce((total, id) => total + this.sums[id], 0)));
  }

  /** @override @param {number} id @returns {number} */
  value(id) {
    return this.isInner(id) ? this.groupSums[id - this.first] : this.sums[id];
  }

  /** @override @param {number} id */
  own(id) {
    return this.isInner(id) ? 0 : this.sums[id];
  }

  /** @override @param {number} id @param {Uint8Array} mask @param {number} bit */
  mark(id, mask, bit) {
    if (this.isInner(id)) this.children(id).forEach((child) => super.mark(child, mask, bit));
    else super.mark(id, mask, bit);
  }

  /** @override @param {number} id */
  words(id) {
    if (!this.isInner(id)) return super.words(id);
    const { kind, members } = this.groups[id - this.first];
    const place = `${members.length} region${members.length === 1 ? "" : "s"}`;
    return { name: kind, place, title: kind };
  }

  /** @override */
  all() {
    return [...this.roots, ...this.members];
  }
}

/** @param {import("./data.js").RawRegion} region */
function kindOf(region) {
  return region.role === "function" && region.paradigm === "mpi" ? "MPI function" : region.role;
}

/** Regions, and below each the regions from which it was entered, with the part of its own value
 *  that belongs to them. Nodes are made when their parent is opened. @implements {Form} */
export class BottomUp {
  /** @param {Data} data */
  constructor(data) {
    this.key = "bottom";
    this.data = data;
    /** A node: its region, and pairs of a call path and the ancestor of it that the node shows.
     * @type {{region: number, parent: number, depth: number, ends: number[], at: number[],
     *   below: number[] | null}[]} */
    this.nodes = [];
    /** @type {(calls: Iterable<number>) => number} */
    this.over = () => 0;
    /** @type {Map<number, number>} */
    this.rootOf = new Map();
    callsByRegion(data).forEach((calls, region) => {
      if (calls.length) this.rootOf.set(region, this.add(region, -1, 0, calls, calls));
    });
    this.roots = [...this.rootOf.values()];
    /** @type {(number | undefined)[]} */
    this.known = [];
  }

  /** @param {number} region @param {number} parent @param {number} depth @param {number[]} ends
   *  @param {number[]} at */
  add(region, parent, depth, ends, at) {
    this.nodes.push({ region, parent, depth, ends, at, below: null });
    return this.nodes.length - 1;
  }

  /** @param {number} id @returns {number[]} */
  children(id) {
    const node = this.nodes[id];
    if (node.below) return node.below;
    /** @type {Map<number, [number[], number[]]>} */
    const groups = new Map();
    node.ends.forEach((call, index) => {
      const caller = this.data.calls[node.at[index]].parent;
      if (caller < 0) return;
      const { region } = this.data.calls[caller];
      const group = groups.get(region) ?? [[], []];
      group[0].push(call);
      group[1].push(caller);
      groups.set(region, group);
    });
    node.below = [...groups].map(([region, [ends, at]]) =>
      this.add(region, id, node.depth + 1, ends, at));
    return node.below;
  }

  /** @param {number} id */
  isInner(id) {
    return this.nodes[id].at.some((call) => this.data.calls[call].parent >= 0);
  }

  /** @param {number} id */
  parent(id) {
    return this.nodes[id].parent;
  }

  /** @param {number} id */
  depth(id) {
    return this.nodes[id].depth;
  }

  /** @param {CallValues} values */
  update({ own, over }) {
    this.over = over ?? ((/** @type {Iterable<number>} */ calls) => {
      let total = 0;
      for (const call of calls) total += own[call];
      return total;
    });
    this.known = [];
  }

  /** @param {number} id @returns {number} */
  value(id) {
    let value = this.known[id];
    if (value === undefined) {
      value = this.over(this.nodes[id].ends);
      this.known[id] = value;
    }
    return value;
  }

  /** What no caller has: the part of call paths that begin here. @param {number} id
   *  @returns {number} */
  own(id) {
    const { ends, at } = this.nodes[id];
    return this.over(ends.filter((_, index) => this.data.calls[at[index]].parent < 0));
  }

  /** @param {number} id @param {Uint8Array} mask @param {number} bit */
  mark(id, mask, bit) {
    this.nodes[id].ends.forEach((call) => { mask[call] = bit; });
  }

  /** @param {number} call */
  nodeOf(call) {
    return this.rootOf.get(this.data.calls[call].region) ?? 0;
  }

  /** @param {number} id */
  words(id) {
    const words = regionWords(this.data.regions[this.nodes[id].region]);
    return this.nodes[id].parent < 0 ? words : { ...words, name: `← ${words.name}` };
  }

  all() {
    return this.roots;
  }
}

/** @param {Data} data */
function callsByRegion(data) {
  /** @type {number[][]} */
  const calls = data.regions.map(() => []);
  data.calls.forEach(({ region }, call) => calls[region].push(call));
  return calls;
}

/** Call paths and those below them, each once. @param {Data} data @param {number[]} calls */
function withBelow(data, calls) {
  const all = new Set(calls);
  // What is added while the set is walked is walked too.
  for (const call of all) data.calls[call].children.forEach((child) => all.add(child));
  return all;
}

/** 1 for each call path that is not inside of another one of the same region: recursion counts
 *  once. @param {Data} data */
function outermost(data) {
  const outer = new Uint8Array(data.calls.length);
  const inside = new Uint32Array(data.regions.length);
  const open = data.calls.filter((node) => node.parent < 0).map((node) => node.id);
  // A call path that is left is marked by its complement.
  for (let call = open.pop(); call !== undefined; call = open.pop()) {
    if (call < 0) {
      inside[data.calls[~call].region]--;
      continue;
    }
    const { region, children } = data.calls[call];
    if (inside[region] === 0) outer[call] = 1;
    inside[region]++;
    open.push(~call, ...children);
  }
  return outer;
}
