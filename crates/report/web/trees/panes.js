// The three coupled trees: property, call path, location. A selection flows to the right: the call
// tree shows the selected property, the location tree the selected call path of it. The last two may
// change places; then the call tree shows what the selected locations did.

import { percent, severity, signed } from "../format.js";
import { baseOf, headBase } from "./bases.js";
import { combine, isSum } from "./combine.js";
import { sum } from "./data.js";
import { BottomUp, ByConstruct, CallTree, Flat } from "./forms.js";
import { quickMode, shareIn } from "./modes.js";
import { Outline } from "./outline.js";
import {
  callValues, displayOf, locationValues, maskOf, metricValue, partsOf, spread, systemValues,
} from "./severity.js";
import { Tree } from "./tree.js";
import { Values } from "./values.js";

/** @typedef {import("./modes.js").Pane} Pane */

/** Forms of the middle pane. @type {[string, string][]} */
export const FORMS = [
  ["calls", "Call tree"],
  ["flat", "Flat"],
  ["construct", "By construct"],
  ["bottom", "Bottom-up"],
  ["flame", "Flame"],
];

/** @type {Record<string, new (data: import("./data.js").Data) => import("./forms.js").Form>} */
const FORM_CLASSES = { calls: CallTree, flat: Flat, construct: ByConstruct, bottom: BottomUp };

export class Panes extends Values {
  /**
   * @param {import("./data.js").Data} data
   * @param {Record<Pane, {body: HTMLElement, of: HTMLElement, base: HTMLElement,
   *   foot: HTMLElement}>} hosts
   * @param {() => void} onChange
   */
  constructor(data, hosts, onChange) {
    super(data);
    this.hosts = hosts;
    this.onChange = onChange;
    /** Shows a region in the timeline, if there is one. @type {((region: string) => void) | null} */
    this.toTimeline = null;
    /** Shows a line of a source, if there are sources.
     *  @type {((file: string, line: number) => void) | null} */
    this.toSource = null;
    this.titles = { property: "", path: "", where: "" };
    /** @type {import("./external.js").External | null} */
    this.external = null;
    /** @type {Pane[]} */
    this.order = ["metrics", "calls", "system"];
    /** @type {Record<string, {form: import("./forms.js").Form, outline: Outline}>} */
    this.forms = {};
    this.shown = "calls";
    this.hideBelow = 0;
    this.unit = "sec";
    const start = this.formNamed("calls");
    this.form = start.form;
    this.metrics = this.makeTree("metrics", "Property", this.metricForest(), {
      describe: (id) => this.describeMetric(id),
      nameOf: (id) => data.metrics[id].title,
      visible: (id) => this.isVisible(id),
    });
    this.calls = this.makeTree("calls", "Call path", start.form, {
      describe: (id) => this.describeCall(id),
      nameOf: (id) => this.form.words(id).name,
    });
    start.outline = this.calls.outline;
    this.system = this.makeTree("system", "Location", this.systemForest(), {
      describe: (id) => this.describeLocation(id),
      nameOf: (id) => data.system[id].name,
    });
    // Shares of a difference mean nothing.
    this.quick = "";
    /** @type {Record<Pane, import("./modes.js").Mode>} */
    this.modes = { metrics: "own", calls: "metric-root", system: "metric-root" };
    this.setQuick(data.raw.difference ? "absolute" : "root", false);
    this.start();
  }

  /** @param {Pane} pane @param {string} label @param {import("./outline.js").Forest} forest
   *  @param {Pick<ConstructorParameters<typeof Tree>[1], "describe" | "nameOf" | "visible">} options */
  makeTree(pane, label, forest, options) {
    const tree = new Tree(this.hosts[pane].body, {
      label, forest, onSelect: () => this.update(), onToggle: () => this.update(), ...options,
    });
    tree.selected.add(tree.focused);
    return tree;
  }

