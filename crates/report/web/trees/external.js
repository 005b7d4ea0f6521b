// Percentages of another report: its totals are the base, for example those of the run before a
// change. The file is read by the page itself and goes nowhere.

import { unpackText } from "../source/unpack.js";
import { Data } from "./data.js";

/** Reports are larger only if something else was chosen. */
const BYTES_MAX = 256 << 20;

/**
 * @typedef {object} External
 * @property {string} name of the file
 * @property {Map<string, number>} totals by property, in seconds or counts
 */

/** Totals of a report: of `pompeii report --json`, or of a page by `pompeii html`.
 *  @param {string} text @returns {Promise<Map<string, number>>} */
export async function totalsOf(text) {
  const [, type, content] = /<script type="(\S*)" id="data">(.*?)<\/script>/s.exec(text) ?? [];
  const embedded = type === "text/plain" ? await unpackText(content) : content;
  const raw = parsed(embedded ?? text);
  const rate = raw?.ticks_per_second;
  if (!Array.isArray(raw?.metrics) || !(rate > 0)) {
    throw new Error("This is no report of Pompeii: choose a file of `pompeii report --json` or "
      + "`pompeii html`.");
  }
  const data = embedded === undefined ? null : new Data(raw);
  return new Map(raw.metrics.map((/** @type {any} */ metric, /** @type {number} */ at) => {
    if (!data) return [metric.name, Number(metric.total)];
    return [metric.name, metric.unit === "sec" ? data.totals[at] / rate : data.totals[at]];
  }));
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {File} file @returns {Promise<External>} */
export async function readExternal(file) {
  if (file.size > BYTES_MAX) throw new Error("The file is larger than 256 MB.");
  return { name: file.name, totals: await totalsOf(await file.text()) };
}
