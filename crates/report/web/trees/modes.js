// Value modes: what 100 % is. Each pane has its own mode; a base refers to the pane itself or to
// one to its left, so which modes a pane offers depends on the order of the panes.

/**
 * @typedef {"metrics" | "calls" | "system"} Pane
 * @typedef {"absolute" | "own" | "metric-root" | "metric-selection" | "call-root"
 *   | "call-selection" | "system-root" | "system-selection" | "peer" | "position" | "external"} Mode
 */

/** All modes: title, the pane that the base belongs to (or a pane to the left of which it needs to
 *  stand), and what it does. @type {{mode: Mode, title: string, of: Pane | "self" | "peers" | "external"}[]} */
export const VALUE_MODES = [
  { mode: "absolute", title: "Absolute", of: "self" },
  { mode: "own", title: "% of own root", of: "self" },
  { mode: "metric-root", title: "% of property root", of: "metrics" },
  { mode: "metric-selection", title: "% of selected property", of: "metrics" },
  { mode: "call-root", title: "% of call path root", of: "calls" },
  { mode: "call-selection", title: "% of selected call path", of: "calls" },
  { mode: "system-root", title: "% of machine", of: "system" },
  { mode: "system-selection", title: "% of selected locations", of: "system" },
  { mode: "peer", title: "% of largest peer", of: "peers" },
  { mode: "position", title: "% between peers", of: "peers" },
  { mode: "external", title: "% of another report", of: "external" },
];

/** Modes of a pane. Peers exist among locations only.
 *  @param {Pane} pane @param {Pane[]} order the panes from left to right
 *  @param {boolean} hasExternal whether there is another report */
export function modesOf(pane, order, hasExternal = false) {
  const left = order.slice(0, order.indexOf(pane));
  return VALUE_MODES.filter(({ of }) => of === "self" || (of === "peers" && pane === "system")
    || (of === "external" && hasExternal) || left.includes(/** @type {Pane} */ (of)));
}

/** The choices that set all panes at once. @type {[string, string][]} */
export const QUICK = [
  ["absolute", "Absolute"],
  ["root", "% of root"],
  ["selection", "% of selection"],
];

/** Mode of a pane after a quick choice. @param {string} quick @param {Pane} pane
 *  @param {Pane[]} order @returns {Mode} */
export function quickMode(quick, pane, order) {
  if (quick === "absolute") return "absolute";
  const at = order.indexOf(pane);
  if (at === 0) return "own";
  if (quick === "root") return "metric-root";
  /** @type {Record<Pane, Mode>} */
  const selections = {
    metrics: "metric-selection", calls: "call-selection", system: "system-selection",
  };
  return selections[order[at - 1]];
}

/**
 * A value as a share of 1 in a mode, or NaN where the base is 0.
 * @param {Mode} mode @param {number} value
 * @param {{root: number, bases: Partial<Record<Mode, number>>, least?: number, most?: number}} of
 *   own root, bases of other panes, extremes among peers
 */
export function shareIn(mode, value, of) {
  if (mode === "position") {
    const [least, most] = [of.least ?? 0, of.most ?? 0];
    return most > least ? (value - least) / (most - least) : 0;
  }
  const base = mode === "own" ? of.root : mode === "peer" ? of.most : of.bases[mode];
  return base ? value / base : 0;
}