  /** Whether a property has a row: it has a value, or it or one below it is selected.
   *  @param {number} id */
  isVisible(id) {
    const { metrics, totals } = this.data;
    if (totals[id] !== 0 || metrics[id].name === "time") return true;
    return [...this.metrics?.selected ?? []].some((selected) => {
      let at = selected;
      while (at >= 0 && at !== id) at = metrics[at].parent;
      return at === id;
    });
  }

  metricForest() {
    const { metrics, totals } = this.data;
    return {
      roots: metrics.filter((node) => node.parent < 0).map((node) => node.id),
      children: (/** @type {number} */ id) => metrics[id].children,
      isInner: (/** @type {number} */ id) => metrics[id].children.length > 0,
      parent: (/** @type {number} */ id) => metrics[id].parent,
      depth: (/** @type {number} */ id) => metrics[id].depth,
      value: (/** @type {number} */ id) => totals[id],
      own: (/** @type {number} */ id) => metricValue(this.data, { id, minus: metrics[id].children }),
    };
  }

  systemForest() {
    const { system } = this.data;
    return {
      roots: [0],
      children: (/** @type {number} */ id) => system[id].children,
      isInner: (/** @type {number} */ id) => system[id].children.length > 0,
      parent: (/** @type {number} */ id) => system[id].parent,
      depth: (/** @type {number} */ id) => system[id].depth,
      value: (/** @type {number} */ id) => this.systemAll[id],
      own: (/** @type {number} */ id) => (system[id].index >= 0 ? this.systemAll[id] : 0),
      mark: (/** @type {number} */ id, /** @type {Uint8Array} */ mask,
        /** @type {number} */ bit) => {
        const open = [id];
        for (let node = open.pop(); node !== undefined; node = open.pop()) {
          if (system[node].index >= 0) mask[system[node].index] = bit;
          open.push(...system[node].children);
        }
      },
    };
  }

  /** A form with what is open in it; made when it is first looked at. @param {string} key */
  formNamed(key) {
    const known = this.forms[key];
    if (known) return known;
    const form = new FORM_CLASSES[key](this.data);
    const outline = new Outline(form, () => true, (id) => form.words(id).name);
    outline.columns = form.extra ?? [];
    // A list that is not a tree is read from the largest value down.
    if (key !== "calls") outline.order = "value";
    this.forms[key] = { form, outline };
    return this.forms[key];
  }

  /** Properties closed (an open `time` has nothing of its own), all of time selected. */
  start() {
    this.calls.outline.expanded.add(this.form.roots[0]);
    // Thousands of locations would hide their processes.
    const limit = this.data.width > 256 ? 2 : 3;
    this.data.system.forEach((node) => {
      if (node.depth < limit) this.system.outline.expanded.add(node.id);
    });
    this.metrics.outline.shareOf = (id) => ratio(this.data.totals[id], this.ownRoot(id));
    this.update();
  }

  /** Sets the modes of all panes. @param {string} quick */
  setQuick(quick, draws = true) {
    this.quick = quick;
    for (const pane of this.order) this.modes[pane] = quickMode(quick, pane, this.order);
    if (draws) this.update();
  }

  /** @param {Pane} pane @param {import("./modes.js").Mode} mode */
  setMode(pane, mode) {
    this.quick = "";
    this.modes[pane] = mode;
    this.update();
  }

  /** Whether locations stand left of call paths. @param {boolean} is */
  setLocationsFirst(is) {
    this.order = is ? ["metrics", "system", "calls"] : ["metrics", "calls", "system"];
    this.setQuick(this.quick || "root");
  }

  get locationsFirst() {
    return this.order[1] === "system";
  }

