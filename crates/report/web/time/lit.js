// What stands out while all else fades: a region that was chosen in the sums, or what is selected in
// the trees. It is counted in the window, and its intervals are walked through.

import { el, fillWith } from "../dom.js";
import { count, percent } from "../format.js";
import { lengthText } from "./axis.js";
import { rounded } from "./followers.js";
import { latest } from "./latest.js";
import { findFrom } from "./select.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {{title: string, names: Set<string>, locations: {name: string, process: string}[] | null,
 *   width: number}} Chosen What is selected in the trees: names of regions, threads; `width` is the
 *   number of all threads there. */
/** @typedef {{title: string, regions: Set<number>, locations: Set<number> | null}} Lit */

const PAUSE_MS = 150;
/** Regions that are looked for, those with the most time in the window. */
const WALKED_MAX = 12;
/** Other regions whose names contain the wanted one, until a search gives up. */
const OTHERS_MAX = 50;

/** What stands out, or null. @param {Opened} open @param {string} region that was chosen
 *  @param {Chosen | null} chosen in the trees @returns {Lit | null} */
export function litOf(open, region, chosen) {
  const numbers = (/** @type {(name: string) => boolean} */ has) =>
    new Set(open.regions.flatMap(({ name }, at) => (has(name) ? [at] : [])));
  if (region) {
    const regions = numbers((name) => name === region);
    const [first] = regions;
    return { title: open.regions[first]?.label ?? region, regions, locations: null };
  }
  if (!chosen) return null;
  return { title: chosen.title, regions: numbers((name) => chosen.names.has(name)),
    locations: locationsOf(open, chosen) };
}

/** Threads of the trees in the trace, by their names. @param {Opened} open @param {Chosen} chosen */
function locationsOf({ locations, processes }, { locations: wanted }) {
  if (!wanted) return null;
  const key = (/** @type {string} */ process, /** @type {string} */ name) => `${process}\n${name}`;
  const places = new Map(locations.map(({ process, name }, at) =>
    [key(processes.length > 1 ? processes[process].name : "", name), at]));
  return new Set(wanted.flatMap(({ process, name }) =>
    places.get(key(processes.length > 1 ? process : "", name)) ?? []));
}

/** Says what stands out, how much of it the window has, and leads through it.
 *  @param {Timeline} time @param {import("./select.js").Selector} selector */
export function addLit(time, selector) {
  const host = el("span.lit", { hidden: "" });
  const title = el("b");
  const numbers = el("span.quiet", { role: "status" });
  const button = (/** @type {string} */ text, /** @type {string} */ what,
    /** @type {() => void} */ onclick) => el("button", { title: what, "aria-label": what, onclick }, text);
  fillWith(host, title, numbers,
    button("‹", "The one before (N)", () => walk(time, selector, true)),
    button("›", "The next one (n)", () => walk(time, selector, false)),
    button("✕", "Let nothing stand out (Esc)", () => time.state.set({ region: "", fade: "" })));
  const ask = latest((/** @type {{locs: string, window: [number, number]}} */ of, signal) =>
    time.source.sums({ ...of, by: "region" }, signal), (answer, _, { window: [t0, t1], locs }) => {
    const lit = time.lit();
    const rows = (answer?.rows ?? []).filter(({ key }) => lit?.regions.has(key));
    const ticks = rows.reduce((sum, row) => sum + row.ticks, 0);
    const visits = rows.reduce((sum, row) => sum + row.visits, 0);
    const whole = (t1 - t0) * locs.split(",").length;
    time.walked = rows.sort((a, b) => b.ticks - a.ticks).map(({ key }) => key).slice(0, WALKED_MAX);
    numbers.textContent = answer
      ? [visits ? `${count(visits)}×` : "", lengthText(ticks / time.open.ticks_per_second),
        percent(ticks / whole)].filter(Boolean).join(" · ") : "";
  }, PAUSE_MS);
  time.onFrame(() => {
    const lit = time.lit();
    host.hidden = !lit;
    if (!lit) return;
    if (title.textContent !== lit.title) title.textContent = title.title = lit.title;
    const all = lit.locations ? [...lit.locations] : [...time.open.locations.keys()];
    if (all.length) ask({ locs: all.join(","), window: rounded(time.window) });
  });
  return host;
}

/** Selects the next interval that stands out, or the one before. @param {Timeline} time
 *  @param {import("./select.js").Selector} selector @param {boolean} back */
export async function walk(time, selector, back) {
  const lit = time.lit();
  if (!lit) return;
  const of = selector.interval();
  const from = of ? (back ? of.since : of.end) : time.window[back ? 1 : 0];
  const wanted = time.walked.length ? time.walked : [...lit.regions].slice(0, WALKED_MAX);
  /** @type {import("../source/source.js").Found | null} */
  let best = null;
  for (const region of wanted) {
    const found = await nearest(time, lit, region, Math.floor(from), back);
    const isNearer = !best || (found && (back ? found.end > best.end : found.start < best.start));
    if (found && isNearer) best = found;
  }
  selector.goTo(best);
}

/** The nearest interval of a region. A search is by a part of a name, so others are passed over.
 *  @param {Timeline} time @param {Lit} lit @param {number} region @param {number} from
 *  @param {boolean} back */
async function nearest(time, lit, region, from, back) {
  const { name } = time.open.regions[region] ?? { name: "" };
  /** @type {Record<string, string>} */
  const locs = lit.locations ? { locs: [...lit.locations].join(",") } : {};
  let at = from;
  for (let others = 0; others < OTHERS_MAX; others++) {
    const found = await findFrom(time, { name, from: at, back: back ? 1 : 0, ...locs });
    if (!found || found.region === region) return found;
    at = back ? found.start : found.end;
  }
  return null;
}
