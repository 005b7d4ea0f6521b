// What the run costs more than one on one thread: the overhead of each construct, and by how much
// longer its work takes.

import { el } from "../dom.js";
import { seconds } from "../format.js";
import { block, number, tables } from "./tables.js";

/** Those after the first two are shown if one of their values is not 0. @type {[string, string][]} */
const COLUMNS = [["serial_s", "serial"], ["overhead_s", "overhead"], ["computing_s", "computing"],
  ["barriers_s", "barriers"], ["openmp_s", "OpenMP"], ["mpi_s", "MPI"], ["idle_s", "idle"],
  ["other_s", "other"]];

/** The least and the most of the work inflation of a construct. @param {any} of */
function inflation(of) {
  if (of.inflation_high_s === null) return "";
  const [low, high] = [of.inflation_low_s, of.inflation_high_s].map(seconds);
  return low === high ? low : `${low} to ${high}`;
}

/** @param {any} raw */
export function serialCosts(raw) {
  if (!raw.serial) return null;
  const { constructs } = raw.serial;
  const columns = COLUMNS.filter(([field], at) =>
    at < 2 || constructs.some((/** @type {any} */ of) => of[field]));
  const row = (/** @type {any} */ of) => el("tr", {}, el("td", {}, of.label),
    ...columns.map(([field]) => number(seconds(of[field]))), number(inflation(of)));
  const base = el("p.base", {}, `The run on one thread took ${seconds(raw.serial.wall_s)}. `
    + `All threads together take ${seconds(raw.serial.overhead_s)} more CPU time.`);
  const heads = ["construct", ...columns.map(([, title]) => title), "work inflation"];
  return block("Overheads", base, ...tables(heads, constructs.map(row)));
}
