// How several values of a property become one, if they are not added: the largest one, or the mean.
// Values of call paths are combined on each location first, and then those of locations, as in the
// other reports. A value that is 0 is no value of a call path; all locations count.

/**
 * @typedef {"sum" | "maximum" | "mean"} How
 * @typedef {{calls: How, locations: How, percent_of: number, words: string}} Display
 * @typedef {{sum: number, largest: number, count: number}} Combined
 * @typedef {import("./data.js").Data} Data
 */

/** Whether values are added, so that parts make the whole. @param {Display | undefined} display */
export function isSum(display) {
  return !display || (display.calls === "sum" && display.locations === "sum");
}

/** No values. @returns {Combined} */
export const none = () => ({ sum: 0, largest: 0, count: 0 });

/** Adds values to others. @param {Combined} to @param {Combined} more */
export function merge(to, more) {
  if (!more.count) return;
  to.largest = to.count ? Math.max(to.largest, more.largest) : more.largest;
  to.sum += more.sum;
  to.count += more.count;
}

/** Adds one value. @param {Combined} to @param {number} value */
export function add(to, value) {
  merge(to, { sum: value, largest: value, count: 1 });
}

/** All as one; 0 if there is none. @param {Combined} values @param {How} how */
export function valueOf({ sum, largest, count }, how) {
  if (how === "maximum") return largest;
  return how === "mean" ? sum / Math.max(count, 1) : sum;
}

/** One value of many. @param {Iterable<number>} values @param {How} how */
export function combine(values, how) {
  const all = none();
  for (const value of values) add(all, value);
  return valueOf(all, how);
}

/** Values by location, each over the call paths of the mask, if there is one.
 *  @param {Data} data @param {number} metric @param {How} how @param {Uint8Array | null} mask */
export function byLocation(data, metric, how, mask = null) {
  const { calls, cells } = data.rows(metric);
  return Float64Array.from({ length: data.width }, (_, location) => {
    const here = none();
    calls.forEach((call, row) => {
      const value = cells[row * data.width + location];
      if (value && (!mask || mask[call])) add(here, value);
    });
    return valueOf(here, how);
  });
}

/** The value of a property over everything. @param {Data} data @param {number} metric
 *  @param {How} [overLocations] another way than that of the property */
export function total(data, metric, overLocations) {
  const { display } = data.metrics[metric];
  const values = byLocation(data, metric, display?.calls ?? "sum");
  return combine(values, overLocations ?? display?.locations ?? "sum");
}

/**
 * Own and inclusive values of every call path, and those of any call paths together.
 * @param {Data} data @param {number} metric @param {Display} display @param {Uint8Array | null} mask
 *   locations
 * @returns {import("./severity.js").CallValues}
 */
export function combinedCalls(data, metric, display, mask) {
  const { calls, cells } = data.rows(metric);
  const row = new Map(Array.from(calls, (call, at) => [call, at * data.width]));
  const locations = [...Array(data.width).keys()].filter((at) => !mask || mask[at]);
  const cell = (/** @type {number} */ call, /** @type {number} */ at) =>
    cells[(row.get(call) ?? NaN) + at] || 0;
  const over = (/** @type {Iterable<number>} */ some) => {
    const own = [...some];
    return combine(locations.map((at) => combine(
      own.map((call) => cell(call, at)).filter((value) => value), display.calls)),
    display.locations);
  };
  const below = data.calls.map(none);
  for (const at of locations) {
    const here = data.calls.map(none);
    // Parents come before their children.
    for (let call = data.calls.length - 1; call >= 0; call--) {
      const value = cell(call, at);
      if (value) add(here[call], value);
      add(below[call], valueOf(here[call], display.calls));
      const { parent } = data.calls[call];
      if (parent >= 0) merge(here[parent], here[call]);
    }
  }
  return {
    own: Float64Array.from(data.calls, ({ id }) => over([id])),
    inclusive: Float64Array.from(below, (values) => valueOf(values, display.locations)),
    over,
  };
}

/** Values of all nodes of the system tree. @param {Data} data @param {Float64Array} values by
 *  location @param {How} how */
export function combinedSystem(data, values, how) {
  const all = data.system.map(none);
  for (let id = all.length - 1; id >= 0; id--) {
    const { index, parent } = data.system[id];
    if (index >= 0) add(all[id], values[index]);
    if (parent >= 0) merge(all[parent], all[id]);
  }
  return Float64Array.from(all, (combined) => valueOf(combined, how));
}