  /** Shows the values of another part of the run. Call paths have the same numbers there; some may
   *  be added at the end. @param {import("./data.js").Data} data */
  become(data) {
    const before = this.selectedCalls();
    this.data = data;
    this.metrics.outline.forest = this.metricForest();
    this.system.outline.forest = this.systemForest();
    const { outline } = this.forms.calls;
    const form = new CallTree(data);
    outline.forest = form;
    [outline.expanded, outline.hidden].forEach((ids) => keepBelow(ids, data.calls.length));
    this.forms = { calls: { form, outline } };
    if (this.form.key === "calls") {
      this.form = form;
      keepBelow(this.calls.selected, data.calls.length);
      if (!this.calls.selected.size) this.calls.selected.add(form.roots[0]);
      if (this.calls.focused >= data.calls.length) [this.calls.focused] = this.calls.selected;
      this.update();
    } else {
      this.showForm(this.form.key, before.filter((call) => call < data.calls.length));
    }
  }

  /** @param {string} key @param {number[]} calls that are selected in it */
  showForm(key, calls) {
    const { form, outline } = this.formNamed(key);
    this.form = form;
    this.calls.become(form, outline);
    this.calls.found = { matches: new Set(), above: new Set() };
    form.update(callValues(this.data, partsOf(picksOf(this.metrics))));
    const nodes = new Set(calls.map((call) => form.nodeOf(call)));
    if (nodes.size && nodes.size <= 64) this.calls.reveal([...nodes]);
    else this.update();
  }

  /** Shows call paths in another form, with the same of them selected. @param {string} shown */
  setForm(shown) {
    const before = this.selectedCalls();
    this.shown = shown;
    const key = shown === "flame" ? "calls" : shown;
    if (key === this.form.key) this.update();
    else this.showForm(key, before);
  }

  /** The call paths that are looked at, but none if all are. */
  selectedCalls() {
    const mask = this.callMask;
    /** @type {number[]} */
    const calls = [];
    const roots = this.form.roots.length === this.calls.selected.size
      && this.form.roots.every((id) => this.calls.selected.has(id));
    if (roots) return calls;
    // The outermost ones stand for what is below them.
    mask.forEach((bit, call) => {
      const { parent } = this.data.calls[call];
      if (bit && !(parent >= 0 && mask[parent])) calls.push(call);
    });
    return calls;
  }

  /** @param {number} threshold a share of the selection */
  setHideBelow(threshold) {
    this.hideBelow = threshold;
    this.update();
  }

  /** Recomputes what depends on selections and shows it. */
  update() {
    this.recompute();
    this.titles = this.titlesNow();
    [this.metrics, this.calls, this.system].forEach((tree) => tree.render());
    this.label();
    this.onChange();
  }

  recompute() {
    const { data, metrics, calls, system } = this;
    this.dropOtherUnits();
    metrics.outline.threshold = this.hideBelow;
    metrics.outline.changed();
    const picks = picksOf(metrics);
    const parts = partsOf(picks);
    this.metricSelected = picks.reduce((value, pick) => value + metricValue(data, pick), 0);
    this.rootTotal = data.whole(picks[0]?.id ?? 0);
    this.display = displayOf(data, parts);
    if (this.locationsFirst) {
      this.setLocations(locationValues(data, parts), parts);
      this.locationMask = maskOf(/** @type {any} */ (system.outline.forest), picksOf(system), data.width);
      this.setCalls(callValues(data, parts, this.locationMask));
    } else {
      this.setCalls(callValues(data, parts));
      this.setLocations(locationValues(data, parts, this.callMask), parts);
    }
    this.largestLocation = this.locationValues.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    this.bases = this.basesNow();
  }

  /** Metrics of different units cannot be added, and neither can maxima and means: the last one that
   *  was selected decides. */
  dropOtherUnits() {
    const { metrics, data } = this;
    const { unit, display } = data.metrics[metrics.focused];
    this.unit = unit;
    for (const id of metrics.selected) {
      const other = data.metrics[id];
      const adds = other.unit === unit && isSum(display) && isSum(other.display);
      if (!adds && id !== metrics.focused) metrics.selected.delete(id);
    }
  }

