// What the terminal's report has as tables: who waited for whom, processes side by side, costs
// compared with one thread, and times of single visits.

import { el } from "../dom.js";
import { count, percent, seconds } from "../format.js";
import { serialCosts } from "./serial.js";
import { block, more, number, table, tables } from "./tables.js";

/** @param {HTMLElement} host @param {any} raw @param {(call: number) => void} onCall */
export function renderDetails(host, raw, onCall) {
  const parts = [waits(raw, onCall), processes(raw), serialCosts(raw), visits(raw, onCall)]
    .filter((part) => part);
  host.replaceChildren(.../** @type {HTMLElement[]} */ (parts));
  host.hidden = !host.children.length;
}

/** @type {[string, string][]} */
const COLUMNS = [["comp", "computing"], ["mpi", "MPI"], ["omp_time", "OpenMP"],
  ["omp_idle_threads", "idle"], ["process_absent", "not there"]];

/** @param {any} raw */
function processes(raw) {
  if (raw.ranks.length < 2) return null;
  const at = (/** @type {any} */ rank, /** @type {string} */ metric) => rank.metrics[metric] ?? 0;
  const columns = COLUMNS.filter(([metric]) =>
    raw.ranks.some((/** @type {any} */ rank) => at(rank, metric)));
  const most = columns.map(([metric]) =>
    Math.max(...raw.ranks.map((/** @type {any} */ rank) => at(rank, metric))));
  const cell = (/** @type {number} */ value, /** @type {number} */ column) => {
    const bar = el("i.level");
    bar.style.width = `${most[column] > 0 ? Math.max(0, value / most[column]) * 100 : 0}%`;
    return el("td.number.levelled", {}, bar, el("span", {}, seconds(value)));
  };
  const rows = raw.ranks.map((/** @type {any} */ rank) => el("tr", {},
    el("td", {}, `${rank.name} on ${rank.node}`),
    ...columns.map(([metric], index) => cell(at(rank, metric), index))));
  return block("Processes", ...tables(["process", ...columns.map(([, title]) => title)], rows));
}

/** Constructs, and causes of each, that are shown at once. */
const SHOWN = 5;

/** Per construct that threads waited at, the threads that they waited for. @param {any} raw
 *  @param {(call: number) => void} onCall */
function waits(raw, onCall) {
  if (!raw.waits.length) return null;
  const cause = (/** @type {any} */ wait, /** @type {any} */ of) => {
    const call = of.call
      && el("button.link", { onclick: () => onCall(of.call[1]) }, of.call[0]);
    const code = of.code ? `, there in ${of.code}` : "";
    const who = of.thread ? [`${of.thread} in `, call, code] : ["others"];
    return el("tr.cause", {}, el("td", {}, ...who), number(seconds(of.wait_s)),
      number(count(of.visits)), number(percent(wait.wait_s ? of.wait_s / wait.wait_s : 0)));
  };
  const group = (/** @type {any} */ wait) => [
    el("tr.group", {}, el("td", {}, wait.name), number(seconds(wait.wait_s)),
      number(count(wait.visits)), number("100 %")),
    ...wait.causes.slice(0, SHOWN).map((/** @type {any} */ of) => cause(wait, of)),
  ];
  const heads = ["waiting at, and for whom", "lost (CPU)", "times", "share of the waiting there"];
  const part = (/** @type {any[]} */ waits) => table(heads, waits.flatMap(group));
  const all = raw.waits.length + (raw.left_out?.waits ?? 0);
  const rest = all > SHOWN ? more(all - SHOWN, () => [part(raw.waits.slice(SHOWN))]) : null;
  const base = el("p.base", {}, raw.waits_base);
  return block("Who waited for whom", base, part(raw.waits.slice(0, SHOWN)), rest);
}

/** @param {any} of */
const moments = (of) => [count(of.count), seconds(of.mean_s), seconds(of.deviation_s),
  seconds(of.min_s ?? 0), seconds(of.max_s ?? 0)].map(number);

/** @param {any} raw @param {(call: number) => void} onCall */
function visits(raw, onCall) {
  if (!raw.visit_times.length) return null;
  const name = (/** @type {any} */ of) => raw.regions[raw.calls[of.call_path][1]].label;
  const rows = raw.visit_times.slice(0, 50).map((/** @type {any} */ of) => el("tr", {},
    el("td", {}, el("button.link", { onclick: () => onCall(of.call_path) }, name(of))),
    ...moments(of)));
  return block("Time per visit",
    ...tables(["call path", "visits", "mean", "deviation", "min", "max"], rows));
}
