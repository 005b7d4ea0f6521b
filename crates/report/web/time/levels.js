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

/** Whether a level shows startup and shutdown of threads. @param {Level} level */
export const hasEdges = ({ name }) => name === "states" || name === "parallel";