  /** @param {import("./severity.js").CallValues} values */
  setCalls(values) {
    const { data, calls } = this;
    this.callValues = values;
    this.form.update(values);
    const { over } = values;
    this.callWhole = over ? over(data.calls.keys()) : sum(values.own);
    // What the colours of call paths refer to: parts of a difference may cancel out.
    this.colourWhole = data.raw.difference ? sum(values.own.map(Math.abs)) : this.callWhole;
    calls.outline.shareOf = (id) => ratio(this.form.value(id), this.colourWhole);
    calls.outline.threshold = this.hideBelow;
    calls.outline.adds = !over;
    calls.outline.changed();
    this.callMask = maskOf(this.form, picksOf(calls), data.calls.length);
    const isSelected = (/** @type {number} */ call) => this.callMask[call] === 1;
    this.callSelected = over ? over([...data.calls.keys()].filter(isSelected))
      : values.own.reduce((total, own, call) => total + (isSelected(call) ? own : 0), 0);
    const { roots } = this.form;
    this.largestRoot = roots.reduce((most, id) => Math.max(most, this.form.value(id)), 0);
  }

  /** @param {Float64Array} values @param {import("./severity.js").Parts} parts */
  setLocations(values, parts) {
    this.locationValues = values;
    this.systemAll = systemValues(this.data, values, parts);
    this.system.outline.changed();
    this.peers = peersByDepth(this.data, this.systemAll);
  }

  /** What 100 % is in the modes that refer to another pane. */
  basesNow() {
    const { calls, system, display } = this;
    const rootsOf = (/** @type {Tree} */ tree) =>
      new Set([...tree.selected].map((id) => tree.outline.path(id).at(-1) ?? id));
    const value = (/** @type {Tree} */ tree, /** @type {import("./combine.js").How} */ how = "sum") =>
      combine([...rootsOf(tree)].map((id) => tree.outline.forest.value(id)), how);
    return {
      "metric-root": this.rootTotal,
      "metric-selection": this.metricSelected,
      "call-root": value(calls, display?.calls),
      "call-selection": this.callSelected,
      "system-root": value(system, display?.locations),
      "system-selection": combine(picksOf(system).map(({ id }) => system.outline.shown(id)),
        display?.locations ?? "sum"),
      external: this.externalBase(this.metrics.focused),
    };
  }

  /** Total of the root of a property in another report, in ticks or counts; 0 if it has none.
   *  @param {number} metric */
  externalBase(metric) {
    const { name, unit } = this.data.metrics[this.data.metricRoot(metric)];
    const total = this.external?.totals.get(name) ?? 0;
    return unit === "sec" ? total * this.data.raw.ticks_per_second : total;
  }

  /** Values as percentages of another report; null ends that.
   *  @param {import("./external.js").External | null} external */
  setExternal(external) {
    this.external = external;
    if (!external) {
      this.setQuick("root");
      return;
    }
    for (const pane of this.order) this.modes[pane] = "external";
    this.quick = "";
    this.update();
  }

  /** The name of a property, with what must be known of its values. @param {number} metric */
  propertyTitle(metric) {
    const { title, display } = this.data.metrics[metric];
    return display ? `${title} (${display.words})` : title;
  }

  /** What is selected in each pane. */
  titlesNow() {
    const { data } = this;
    const names = (/** @type {Tree} */ tree, /** @type {(id: number) => string} */ name) =>
      [...tree.selected].slice(0, 4).map(name).join(" + ")
        + (tree.selected.size > 4 ? ` + ${tree.selected.size - 4} more` : "");
    const property = names(this.metrics, (id) => this.propertyTitle(id));
    const path = names(this.calls, (id) => {
      const { name, place } = this.form.words(id);
      return place ? `${name} ${place.split("/").at(-1)}` : name;
    });
    const where = names(this.system, (id) => data.system[id].name);
    return { property, path, where };
  }

