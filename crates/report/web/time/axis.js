// Time on an axis: round ticks, and times with as many digits as tell neighbours apart.

/** The shortest window, in ticks. */
export const WINDOW_MIN = 8;

/** The steps of a decade. */
const STEPS = [1, 2, 5, 10];

/** Round times within a window, at most `count` of them. All in seconds.
 *  @param {number} begin @param {number} end @param {number} count
 *  @returns {{step: number, times: number[]}} */
export function roundTimes(begin, end, count) {
  const rough = (end - begin) / Math.max(count, 1);
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * (STEPS.find((factor) => decade * factor >= rough * (1 - 1e-9)) ?? 10);
  const times = [];
  for (let at = Math.ceil(begin / step - 1e-9); at * step <= end * (1 + 1e-12); at++) {
    times.push(at * step);
  }
  return { step, times };
}

/** The unit of an axis, by the length of the run: one for all its windows.
 *  @param {number} length in seconds @returns {{scale: number, name: string}} */
export function unitFor(length) {
  if (length >= 0.1) return { scale: 1, name: "s" };
  return length >= 1e-4 ? { scale: 1e3, name: "ms" } : { scale: 1e6, name: "µs" };
}

/** Digits after the point, so that a step can be seen. @param {number} step */
export function digitsFor(step) {
  return Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));
}

/** A time after the begin of the run: `0.3350 s`. @param {number} time in seconds
 *  @param {number} step in seconds @param {{scale: number, name: string}} unit */
export function clockText(time, step, { scale, name } = { scale: 1, name: "s" }) {
  return `${(time * scale).toFixed(digitsFor(step * scale))} ${name}`;
}

/** The length of a time in its best unit, with three digits: `40.0 ms`. @param {number} value */
export function lengthText(value) {
  const size = Math.abs(value);
  /** @type {[number, string]} */
  const [scale, unit] = size >= 0.9995 ? [1, "s"] : size >= 9.995e-4 ? [1e3, "ms"]
    : size >= 9.995e-7 ? [1e6, "µs"] : [1e9, "ns"];
  const scaled = size * scale;
  const digits = scaled >= 99.95 || (unit === "ns" && scaled >= 9.995) ? 0 : scaled >= 9.995 ? 1 : 2;
  return `${(value * scale).toFixed(digits)} ${unit}`;
}

/** A window that is `factor` times as long, around a time that stays where it is; within the run and
 *  not shorter than `least`. @param {[number, number]} window @param {number} at
 *  @param {number} factor @param {number} length @param {number} least
 *  @returns {[number, number]} */
export function zoomed([t0, t1], at, factor, length, least) {
  const width = Math.min(length, Math.max(least, (t1 - t0) * factor));
  const share = t1 > t0 ? (at - t0) / (t1 - t0) : 0.5;
  return moved([at - share * width, at - share * width + width], 0, length);
}

/** A window moved by some time, within the run. @param {[number, number]} window
 *  @param {number} by @param {number} length @returns {[number, number]} */
export function moved([t0, t1], by, length) {
  const width = Math.min(t1 - t0, length);
  const begin = Math.min(Math.max(0, t0 + by), length - width);
  return [begin, begin + width];
}

/** An interval with some of its surroundings. @param {number} start @param {number} end
 *  @param {number} length @returns {[number, number]} */
export function around(start, end, length) {
  const room = Math.max((end - start) / 10, 1);
  return moved([start - room, end + room], 0, length);
}
