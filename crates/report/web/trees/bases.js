// What the percentages of the trees are percentages of, in words: a number without its base cannot be
// compared with another one.

/** @typedef {import("./modes.js").Pane} Pane */
/** @typedef {import("./panes.js").Panes} Panes */

/** What 100 % is in a row of a pane; empty if its values are no percentages.
 *  @param {Panes} panes @param {Pane} pane @param {number} id of the row */
export function baseOf(panes, pane, id) {
  const { titles: { property, path, where }, data } = panes;
  const rootOf = (/** @type {number} */ metric) => data.metrics[data.metricRoot(metric)].title;
  const first = [...panes.metrics.selected][0] ?? 0;
  switch (panes.modes[pane]) {
    case "own":
      if (pane === "metrics") return rootOf(id);
      return pane === "system" ? `${property} of all locations` : `${property} in ${rootName(panes, id)}`;
    case "metric-root": return rootOf(first);
    case "metric-selection": return property;
    case "call-root": return `${property} in the root of ${path}`;
    case "call-selection": return `${property} in ${path}`;
    case "system-root": return `${property} of all locations`;
    case "system-selection": return `${property} of ${where}`;
    case "peer": return "the largest one of its level";
    case "position": return "the range of its level";
    case "external": return panes.external?.name ?? "another report";
    default: return "";
  }
}

/** The root of a call path. @param {Panes} panes @param {number} id */
function rootName({ form, calls }, id) {
  return form.key === "calls" ? form.words(calls.outline.path(id).at(-1) ?? id).name : "all call paths";
}

/** The same for the head of a pane, whose rows may have different bases. @param {Panes} panes
 *  @param {Pane} pane */
export function headBase(panes, pane) {
  const { metrics, data } = panes;
  const isOwn = panes.modes[pane] === "own";
  if (pane === "metrics" && isOwn) {
    const isTime = data.metrics[metrics.focused].unit === "sec";
    const base = baseOf(panes, pane, metrics.focused);
    return isTime ? `times: % of ${base}` : `% of ${base}`;
  }
  const base = baseOf(panes, pane, panes[pane].focused);
  return base ? `% of ${base}` : "";
}