  /** What stands above and below the trees. */
  label() {
    const { hosts, titles: { property, path, where } } = this;
    for (const pane of this.order) hosts[pane].base.textContent = headBase(this, pane);
    const [calls, system] = this.locationsFirst
      ? [`${property}, ${where}`, property] : [property, `${property}, ${path}`];
    hosts.calls.of.textContent = calls;
    hosts.system.of.textContent = system;
    const first = picksOf(this.metrics)[0]?.id ?? 0;
    const root = this.data.metrics[this.data.metricRoot(first)].title;
    this.foot("metrics", this.metricSelected, this.rootTotal, root);
    this.foot("calls", this.callSelected, this.callWhole, calls);
    const { least, mean, most, deviation } = spread(this.locationValues);
    const words = Object.entries({ mean, least, most, deviation }).map(([word, value]) =>
      `${word} ${this.severity(value, this.unit)}`);
    hosts.system.foot.textContent = words.join(" · ");
  }

  /** @param {Pane} pane @param {number} value @param {number} whole @param {string} name of it */
  foot(pane, value, whole, name) {
    const share = this.data.raw.difference ? "" : ` · ${percent(ratio(value, whole))} of ${name}`;
    this.hosts[pane].foot.textContent = `selected ${this.severity(value, this.unit)}${share}`;
  }

  /** A value in the unit of its metric; that of a difference has a sign.
   *  @param {number} value @param {string} unit */
  severity(value, unit) {
    const { ticks_per_second: rate, difference } = this.data.raw;
    const text = severity(value, unit, rate);
    return difference ? signed(value, text) : text;
  }

  /** A value as text. @param {Pane} pane @param {number} value @param {string} unit
   *  @param {number} root @param {{least: number, most: number}} peers */
  text(pane, value, unit, root, peers = { least: 0, most: 0 }, bases = this.bases) {
    const mode = this.modes[pane];
    if (mode === "absolute") return this.severity(value, unit);
    if (mode === "external" && !bases.external) return "–";
    return percent(shareIn(mode, value, { root, bases, ...peers }));
  }

  /** A value in words: a percentage says what of. @param {Pane} pane @param {number} id
   *  @param {string} text of the value */
  said(pane, id, text) {
    const base = text === "–" ? "" : baseOf(this, pane, id);
    return base ? `${text} of ${base}` : text;
  }

  /** The severity of a row, and its percentage if that is what the row shows. @param {Pane} pane
   *  @param {number} value @param {string} unit @param {string} said */
  both(pane, value, unit, said) {
    const severity = this.severity(value, unit);
    return this.modes[pane] === "absolute" ? severity : `${severity}, ${said}`;
  }

  /** @param {number} metric */
  ownRoot(metric) {
    return this.data.whole(metric);
  }

  /** @param {number} id @returns {import("./tree.js").Shown} */
  describeMetric(id) {
    const metric = this.data.metrics[id];
    const value = this.metrics.outline.shown(id);
    const root = this.ownRoot(id);
    const text = this.text("metrics", value, metric.unit, root, undefined,
      { external: this.externalBase(id) });
    const words = metric.display ? ` (${metric.display.words})` : "";
    const said = this.said("metrics", id, text);
    const title = `${metric.name}: ${this.both("metrics", value, metric.unit, said)}${words}`;
    // Counts have no colour: all visits are not a bad thing.
    const share = metric.unit === "sec" ? ratio(value, root) : 0;
    return { name: metric.title, value, text, said, share, title };
  }

  /** @param {number} id @returns {import("./tree.js").Shown} */
  describeCall(id) {
    const { form, unit } = this;
    const { outline } = this.calls;
    const value = outline.shown(id);
    const { title, ...words } = form.words(id);
    const root = form.key === "calls"
      ? form.value(/** @type {number} */ (outline.path(id).at(-1))) : this.callWhole;
    const hidden = outline.isExpanded(id) ? outline.hiddenBelow(id) : 0;
    const below = hidden ? ` (${percent(ratio(hidden, value))} of it in hidden rows)` : "";
    const [callees, visits] = (form.extra ?? []).map((column) => column(id));
    const text = this.text("calls", value, unit, root);
    const said = this.said("calls", id, text);
    return {
      ...words,
      value,
      text,
      said,
      share: ratio(value, this.colourWhole),
      bar: form.key === "calls" ? undefined : ratio(value, this.largestRoot),
      extra: form.extra && [
        Number.isNaN(callees) ? "" : this.text("calls", callees, unit, root),
        this.severity(visits, "occ")],
      title: `${title}: ${this.both("calls", value, unit, said)}${below}`,
    };
  }

