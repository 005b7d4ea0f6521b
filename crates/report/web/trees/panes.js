// The three coupled trees: property, call path, location. A selection flows to the right: the call
// tree shows the selected property, the location tree the selected call path of it.

import { sum } from "./data.js";
import { el } from "../dom.js";
import { Tree } from "./tree.js";
import { percent, severity, signed } from "../format.js";
import {
  callValues, locationValues, metricValue, pick, selectedCells, systemValue,
} from "./severity.js";

export const MODES = [
  ["absolute", "Absolute"],
  ["root", "% of root"],
  ["selection", "% of selection"],
];

export class Panes {
  constructor(data, hosts, onChange) {
    this.data = data;
    // Shares of a difference mean nothing.
    this.mode = data.raw.difference ? "absolute" : "root";
    this.onChange = onChange;
    this.metrics = this.makeTree(hosts.metrics, "Property", data.metrics, {
      describe: (id) => this.describeMetric(id),
      visible: (id) => data.totals[id] !== 0 || data.metrics[id].name === "time",
    });
    this.calls = this.makeTree(hosts.calls, "Call path", data.calls, {
      describe: (id) => this.describeCall(id),
    });
    this.system = this.makeTree(hosts.system, "Location", data.system, {
      describe: (id) => this.describeLocation(id),
    });
    this.metrics.onLargest = (id) => this.metrics.expandLargest(id, (node) => data.totals[node]);
    this.calls.onLargest = (id) =>
      this.calls.expandLargest(id, (node) => this.callValues.inclusive[node]);
    this.start();
  }

  makeTree(host, label, nodes, options) {
    const of = el("span.of");
    const body = el("div.tree");
    host.replaceChildren(el("div.head", {}, el("h2", {}, label), of), body);
    const tree = new Tree(body, {
      label,
      nodes,
      roots: nodes.filter((node) => node.parent < 0).map((node) => node.id),
      onSelect: () => this.update(),
      onToggle: () => this.update(),
      ...options,
    });
    tree.of = of;
    return tree;
  }

  /** Properties closed (an open `time` has nothing of its own), all of time selected. */
  start() {
    [this.metrics, this.calls].forEach((tree) => tree.selected.add(tree.roots[0]));
    this.calls.expanded.add(this.calls.roots[0]);
    this.data.system.forEach((node) => this.system.expanded.add(node.id));
    this.recompute();
    [this.metrics, this.calls, this.system].forEach((tree) => tree.render());
  }

  setMode(mode) {
    this.mode = mode;
    this.update();
  }

  /** Recomputes what depends on selections and shows it. */
  update() {
    this.recompute();
    [this.metrics, this.calls, this.system].forEach((tree) => tree.refresh());
    this.onChange();
  }

  recompute() {
    const { data } = this;
    // Metrics of different units cannot be added: the last one that was selected decides.
    const unit = data.metrics[this.metrics.focused].unit;
    for (const id of this.metrics.selected) {
      if (data.metrics[id].unit !== unit) this.metrics.selected.delete(id);
    }
    const metrics = [...this.metrics.selected].map((id) => pick(this.metrics, id));
    const calls = [...this.calls.selected].map((id) => pick(this.calls, id));
    this.unit = unit;
    this.metricPicks = metrics;
    this.cells = selectedCells(data, metrics);
    this.callValues = callValues(data, this.cells);
    this.locationValues = locationValues(data, this.cells, calls);
    this.metricSelected = metrics.reduce((value, p) => value + metricValue(data, p), 0);
    // What the colours of call paths refer to: parts of a difference may cancel out.
    this.colourWhole = data.raw.difference
      ? sum(this.callValues.own.map(Math.abs)) : this.metricSelected;
    this.callSelected = this.locationValues.reduce((value, own) => value + own, 0);
    this.rootTotal = data.totals[data.metricRoot(metrics[0]?.id ?? 0)];
    const names = (tree, name) => [...tree.selected].map(name).join(" + ");
    this.calls.of.textContent = names(this.metrics, (id) => data.metrics[id].title);
    const place = ({ file, line }) => (file ? ` ${file.split("/").at(-1)}:${line}` : "");
    this.system.of.textContent =
      names(this.calls, (id) => data.region(id).construct + place(data.region(id)));
  }

  /** A value in the unit of its metric; that of a difference has a sign. */
  severity(value, unit) {
    const { ticks_per_second: rate, difference } = this.data.raw;
    const text = severity(value, unit, rate);
    return difference ? signed(value, text) : text;
  }

  /** A value as text; `whole` is 100 % of the selection mode. */
  text(value, unit, root, whole) {
    if (value === null) return "–";
    if (this.mode === "absolute") return this.severity(value, unit);
    const base = this.mode === "root" ? root : whole;
    return percent(base ? value / base : 0);
  }

  describeMetric(id) {
    const { data } = this;
    const metric = data.metrics[id];
    const value = metricValue(data, pick(this.metrics, id));
    const root = data.totals[data.metricRoot(id)];
    const text = this.text(value, metric.unit, root, root);
    const title = `${metric.name}: ${this.severity(value, metric.unit)}`;
    // Counts have no colour: all visits are not a bad thing.
    const share = root && metric.unit === "sec" ? value / root : 0;
    return { name: metric.title, value, text, share, title };
  }

  describeCall(id) {
    const { data } = this;
    const region = data.region(id);
    const { own, inclusive } = this.callValues;
    const value = this.calls.isExpanded(id) ? own[id] : inclusive[id];
    const whole = this.metricSelected;
    const how = (region.clauses && ` ${region.clauses}`) +
      (region.barrier_included ? " (barrier included)" : "");
    return {
      name: region.construct,
      place: region.place,
      value,
      text: this.text(value, this.unit, this.rootTotal, whole),
      share: this.colourWhole ? value / this.colourWhole : 0,
      title: `${region.label}${how}: ${this.severity(value, this.unit)}`,
      stub: data.isStub(id),
    };
  }

  describeLocation(id) {
    const { data } = this;
    const value = systemValue(data, this.locationValues, pick(this.system, id));
    const whole = this.callSelected;
    const largest = Math.max(...this.locationValues, 0);
    return {
      name: data.system[id].name,
      value,
      text: this.text(value, this.unit, this.rootTotal, whole),
      share: whole && value !== null ? value / whole : 0,
      bar: data.system[id].kind === "location" && largest > 0 ? value / largest : undefined,
      title: value === null ? "" : this.severity(value, this.unit),
    };
  }

  /** Shows a finding: its metric, and the call paths that the loss lies in. The one that has most of
   *  it is looked at. */
  show(metricName, calls) {
    const metric = this.data.metricNamed(metricName);
    if (metric >= 0) this.metrics.reveal([metric]);
    const { own } = this.callValues;
    if (calls.length) this.calls.reveal([...calls].sort((a, b) => own[a] - own[b]));
  }
}
