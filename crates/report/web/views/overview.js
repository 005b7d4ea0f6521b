// The upper half of the page: what the terminal's summary says, with findings that can be followed
// into the trees.

import { waits } from "./details.js";
import { el, prose } from "../dom.js";
import { count, percent, seconds, signed, wallTime } from "../format.js";

export function renderTop(host, raw, themeButton) {
  const threads = `${raw.locations.length} thread${raw.locations.length === 1 ? "" : "s"}`;
  const processes = raw.processes.length === 1 ? "1 process" : `${raw.processes.length} processes`;
  const observed = raw.observed_by ? `observed by ${raw.observed_by}` : "";
  const regions = raw.regions.filter((region) => region.role !== "artificial").length;
  const size = `${regions} regions, ${count(raw.calls.length)} call paths`;
  const run = [`on ${threads} (${processes})`, observed, size];
  const facts = (raw.difference ? [size] : run).filter(Boolean).join(" · ");
  const where = [raw.started, raw.host && `on ${raw.host}`].filter(Boolean).join(" ");
  const title = raw.difference ? "difference of two reports" : wallTime(raw);
  host.replaceChildren(
    el("h1", {}, `${raw.program}: ${title}`),
    el("span.facts", {}, facts), el("span.spring"), themeButton,
    el("div.run", {}, where, raw.command ? el("code", {}, raw.command) : ""),
  );
}

/** What comes first: what the machine and the measurement did to the run, and what it does not show. */
export function renderFirst(host, raw) {
  const alerts = raw.alerts.map((text) => el("p.alert", {}, ...prose(text)));
  const meaning = raw.difference ? [el("p.alert.quiet", {}, raw.difference)] : [];
  const notes = raw.notes.map((text) => el("li", {}, ...prose(text)));
  host.replaceChildren(...alerts, ...meaning,
    notes.length ? el("ul.notes", {}, ...notes) : "");
}

export function renderSummary(host, raw, onFinding, onCall) {
  const left = raw.difference
    ? [allocation(raw)] : [efficiency(raw), allocation(raw), waits(raw, onCall)];
  const right = raw.difference ? [changed(raw)] : [alone(raw), findings(raw, onFinding)];
  host.replaceChildren(...[left, right].map((parts) => el("div.block", {}, ...parts)));
}

function efficiency(raw) {
  // A sign stays with the factor after it, where the line is too short for all.
  const factor = (sign, share, name, kind = "factor") => el(`div.${kind}`, {},
    el("div.sign", { "aria-hidden": "true" }, sign),
    el("div", {}, el("div.number", {}, percent(share)), el("div.name", {}, name)));
  return el("div.efficiency", {},
    factor("", raw.parallel, "parallel efficiency", "factor.whole"),
    ...raw.factors.map(([name, share], index) => factor(index ? "×" : "=", share, name)));
}

function allocation(raw) {
  if (raw.difference) return differences(raw);
  const parts = raw.allocation.filter((part) => part.time_s > 0);
  const stack = parts.map((part) => {
    const piece = el(`span.part-${part.name}`, { title: `${part.title}: ${seconds(part.time_s)}` });
    piece.style.width = `${part.share * 100}%`;
    return piece;
  });
  const rows = parts.map((part) => el("tr", {},
    el("td.swatch", {}, el(`i.part-${part.name}`)), el("td", {}, part.title),
    el("td.number", {}, seconds(part.time_s)), el("td.number", {}, percent(part.share))));
  return el("div", {}, el("div.stack", { role: "img", "aria-label": "CPU allocation" }, ...stack),
    el("h2", {}, `${raw.locations.length} × ${wallTime(raw)} of CPU allocation went to`),
    el("table.parts", {}, el("tbody", {}, ...rows)));
}

/** A number with its sign, in the colour of more or of less. */
const change = (value, text) =>
  el(`td.number.${value > 0 ? "more" : "less"}`, {}, signed(value, text));

/** CPU time by what it was spent on, as a difference. */
function differences(raw) {
  const parts = raw.allocation.filter((part) => part.time_s !== 0);
  const total = parts.reduce((sum, part) => sum + part.time_s, 0);
  const word = total > 0 ? "more" : "less";
  const rows = parts.map((part) => el("tr", {},
    el("td.swatch", {}, el(`i.part-${part.name}`)), el("td", {}, part.title),
    change(part.time_s, seconds(part.time_s))));
  return el("div", {},
    el("h2", {}, `CPU time: ${seconds(Math.abs(total))} ${word} in the first report`),
    el("table.parts", {}, el("tbody", {}, ...rows)));
}

/** The regions that differ most. */
function changed(raw) {
  const rows = raw.changed.slice(0, 15).map(([name, time, visits]) => el("tr", {},
    el("td", {}, name), change(time, seconds(time)),
    el("td.number", {}, signed(visits, count(visits)))));
  return el("div", {}, el("h2", {}, "Largest differences"),
    el("table.details", {}, el("thead", {}, el("tr", {}, el("th", {}, "region"),
      el("th.number", {}, "own time"), el("th.number", {}, "visits"))),
      el("tbody", {}, ...rows)));
}

/** What a run on one thread tells. */
function alone(raw) {
  if (!raw.alone.length) return null;
  return el("div.alone", {}, el("h2", {}, "On one thread there is no waiting. This run shows"),
    el("ul", {}, ...raw.alone.map((text) => el("li", {}, text))),
    el("h2", {}, "Next"), ...raw.next.map((command) => el("code.command", {}, command)));
}

// Findings that are shown at once; the rest opens on demand.
const FIRST = 5;

function findings(raw, onFinding) {
  const shown = raw.findings.filter((finding) => finding.significant);
  if (!shown.length && raw.alone.length) return null;
  if (!shown.length) return el("p", {}, "No problem was found that costs more than 1 % of the run.");
  const items = shown.map((finding, index) => el("li", {}, item(raw, finding, index, onFinding)));
  return el("div", {}, el("h2", {}, "Fix first"),
    el("ol.findings", {}, ...items.slice(0, FIRST)),
    items.length > FIRST
      ? el("details.more", {}, el("summary", {}, `${items.length - FIRST} more`),
          el("ol.findings", {}, ...items.slice(FIRST)))
      : null);
}

/** One finding: what and where, its numbers as the terminal has them, what was observed, advice. */
function item(raw, finding, index, onFinding) {
  const of = finding.gain_s === null ? "" : ` of ${wallTime(raw)}`;
  const kind = finding.explained_by ? "button.finding.explained" : "button.finding";
  return el(kind, { onclick: () => onFinding(finding) },
    el("span.rank", {}, String(index + 1)),
    el("span", {}, el("span.problem", {}, finding.title), ` ${finding.construct} `,
      el("span.place", {}, raw.regions[finding.region].place)),
    el("span.numbers", {}, "lost ", el("b", {}, finding.lost), " · gain ",
      el("b", {}, finding.gain), of),
    el("span.why", {}, ...prose(finding.details.join(" "))),
    el("span.advice", {}, ...prose(finding.suggestion)));
}
