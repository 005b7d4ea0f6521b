// What is selected, explained: the documentation of the property, the source of the call path.

import { el } from "../dom.js";
import { count, seconds } from "../format.js";

/** Callers that are listed; of a deeper path the first and the last ones. */
const LISTED = 24;

/** @param {HTMLElement} host @param {import("../trees/data.js").Data} data
 *  @param {import("../trees/panes.js").Panes} panes */
export function renderHelp(host, data, panes) {
  const [call] = panes.selectedCalls();
  const id = panes.form.key === "calls" ? panes.calls.focused : call ?? 0;
  host.replaceChildren(propertyHelp(data, panes.metrics.focused),
    callHelp(data, id, panes));
}

/** @param {import("../trees/data.js").Data} data @param {number} id */
function propertyHelp(data, id) {
  const metric = data.metrics[id];
  const doc = data.raw.docs.find((/** @type {{name: string}} */ entry) => entry.name === metric.name);
  const terms = (doc?.sections ?? []).flatMap((/** @type {string[]} */ [heading, text]) =>
    [el("dt", {}, heading), el("dd", {}, text)]);
  return el("article", {}, el("h3", {}, metric.title), el("code.name", {}, metric.name),
    el("dl", {}, ...terms));
}

/** @param {import("../trees/data.js").Data} data @param {number} id
 *  @param {import("../trees/panes.js").Panes} panes */
function callHelp(data, id, { toTimeline, toSource }) {
  const region = data.region(id);
  const rate = data.raw.ticks_per_second;
  const own = (/** @type {string} */ name) => data.own(data.metricNamed(name), id);
  const lines = region.end_line > region.line ? `${region.line}–${region.end_line}` : region.line;
  const facts = [
    ["Source", region.file ? `${region.file}, line ${lines}` : "unknown"],
    ["Visits", count(own("visits"))],
    ["Own time", seconds(own("execution") / rate)],
  ];
  if (data.isStub(id)) facts.push(["Tasks executed here", seconds(own("task_time") / rate)]);
  return el("article", {}, el("h3", {}, region.label),
    el("span.name", {}, `${region.role}, ${region.paradigm}`),
    toTimeline && region.role !== "artificial"
      ? el("button.to-timeline", { onclick: () => toTimeline(region.name) }, "Show in timeline")
      : null,
    toSource && region.file && region.line
      ? el("button.to-timeline", { onclick: () => toSource(region.file, region.line) }, "Show source")
      : null,
    el("dl", {}, ...facts.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]),
      el("dt", {}, "Call path"), el("dd", {}, callers(data, id))));
}

/** The regions from the root to a call path. @param {import("../trees/data.js").Data} data
 *  @param {number} id */
function callers(data, id) {
  const path = [];
  for (let call = id; call >= 0; call = data.calls[call].parent) path.unshift(call);
  const item = (/** @type {number} */ call) => el("li", {}, data.region(call).label);
  if (path.length <= LISTED) return el("ol", {}, ...path.map(item));
  const half = LISTED / 2;
  const rest = el("li.rest", {}, `… ${path.length - LISTED} more …`);
  const list = el("ol", {}, ...path.slice(0, half).map(item), rest, ...path.slice(-half).map(item));
  list.children[half + 1].setAttribute("value", String(path.length - half + 1));
  return list;
}
