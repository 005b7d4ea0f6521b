// The trees of a part of the run. The answer of the source for a window has call paths and properties
// with numbers of its own; here they get the numbers of the whole run, so that what is selected, open
// and hidden stays as it is. Call paths and threads are matched by their names.

import { Data } from "./data.js";

/** @typedef {{parent: number, region: number}} Call */

/** Keys of the region of a call path below its parent: with its place, and without, because a trace
 *  may not know it. @param {number} parent @param {import("./data.js").RawRegion} region */
const keysOf = (parent, { name, place }) => [`${parent}\n${name}\n${place}`, `${parent}\n${name}`];

/** The run's call paths by parent and region, and those that only the window has at the end.
 *  @param {Data} data @param {Data} part */
function callsOf(data, part) {
  const regions = [...data.regions];
  /** @type {[number, number][]} */
  const calls = data.calls.map(({ parent, region }) => [parent, region]);
  /** @type {Map<string, number>} */
  const known = new Map();
  const add = (/** @type {string} */ key, /** @type {number} */ call) =>
    known.has(key) || known.set(key, call);
  data.calls.forEach(({ id, parent }) =>
    keysOf(parent, data.region(id)).forEach((key) => add(key, id)));
  /** @type {Map<import("./data.js").RawRegion, number>} */
  const added = new Map();
  const numbers = part.calls.map(() => -1);
  // Parents come before their children.
  part.calls.forEach(({ id, parent }) => {
    const region = part.region(id);
    let above = parent < 0 ? -1 : numbers[parent];
    // Without events of the program itself, what it calls is the outermost region of a trace.
    if (parent < 0 && !known.has(keysOf(-1, region)[1])) above = 0;
    const keys = keysOf(above, region);
    let call = known.get(keys[0]) ?? known.get(keys[1]);
    if (call === undefined) {
      let place = added.get(region);
      if (place === undefined) {
        place = regions.push(region) - 1;
        added.set(region, place);
      }
      call = calls.push([above, place]) - 1;
      const number = call;
      keys.forEach((key) => add(key, number));
    }
    numbers[id] = call;
  });
  return { regions, calls, numbers };
}

/** The place of each thread of the window among those of the run, or -1. @param {Data} data
 *  @param {Data} part */
function locationsOf(data, part) {
  const names = (/** @type {Data} */ { locations, raw }) =>
    locations.map((/** @type {{name: string, process: number}} */ { name, process }) =>
      (raw.processes.length > 1 ? `${raw.processes[process].name}\n${name}` : name));
  const places = new Map(names(data).map((/** @type {string} */ name, /** @type {number} */ at) =>
    [name, at]));
  return names(part).map((/** @type {string} */ name) => places.get(name) ?? -1);
}

/** The whole run's data with the values of a window. @param {Data} data of the whole run
 *  @param {any} raw the answer of the source @returns {Data} */
export function windowData(data, raw) {
  const part = new Data(raw);
  const { regions, calls, numbers } = callsOf(data, part);
  const places = locationsOf(data, part);
  const values = data.metrics.map(({ name }) => {
    const metric = part.metricNamed(name);
    return metric < 0 ? [] : rowsOf(part, metric, numbers, places, data.width);
  });
  return new Data({ ...data.raw, regions, calls, values });
}

/** The rows of a metric with the numbers of the run. @param {Data} part @param {number} metric @param {number[]} numbers
 *  @param {number[]} places @param {number} width @returns {number[][]} */
function rowsOf(part, metric, numbers, places, width) {
  const { calls, cells } = part.rows(metric);
  return Array.from(calls, (call, at) => {
    const row = [numbers[call], ...Array(width).fill(0)];
    for (let from = 0; from < part.width; from++) {
      if (places[from] >= 0) row[places[from] + 1] += cells[at * part.width + from];
    }
    return row;
  });
}
