// What the tasks page shows, computed from the cube: what each thread did, and which threads created
// and executed the instances of a construct. It knows no browser.

import { percent } from "../format.js";
import { sum } from "../trees/data.js";

/**
 * @typedef {import("../trees/data.js").Data} Data
 * What a thread did, in ticks. The parts sum to its wall time.
 * @typedef {{executing: number, computing: number, creating: number, waiting: number,
 *   rest: number}} Doing
 */

/** 1 for each call path inside of a task. @param {Data} data */
export function insideTasks(data) {
  const inside = new Uint8Array(data.calls.length);
  // Parents come before their children.
  data.calls.forEach(({ parent }, call) => {
    inside[call] = data.region(call).name === "TASKS" || (parent >= 0 && inside[parent]) ? 1 : 0;
  });
  return inside;
}

/** Sums of a metric by location over some call paths. @param {Data} data @param {string} name
 *  @param {(call: number) => boolean} isWanted */
function byLocation(data, name, isWanted = () => true) {
  const sums = new Float64Array(data.width);
  const metric = data.metricNamed(name);
  if (metric < 0) return sums;
  const { calls, cells } = data.rows(metric);
  calls.forEach((call, row) => {
    if (!isWanted(call)) return;
    for (let at = 0; at < data.width; at++) sums[at] += cells[row * data.width + at];
  });
  return sums;
}

/** What each thread did: the pictures of the three problems as sums. @param {Data} data
 *  @returns {Doing[]} */
export function doings(data) {
  const inside = insideTasks(data);
  const executing = byLocation(data, "comp", (call) => inside[call] === 1);
  const computing = byLocation(data, "comp", (call) => inside[call] === 0);
  const creating = byLocation(data, "omp_task_creation");
  const waiting = byLocation(data, "omp_synchronization");
  const time = byLocation(data, "time");
  return data.locations.map((/** @type {unknown} */ _, /** @type {number} */ at) => {
    const parts = {
      executing: executing[at], computing: computing[at], creating: creating[at],
      waiting: waiting[at],
    };
    return { ...parts, rest: Math.max(0, time[at] - sum(Object.values(parts))) };
  });
}

/** The sentence about a task problem that is not worth a repair: tasks may cost most of the CPU time,
 *  but the run would not be shorter without these costs. @param {any[]} findings
 *  @param {string} name of the problem's property */
export function calmVerdict(findings, name) {
  const named = (/** @type {string} */ property) => findings.find((of) => of.property === property);
  const costs = (/** @type {any} */ of) => `costs ${of.lost}, ${percent(of.share)} of the CPU time`;
  const finding = named(name);
  if (finding) return `${costs(finding)}, but the run would hardly be shorter without it`;
  const creation = named("omp_task_creation");
  if (name !== "tasks_too_small" || !creation) return "not found";
  const gain = creation.significant ? "" : ", and the run would hardly be shorter without it";
  return `not found, although creating tasks ${costs(creation)}${gain}`;
}

/** Instances of a construct by thread. @param {Data} data @param {number} region the task's
 *  @returns {{created: Float64Array, executed: Float64Array}} */
export function instances(data, region) {
  const { file, line } = data.regions[region];
  const inside = insideTasks(data);
  const creates = (/** @type {number} */ call) => {
    const of = data.region(call);
    // A construct creates where it begins.
    return /^(task create|taskloop)$/.test(of.role) && of.file === file && of.line === line;
  };
  return {
    created: byLocation(data, "tasks_created", creates),
    executed: byLocation(data, "visits",
      (call) => data.calls[call].region === region && inside[call] === 1),
  };
}

/** Bins of some distributions as columns of one axis: exponents of two, in ticks.
 *  @param {{histogram: {below_s: number, count: number}[], count: number}[]} all
 *  @param {number} rate ticks per second @param {number} least share below which a bin is left out */
export function sharedBins(all, rate, least) {
  const exponent = (/** @type {{below_s: number}} */ bin) =>
    Math.round(Math.log2(Math.max(bin.below_s * rate, 1)));
  const shown = all.map(({ histogram, count }) =>
    histogram.filter((bin) => bin.count >= least * count));
  const exponents = shown.flat().map(exponent);
  if (!exponents.length) return { first: 0, columns: 0, rows: shown.map(() => []) };
  const first = Math.min(...exponents);
  const columns = Math.max(...exponents) - first + 1;
  const rows = shown.map((bins) => bins.map((bin) => ({ ...bin, column: exponent(bin) - first })));
  return { first, columns, rows };
}
