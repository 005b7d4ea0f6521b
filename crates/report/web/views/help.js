// What is selected, explained: the documentation of the property, the source of the call path.

import { el } from "../dom.js";
import { count, seconds } from "../format.js";

export function renderHelp(host, data, panes) {
  host.replaceChildren(propertyHelp(data, panes.metrics.focused),
    callHelp(data, panes.calls.focused));
}

function propertyHelp(data, id) {
  const metric = data.metrics[id];
  const doc = data.raw.docs.find((entry) => entry.name === metric.name);
  const terms = (doc?.sections ?? []).flatMap(([heading, text]) =>
    [el("dt", {}, heading), el("dd", {}, text)]);
  return el("article", {}, el("h3", {}, metric.title), el("code.name", {}, metric.name),
    el("dl", {}, ...terms));
}

function callHelp(data, id) {
  const region = data.region(id);
  const path = [];
  for (let call = id; call >= 0; call = data.calls[call].parent) path.unshift(call);
  const rate = data.raw.ticks_per_second;
  const own = (name) => {
    const metric = data.metricNamed(name);
    const cells = data.metricCells(metric);
    return cells.slice(id * data.width, (id + 1) * data.width).reduce((a, b) => a + b, 0);
  };
  const lines = region.end_line > region.line ? `${region.line}–${region.end_line}` : region.line;
  const facts = [
    ["Source", region.file ? `${region.file}, line ${lines}` : "unknown"],
    ["Visits", count(own("visits"))],
    ["Own time", seconds(own("execution") / rate)],
  ];
  if (data.isStub(id)) facts.push(["Tasks executed here", seconds(own("task_time") / rate)]);
  return el("article", {}, el("h3", {}, region.label),
    el("span.name", {}, `${region.role}, ${region.paradigm}`),
    el("dl", {}, ...facts.flatMap(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]),
      el("dt", {}, "Call path"),
      el("dd", {}, el("ol", {}, ...path.map((call) => el("li", {}, data.region(call).label))))));
}
