// The cube as the page has it: the three dimensions as arrays of nodes with parents and children,
// and severities by metric, call path and location. Severities are integers (clock ticks or
// counts), exclusive over call paths and inclusive over metrics, exactly as in the program. Only
// rows that are not 0 are kept, because a dense array of all call paths x locations x metrics would
// need gigabytes in a large run.

import { inOrder } from "../order.js";
import { isSum, total } from "./combine.js";

/**
 * @typedef {{name: string, title: string, unit: string, parent: number,
 *   display?: import("./combine.js").Display}} RawMetric
 * @typedef {{name: string, label: string, place: string, construct: string, role: string,
 *   paradigm: string, file: string, line: number, end_line: number, clauses: string,
 *   barrier_included: boolean, sampled: boolean}} RawRegion
 * @typedef {{id: number, parent: number, children: number[], depth: number}} Node
 * @typedef {Node & RawMetric} MetricNode
 * @typedef {Node & {region: number}} CallNode
 * @typedef {Node & {name: string, kind: string, index: number}} SystemNode
 * @typedef {{calls: Int32Array, cells: Float64Array}} Rows
 */

/**
 * Adds `children` and `depth` to nodes that know their parent's index (or -1). Parents come before
 * their children.
 * @template {{parent: number}} T
 * @param {T[]} nodes
 * @returns {(T & Node)[]}
 */
function link(nodes) {
  const linked = nodes.map((node, id) => ({ ...node, id, children: [], depth: 0 }));
  for (const node of linked) {
    const parent = linked[node.parent];
    if (!parent) continue;
    /** @type {number[]} */ (parent.children).push(node.id);
    node.depth = parent.depth + 1;
  }
  return linked;
}

export class Data {
  /** @param {any} raw what the page embeds, or what the server answers to `cube` */
  constructor(raw) {
    this.raw = raw;
    /** @type {MetricNode[]} */
    this.metrics = link(raw.metrics);
    /** @type {RawRegion[]} */
    this.regions = raw.regions;
    /** @type {CallNode[]} */
    this.calls = link(/** @type {[number, number][]} */ (raw.calls).map(([parent, region]) =>
      ({ parent, region })));
    this.locations = raw.locations;
    /** @type {SystemNode[]} */
    this.system = link(systemNodes(raw));
    /** @type {number} */
    this.width = raw.locations.length;
    /** @type {(Rows | null)[]} */
    this.sparse = this.metrics.map(() => null);
    this.totals = this.metrics.map(({ display }, id) =>
      (isSum(display) ? sum(this.rows(id).cells) : total(this, id)));
  }

  /** Severities of a metric that are not 0: call paths, and for each its values by location, one
   *  row after the other. @param {number} metric @returns {Rows} */
  rows(metric) {
    const known = this.sparse[metric];
    if (known) return known;
    const { width } = this;
    /** @type {number[][]} */
    const raw = this.raw.values[metric];
    const rows = {
      calls: new Int32Array(raw.length),
      cells: new Float64Array(raw.length * width),
    };
    raw.forEach((row, at) => {
      rows.calls[at] = row[0];
      for (let location = 0; location < width; location++) {
        rows.cells[at * width + location] = row[location + 1];
      }
    });
    this.sparse[metric] = rows;
    return rows;
  }

  /** Value of a metric at a call path, without its callees. @param {number} metric
   *  @param {number} call */
  own(metric, call) {
    if (metric < 0) return 0;
    const { calls, cells } = this.rows(metric);
    const at = calls.indexOf(call);
    return at < 0 ? 0 : sum(cells.subarray(at * this.width, (at + 1) * this.width));
  }

  /** @param {string} name */
  metricNamed(name) {
    return this.metrics.findIndex((metric) => metric.name === name);
  }

  /** What the percentages of a metric refer to: what it says itself, else CPU allocation for times,
   *  else its own root. @param {number} metric */
  metricRoot(metric) {
    const { percent_of: whole = -1 } = this.metrics[metric].display ?? {};
    if (whole >= 0) return whole;
    if (this.metrics[metric].unit === "sec") return this.metricNamed("time");
    while (this.metrics[metric].parent >= 0) metric = this.metrics[metric].parent;
    return metric;
  }

  /** 100 % of a metric. A mean over locations is a share of a mean. @param {number} metric */
  whole(metric) {
    const { display } = this.metrics[metric];
    const root = this.metricRoot(metric);
    return display && display.percent_of >= 0 ? total(this, root, display.locations)
      : this.totals[root];
  }

  /** @param {number} call */
  region(call) {
    return this.regions[this.calls[call].region];
  }

  /** All locations in the order in which they are shown. @returns {number[]} */
  locationsInOrder() {
    const processes = this.system.filter(({ kind }) => kind === "process");
    return processes.flatMap(({ children }) => children.map((id) => this.system[id].index));
  }

  /** A stub stands for tasks that were executed at its parent; their time is in the task tree.
   *  @param {number} call */
  isStub(call) {
    const parent = this.calls[call].parent;
    const isTaskTree = parent >= 0 && this.region(parent).name === "TASKS";
    return this.region(call).role === "task" && !isTaskTree;
  }
}

/** Machine, nodes, processes and locations as one tree; only locations have values.
 *  @param {any} raw */
function systemNodes(raw) {
  const nodes = [{ parent: -1, name: raw.machine || "machine", kind: "machine", index: -1 }];
  const hosts = new Map();
  const processes = raw.processes.map((/** @type {{name: string, node: string}} */ process) => {
    if (!hosts.has(process.node)) {
      hosts.set(process.node, nodes.length);
      nodes.push({ parent: 0, name: process.node, kind: "node", index: -1 });
    }
    nodes.push({ parent: hosts.get(process.node), name: process.name, kind: "process", index: -1 });
    return nodes.length - 1;
  });
  /** @type {{locations: {name: string, process: number}[]}} */
  const { locations } = raw;
  for (const index of inOrder(locations.map(({ name }) => name))) {
    const { process, name } = locations[index];
    nodes.push({ parent: processes[process], name, kind: "location", index });
  }
  return nodes;
}

/** @param {ArrayLike<number>} values */
export function sum(values) {
  let total = 0;
  for (let at = 0; at < values.length; at++) total += values[at];
  return total;
}
