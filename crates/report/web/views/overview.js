// The overview: what the machine and the measurement did, how efficient the run was, where its time
// went, and what to fix first. The same as the terminal's summary.

import { el, prose } from "../dom.js";
import { percent, seconds, wallTime } from "../format.js";
import { changed, differences } from "./difference.js";
import { findings } from "./findings.js";

/** What comes first: what the machine and the measurement did to the run, and what it does not show.
 *  @param {HTMLElement} host @param {any} raw */
export function renderFirst(host, raw) {
  const alerts = raw.alerts.map((/** @type {string} */ text) => el("p.alert", {}, ...prose(text)));
  const meaning = raw.difference ? [el("p.alert.quiet", {}, raw.difference)] : [];
  const notes = raw.notes.map((/** @type {string} */ text) => el("li", {}, ...prose(text)));
  host.replaceChildren(...alerts, ...meaning,
    notes.length ? el("ul.notes", {}, ...notes) : "");
}

/** @param {HTMLElement} host @param {any} raw @param {import("./findings.js").Leads} leads */
export function renderSummary(host, raw, leads) {
  const left = raw.difference ? [differences(raw)] : [efficiency(raw), allocation(raw)];
  const right = raw.difference ? [changed(raw)] : [alone(raw), findings(raw, leads)];
  host.replaceChildren(...[left, right].map((parts) => el("div.block", {}, ...parts)));
}

/** From where on a factor is good or fair: below 60 % it needs attention first, as in the method
 *  of the POP project. */
const GOOD = 0.8;
const FAIR = 0.6;

/** The parallel efficiency and its factors. @param {any} raw */
function efficiency(raw) {
  const level = (/** @type {number} */ share) =>
    (share >= GOOD ? "good" : share >= FAIR ? "fair" : "poor");
  // A sign stays with the factor after it, where the line is too short for all.
  const factor = (/** @type {string} */ sign, /** @type {number} */ share,
    /** @type {string} */ name, kind = "factor") => {
    const bar = el("i");
    bar.style.width = `${Math.min(Math.max(share, 0), 1) * 100}%`;
    return el(`div.${kind}.${level(share)}`, {},
      el("div.sign", { "aria-hidden": "true" }, sign),
      el("div", {}, el("div.number", {}, percent(share)), el("div.meter", {}, bar),
        el("div.name", {}, name)));
  };
  return el("div.card.efficiency", {},
    factor("", raw.parallel, "parallel efficiency", "factor.whole"),
    ...raw.factors.map((/** @type {[string, number]} */ [name, share], /** @type {number} */ index) =>
      factor(index ? "×" : "=", share, name)));
}

/** What the CPU allocation time was spent on. @param {any} raw */
function allocation(raw) {
  const parts = raw.allocation.filter((/** @type {any} */ part) => part.time_s > 0);
  const stack = parts.map((/** @type {any} */ part) => {
    const piece = el(`span.part-${part.name}`, { title: `${part.title}: ${seconds(part.time_s)}` });
    piece.style.width = `${part.share * 100}%`;
    return piece;
  });
  const rows = parts.map((/** @type {any} */ part) => el("tr", {},
    el("td.swatch", {}, el(`i.part-${part.name}`)), el("td", {}, part.title),
    el("td.number", {}, seconds(part.time_s)), el("td.number", {}, percent(part.share))));
  return el("div.card", {},
    el("h2", {}, `${raw.locations.length} × ${wallTime(raw)} of CPU allocation went to`),
    el("div.stack", { role: "img", "aria-label": "CPU allocation" }, ...stack),
    el("table.parts", {}, el("tbody", {}, ...rows)));
}

/** What a run on one thread tells. @param {any} raw */
function alone(raw) {
  if (!raw.alone.length) return null;
  const items = raw.alone.map((/** @type {string} */ text) => el("li", {}, text));
  const next = raw.next.map((/** @type {string} */ command) => el("code.command", {}, command));
  return el("div.card.alone", {},
    el("h2", {}, "On one thread there is no waiting. This run shows"), el("ul", {}, ...items),
    el("h2", {}, "Next"), ...next);
}