  /** @param {number} id @returns {import("./tree.js").Shown} */
  describeLocation(id) {
    const { name, kind, depth } = this.data.system[id];
    const isOpen = this.system.isExpanded(id);
    const value = isOpen ? null : this.systemAll[id];
    const whole = this.locationsFirst ? this.metricSelected : this.callSelected;
    if (value === null) return { name, value, text: "–", share: 0 };
    const text = this.text("system", value, this.unit, this.systemAll[0], this.peers[depth]);
    const said = this.said("system", id, text);
    return {
      name,
      value,
      text,
      said,
      share: ratio(value, whole),
      bar: kind === "location" ? ratio(value, this.largestLocation) : undefined,
      title: this.both("system", value, this.unit, said),
    };
  }

  /** Shows a finding: its metric, and the call paths that the loss lies in. The one that has most of
   *  it is looked at. @param {string} metricName @param {number[]} calls */
  show(metricName, calls) {
    if (this.form.key !== "calls") this.setForm("calls");
    const metric = this.data.metricNamed(metricName);
    if (metric >= 0) this.metrics.reveal([metric]);
    const { own } = this.callValues;
    if (calls.length) this.calls.reveal([...calls].sort((a, b) => own[a] - own[b]));
  }

  /** What is selected, for the timeline: the names of the regions that have the property there, and
   *  the threads, if they are not all. @returns {import("../time/lit.js").Chosen} */
  selection() {
    const { data, callMask, callValues: { own } } = this;
    const names = new Set(data.calls.flatMap(({ id }) =>
      (callMask[id] && own[id] !== 0 ? [data.region(id).name] : [])));
    const forest = /** @type {any} */ (this.system.outline.forest);
    const mask = maskOf(forest, picksOf(this.system).map(({ id }) => ({ id, minus: [] })), data.width);
    const chosen = data.locations.filter((/** @type {any} */ _, /** @type {number} */ at) => mask[at]);
    const isAll = chosen.length === 0 || chosen.length === data.width;
    const process = (/** @type {number} */ at) => data.raw.processes[at].name;
    return {
      title: this.titleOf(isAll),
      names,
      locations: isAll ? null : chosen.map((/** @type {any} */ of) =>
        ({ name: of.name, process: process(of.process) })),
      width: data.width,
    };
  }

  /** What is selected, in words. @param {boolean} isEverywhere on all threads */
  titleOf(isEverywhere) {
    const { property, path, where } = this.titles;
    const parts = [property];
    if (this.selectedCalls().length) parts.push(path);
    if (!isEverywhere) parts.push(where);
    return parts.join(", ");
  }
}

/** @param {Set<number>} ids @param {number} most */
function keepBelow(ids, most) {
  ids.forEach((id) => id >= most && ids.delete(id));
}

/** @param {number} part @param {number} whole */
function ratio(part, whole) {
  return whole ? part / whole : 0;
}

/** @param {Tree} tree */
function picksOf(tree) {
  return [...tree.selected].map((id) => tree.outline.pick(id));
}

/** Extremes of the nodes of each level, inner nodes with all below them.
 *  @param {import("./data.js").Data} data @param {Float64Array} values */
function peersByDepth(data, values) {
  /** @type {{least: number, most: number}[]} */
  const peers = [];
  data.system.forEach(({ depth }, id) => {
    peers[depth] ??= { least: Infinity, most: -Infinity };
    peers[depth].least = Math.min(peers[depth].least, values[id]);
    peers[depth].most = Math.max(peers[depth].most, values[id]);
  });
  return peers;
}
