// The levels of the POMP paper's Figure 1: what a thread does as seen from serial and parallel parts,
// from worksharing, from synchronisation, or from the runtime. A level colours only the regions that
// belong to it; those of other levels show the region around them.

/** @typedef {import("../source/source.js").Region} Region */

/** @typedef {{title: string, variable: string, has: (region: Region) => boolean}} Category */
/** @typedef {{name: string, title: string, categories: Category[]}} Level */

/** @param {string[]} roles @returns {(region: Region) => boolean} */
const roles = (...roles) => {
  const known = new Set(roles);
  return ({ role }) => known.has(role);
};

const SYNCHRONISATION = ["barrier", "implicit barrier", "taskwait", "taskgroup end", "critical",
  "ordered", "lock", "atomic", "flush"];
const WORKSHARING = ["loop", "loop construct", "chunk", "sections", "section", "single",
  "single sblock", "workshare", "master", "masked", "scope", "distribute", "critical sblock",
  "ordered sblock"];
const TASKS = ["task", "taskloop", "target"];
const RUNTIME = ["task create", "taskyield", "cancel"];

/** @param {string} title @param {string} variable @param {(region: Region) => boolean} has
 *  @returns {Category} */
const category = (title, variable, has) => ({ title, variable, has });

const serial = category("serial", "--l-serial", ({ paradigm, role }) =>
  paradigm === "user" || role === "function" || role === "artificial");
const parallel = category("parallel", "--l-parallel", roles("parallel"));

/** All levels; the first one colours by states. @type {Level[]} */
export const LEVELS = [
  { name: "states", title: "States", categories: [] },
  { name: "parallel", title: "Serial and parallel", categories: [serial, parallel] },
  { name: "worksharing", title: "Worksharing", categories: [parallel,
    category("worksharing", "--t-computing", roles(...WORKSHARING)),
    category("tasks", "--l-tasks", roles(...TASKS))] },
  { name: "synchronisation", title: "Synchronisation", categories: [parallel,
    category("synchronisation", "--t-waiting", roles(...SYNCHRONISATION))] },
  { name: "runtime", title: "Runtime", categories: [parallel,
    category("task management", "--t-overhead", roles(...RUNTIME)),
    category("MPI", "--t-mpi", ({ paradigm }) => paradigm === "mpi")] },
];

/** The place of a region in a level's categories, or -1. @param {Level} level
 *  @param {Region} region */
export function categoryOf(level, region) {
  // Later categories are the more special ones.
  return level.categories.findLastIndex(({ has }) => has(region));
}

/** Intervals that overlap, as one each, in the order of time: the parallel regions of a process are
 *  what its threads have of them. @param {[number, number][]} intervals
 *  @returns {[number, number][]} */
export function united(intervals) {
  /** @type {[number, number][]} */
  const found = [];
  for (const [start, end] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** When a thread started and ended its work in the parallel regions of its process: what is left at
 *  both ends is startup and shutdown. Intervals of both are in the order of time.
 *  @param {[number, number][]} regions
 *  @param {[number, number][]} works parallel intervals of the thread
 *  @returns {{startup: [number, number][], shutdown: [number, number][]}} */
export function startups(regions, works) {
  /** @type {[number, number][]} */
  const startup = [];
  /** @type {[number, number][]} */
  const shutdown = [];
  let at = 0;
  for (const [begin, end] of regions) {
    while (at < works.length && works[at][1] <= begin) at++;
    let last = at;
    while (last + 1 < works.length && works[last + 1][0] < end) last++;
    const [first, final] = [works[at], works[last]];
    if (!first || first[0] >= end) continue;
    if (first[0] > begin) startup.push([begin, first[0]]);
    if (final[1] < end) shutdown.push([final[1], end]);
  }
  return { startup, shutdown };
}
