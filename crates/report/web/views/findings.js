// What to fix first: a card for each finding, which leads to its trees and to its worst moment.

import { el, prose } from "../dom.js";
import { percent, wallTime } from "../format.js";
import { allCodeTimes } from "./codetimes.js";
import { more } from "./tables.js";

/**
 * @typedef {object} Leads where a finding leads to
 * @property {(metric: string, calls: number[]) => void} show in the trees
 * @property {(finding: any) => Promise<(() => void) | null>} [moment] its worst moment in the timeline,
 *   which is known when the timeline is there
 */

/** Findings that are shown at once. */
const FIRST = 5;

/** @param {any} raw @param {Leads} leads */
export function findings(raw, leads) {
  const shown = raw.findings.filter((/** @type {any} */ finding) => finding.significant);
  if (!shown.length && raw.alone.length) return null;
  if (!shown.length) {
    return el("div.card.calm", {}, el("h2", {}, "Fix first"), el("p", {}, raw.nothing_found));
  }
  const all = shown.length + (raw.left_out?.findings ?? 0);
  const items = (/** @type {number} */ from, /** @type {number} */ to) =>
    el("ol.findings", {}, ...shown.slice(from, to).map(
      (/** @type {any} */ finding, /** @type {number} */ index) =>
        el("li", {}, card(raw, finding, from + index, leads))));
  return el("div", {}, el("h2", {}, "Fix first"), items(0, FIRST),
    all > FIRST ? more(all - FIRST, () => [items(FIRST, shown.length)]) : null,
    raw.gains_together ? el("p.together", {}, raw.gains_together) : null);
}

/** One finding: what and where, its numbers as the terminal has them, what was observed, advice.
 *  @param {any} raw @param {any} finding @param {number} index @param {Leads} leads */
function card(raw, finding, index, leads) {
  const of = finding.gain_s === null ? "" : ` of ${wallTime(raw)}`;
  const origin = finding.gain_origin === "trace" ? ", from the trace" : "";
  const level = el("i");
  level.style.width = `${Math.min(Math.max(finding.share, 0), 1) * 100}%`;
  return el(`div.finding${finding.explained_by ? ".explained" : ""}`, {},
    el("span.rank", {}, String(index + 1)),
    el("h3", {}, el("span.problem", {}, finding.title), ` ${finding.construct} `,
      el("span.place", {}, raw.regions[finding.region].place)),
    el("span.numbers", {}, "lost ", el("b", {}, finding.lost), " · gain ",
      el("b", {}, finding.gain), of, origin),
    el("span.loss", { role: "img", "aria-label": `${percent(finding.share)} of the CPU allocation`,
      title: `${percent(finding.share)} of the CPU allocation` }, level),
    el("span.why", {}, ...prose(finding.details.join(" "))),
    ...allCodeTimes(raw, finding),
    el("span.advice", {}, ...prose(finding.suggestion)),
    leadsOf(finding, leads));
}

/** Buttons that lead from a finding to its trees, and to its worst moment once that is known.
 *  @param {any} finding @param {Leads} leads */
export function leadsOf(finding, leads) {
  const show = () => leads.show(finding.metric, finding.call_paths);
  const host = el("span.leads", {}, el("button", { onclick: show }, "Show in trees"));
  leads.moment?.(finding).then((moment) => {
    if (moment) host.append(el("button", { onclick: moment }, "Show worst moment"));
  });
  return host;
}
