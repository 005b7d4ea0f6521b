// The upper half of the page: what the terminal's summary says, with findings that can be followed
// into the trees.

import { el } from "./dom.js";
import { count, percent, seconds, wallTime } from "./format.js";

export function renderTop(host, raw, themeButton) {
  const threads = `${raw.locations.length} thread${raw.locations.length === 1 ? "" : "s"}`;
  const processes = raw.processes.length === 1 ? "1 process" : `${raw.processes.length} processes`;
  const observed = raw.observed_by ? `observed by ${raw.observed_by}` : "";
  const regions = raw.regions.filter((region) => region.role !== "artificial").length;
  const size = `${regions} regions, ${count(raw.calls.length)} call paths`;
  const facts = [`on ${threads} (${processes})`, observed, size].filter(Boolean).join(" · ");
  host.replaceChildren(
    el("h1", {}, `${raw.program}: ${wallTime(raw)}`),
    el("span.facts", {}, facts), el("span.spring"), themeButton,
    el("div.warning", {}, raw.sum_error ? `The sums do not hold: ${raw.sum_error}` : ""),
  );
}

export function renderSummary(host, raw, onFinding) {
  host.replaceChildren(
    el("div.block", {}, efficiency(raw), allocation(raw), notes(raw)),
    el("div.block", {}, findings(raw, onFinding)),
  );
}

function efficiency(raw) {
  const factors = raw.efficiencies;
  const isMpi = (part) => part.name === "mpi" && part.time_s > 0;
  const mpi = raw.processes.length > 1 || raw.allocation.some(isMpi);
  // A sign stays with the factor behind it, where the line is too short for all.
  const factor = (sign, share, name, kind = "factor") => el(`div.${kind}`, {},
    el("div.sign", { "aria-hidden": "true" }, sign),
    el("div", {}, el("div.number", {}, percent(share)), el("div.name", {}, name)));
  return el("div.efficiency", {},
    factor("", factors.parallel, "parallel efficiency", "factor.whole"),
    ...(mpi ? [factor("=", factors.process_balance, "process balance"),
      factor("×", factors.mpi_communication, "MPI efficiency")] : []),
    factor(mpi ? "×" : "=", factors.load_balance, "thread balance"),
    factor("×", factors.serial_parts, "parallel share"),
    factor("×", factors.openmp_overhead, "OpenMP efficiency"));
}

function allocation(raw) {
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

function notes(raw) {
  return el("div", {}, ...raw.notes.map((note) => el("p.note", {}, note)));
}

const bounds = (finding) => (finding.gain_s === null ? ""
  : `${seconds(finding.gain_low_s)} to ${seconds(finding.gain_high_s)}`);

// Findings that are shown at once; the rest opens on demand.
const FIRST = 5;

function findings(raw, onFinding) {
  const shown = raw.findings.filter((finding) => finding.significant);
  if (!shown.length) return el("p.note", {}, "No problem was found that costs more than 1 % of the run.");
  const items = shown.map((finding, index) =>
    el("li", {}, el("button.finding", { onclick: () => onFinding(finding) },
      el("span.rank", {}, String(index + 1)),
      el("span", {}, el("span.problem", {}, finding.title), ` ${finding.construct} `,
        el("span.place", {}, place(raw, finding))),
      el("span.number", {}, seconds(finding.lost_s)),
      el("span.number", { title: bounds(finding) },
        finding.gain_s === null ? "not known" : seconds(finding.gain_s)),
      el("span.why", {}, `${finding.details.join(" ")} `, el("b", {}, finding.suggestion)))));
  return el("div", {},
    el("div.findings-head", {}, el("h2", {}, "Fix first"), el("span", {}, "lost (CPU)"),
      el("span", {}, "gain")),
    el("ol.findings", {}, ...items.slice(0, FIRST)),
    items.length > FIRST
      ? el("details.more", {}, el("summary", {}, `${items.length - FIRST} more`),
          el("ol.findings", {}, ...items.slice(FIRST)))
      : null);
}

function place(raw, finding) {
  return raw.regions[finding.region].place;
}
