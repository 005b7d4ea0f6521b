// Numbers as people read them: as in the terminal's report, but for percentages below 10, which have
// a digit more.

/** Seconds with two or three digits: `4.8 s`, `0.66 s`, `31 ms`. @param {number} value
 *  @returns {string} */
export function seconds(value) {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size >= 99.95) return `${count(Math.round(value))} s`;
  if (size >= 0.995) return `${value.toFixed(1)} s`;
  if (size >= 0.0995) return `${value.toFixed(2)} s`;
  const [scaled, unit] = size >= 9.995e-4 ? [value * 1e3, "ms"]
    : size >= 9.995e-7 ? [value * 1e6, "µs"] : [value * 1e9, "ns"];
  return `${scaled.toFixed(Math.abs(scaled) >= 9.95 ? 0 : 1)} ${unit}`;
}

/** Wall time of a run, with three digits. @param {any} raw */
export function wallTime(raw) {
  const wall = raw.wall_ticks / raw.ticks_per_second;
  return wall >= 1 && wall < 9.995 ? `${wall.toFixed(2)} s` : seconds(wall);
}

/** A share of 1 in percent: `61 %`, `0.4 %`. @param {number} share */
export function percent(share) {
  const value = share * 100;
  const size = Math.abs(value);
  if (size >= 9.95) return `${value.toFixed(0)} %`;
  if (size >= 0.095) return `${value.toFixed(1)} %`;
  return size > 0 ? "<0.1 %" : "0 %";
}

/** A number of things, in millions from a million on. @param {number} value */
export function count(value) {
  const size = Math.abs(value);
  const scaled = (/** @type {number} */ unit) =>
    (value / unit).toFixed(size < 99.95 * unit ? 1 : 0);
  if (size >= 999_500_000) return `${scaled(1e9)} bn`;
  if (size >= 1e6) return `${scaled(1e6)} m`;
  return Math.round(value).toLocaleString("en-US");
}

/** The text of a difference: a value above 0 has its sign too. @param {number} value
 *  @param {string} text */
export function signed(value, text) {
  return value > 0 ? `+${text}` : text;
}

/** A severity in the unit of its metric. @param {number} value @param {string} unit
 *  @param {number} ticksPerSecond */
export function severity(value, unit, ticksPerSecond) {
  if (unit === "sec") return seconds(value / ticksPerSecond);
  // A mean of counts.
  return Number.isInteger(value) || Math.abs(value) >= 1000 ? count(value) : value.toFixed(2);
}
