// The cube as the page has it: the three dimensions as arrays of nodes with parents and children,
// and severities by metric, call path and location. Severities are integers (clock ticks or
// counts), exclusive over call paths and inclusive over metrics, exactly as in the program.

/** Adds `children` and `depth` to nodes that know their parent's index (or -1). */
function link(nodes) {
  nodes.forEach((node, id) => Object.assign(node, { id, children: [] }));
  for (const node of nodes) {
    const parent = nodes[node.parent];
    if (parent) parent.children.push(node.id);
    node.depth = parent ? parent.depth + 1 : 0;
  }
  return nodes;
}

export class Data {
  constructor(raw) {
    this.raw = raw;
    this.metrics = link(raw.metrics);
    this.regions = raw.regions;
    this.calls = link(raw.calls.map(([parent, region]) => ({ parent, region })));
    this.locations = raw.locations;
    this.system = link(systemNodes(raw));
    this.width = raw.locations.length;
    this.cells = this.metrics.map(() => null);
    this.totals = this.metrics.map((_, id) => sum(this.metricCells(id)));
  }

  /** Severities of a metric: call paths x locations in one array. */
  metricCells(metric) {
    if (!this.cells[metric]) {
      const cells = new Float64Array(this.calls.length * this.width);
      for (const [call, ...row] of this.raw.values[metric]) cells.set(row, call * this.width);
      this.cells[metric] = cells;
    }
    return this.cells[metric];
  }

  metricNamed(name) {
    return this.metrics.findIndex((metric) => metric.name === name);
  }

  /** What the percentages of a metric refer to: CPU allocation for times, else its own root. */
  metricRoot(metric) {
    if (this.metrics[metric].unit === "sec") return this.metricNamed("time");
    while (this.metrics[metric].parent >= 0) metric = this.metrics[metric].parent;
    return metric;
  }

  region(call) {
    return this.regions[this.calls[call].region];
  }

  /** A stub stands for tasks that were executed at its parent; their time is in the task tree. */
  isStub(call) {
    const parent = this.calls[call].parent;
    const isTaskTree = parent >= 0 && this.region(parent).name === "TASKS";
    return this.region(call).role === "task" && !isTaskTree;
  }
}

/** Machine, nodes, processes and locations as one tree; only locations have values. */
function systemNodes(raw) {
  const nodes = [{ parent: -1, name: raw.machine || "machine", kind: "machine" }];
  const hosts = new Map();
  const processes = raw.processes.map((process) => {
    if (!hosts.has(process.node)) {
      hosts.set(process.node, nodes.length);
      nodes.push({ parent: 0, name: process.node, kind: "node" });
    }
    nodes.push({ parent: hosts.get(process.node), name: process.name, kind: "process" });
    return nodes.length - 1;
  });
  raw.locations.forEach((location, index) => {
    const parent = processes[location.process];
    nodes.push({ parent, name: location.name, kind: "location", index });
  });
  return nodes;
}

export function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
