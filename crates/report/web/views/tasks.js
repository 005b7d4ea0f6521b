// The tasks page: the three problems of task parallelism (Schmidl et al. 2012), what each thread did
// (the pictures of their Figures 5 to 7 as sums), and for each construct its creation against its
// execution.

import { el, prose } from "../dom.js";
import { count, percent, seconds } from "../format.js";
import { leadsOf } from "./findings.js";
import { more, number, table } from "./tables.js";
import { calmVerdict, doings, instances, sharedBins } from "./taskfacts.js";

/** @typedef {import("../trees/data.js").Data} Data */
/** @typedef {import("./findings.js").Leads} Leads */

/** The three problems by property. @type {[string, string][]} */
const PROBLEMS = [
  ["tasks_too_few", "Too few or too large"],
  ["tasks_too_small", "Too small"],
  ["task_creation_bottleneck", "Creation is the bottleneck"],
];

/** @type {[keyof import("./taskfacts.js").Doing, string, string][]} */
const DOINGS = [
  ["executing", "executing tasks", "part-task"],
  ["computing", "computing outside of tasks", "part-computing"],
  ["creating", "creating tasks", "part-overhead"],
  ["waiting", "waiting, synchronising", "part-barrier_waiting"],
  ["rest", "other", "part-serial_idle"],
];

/** Threads that are shown, constructs that are shown. */
const THREADS = 64;
const CONSTRUCTS = 10;

/** @param {HTMLElement} host @param {Data} data @param {Leads} leads */
export function renderTasks(host, data, leads) {
  const { raw } = data;
  if (!raw.tasks.length) return;
  const constructs = (/** @type {number} */ from, /** @type {number} */ to) =>
    el("div.constructs", {}, ...raw.tasks.slice(from, to).map(
      (/** @type {any} */ of) => construct(data, of)));
  host.replaceChildren(
    el("div.task-problems", {}, ...PROBLEMS.map(([name, title]) => problem(raw, name, title, leads))),
    threads(data),
    constructs(0, CONSTRUCTS),
    raw.tasks.length > CONSTRUCTS
      ? more(raw.tasks.length - CONSTRUCTS, () => [constructs(CONSTRUCTS, raw.tasks.length)])
      : "");
}

/** @param {any} raw @param {string} name @param {string} title @param {Leads} leads */
function problem(raw, name, title, leads) {
  const finding = raw.findings.find((/** @type {any} */ of) => of.property === name);
  if (!finding?.significant) {
    const verdict = calmVerdict(raw.findings, name);
    const doc = raw.docs.find((/** @type {any} */ of) => of.name === name);
    return el("section.card.task-problem.calm", {}, el("h2", {}, title),
      el("span.verdict", {}, verdict), el("p.why", {}, doc?.sections[0]?.[1] ?? ""));
  }
  return el("section.card.task-problem.found", {}, el("h2", {}, title),
    el("span.verdict", {}, `costs ${finding.lost}`),
    el("p", {}, `${finding.construct} `, el("span.place", {}, raw.regions[finding.region].place)),
    el("p.why", {}, ...prose(finding.details.join(" "))),
    el("p.advice", {}, ...prose(finding.suggestion)),
    leadsOf(finding, leads));
}

/** A bar for each thread, divided by what it did. @param {Data} data */
function threads(data) {
  const { raw } = data;
  const all = doings(data);
  const seen = DOINGS.filter(([part]) => all.some((doing) => doing[part] > 0));
  const many = raw.processes.length > 1;
  const rows = data.locationsInOrder().slice(0, THREADS).map((at) => {
    const [doing, { name, process }] = [all[at], raw.locations[at]];
    const text = seen.map(([part, title]) =>
      `${title} ${percent(doing[part] / raw.wall_ticks)}`).join(", ");
    const pieces = seen.map(([part, title, colour]) => {
      const share = percent(doing[part] / raw.wall_ticks);
      const piece = el(`span.${colour}`, {
        title: `${title}: ${seconds(doing[part] / raw.ticks_per_second)} (${share})`,
      });
      piece.style.width = `${Math.min((doing[part] / raw.wall_ticks) * 100, 100)}%`;
      return piece;
    });
    const label = many ? `${raw.processes[process].name}, ${name}` : name;
    return el("div.thread", {}, el("span.thread-name", {}, label),
      el("span.stack", { role: "img", "aria-label": text }, ...pieces));
  });
  const legend = seen.map(([, title, colour]) =>
    el("span.key", {}, el(`i.${colour}`), title));
  return el("section.card.threads", {}, el("h2", {}, "What the threads did"),
    el("div.keys", {}, ...legend), ...rows,
    all.length > THREADS
      ? el("p.why", {}, `${all.length - THREADS} more threads: see the trees.`) : null);
}

/** @type {("creation" | "waiting" | "execution")[]} */
const TIMES = ["creation", "waiting", "execution"];

/** A construct: creation against execution, and the histograms of both on one axis.
 *  @param {Data} data @param {any} of */
function construct(data, of) {
  const { label } = data.regions[of.region];
  const moments = (/** @type {any} */ time) => [count(time.count), seconds(time.sum_s),
    seconds(time.mean_s), seconds(time.deviation_s), seconds(time.min_s ?? 0),
    seconds(time.max_s ?? 0)].map(number);
  const times = TIMES.filter((time) => of[time].count > 0);
  const rows = times.map((time) => el("tr", {}, el("td", {}, time), ...moments(of[time])));
  if (of.undeferred) {
    rows.push(el("tr", {}, el("td", {}, "undeferred, counted only"), number(count(of.undeferred))));
  }
  return el("section.card.tasks", {}, el("h3", {}, label), balance(of),
    table(["time per instance", "instances", "sum", "mean", "deviation", "min", "max"], rows),
    histograms(data.raw.ticks_per_second, of, times), whoDid(data, of.region));
}

/** A task should take ten times as long as creating it: `pompeii explain tasks_too_small`. */
const WORTH = 10;

/** Execution against creation in a sentence. @param {any} of */
function balance({ creation, execution }) {
  if (!creation.count || !execution.count || creation.mean_s <= 0) return null;
  const ratio = execution.mean_s / creation.mean_s;
  const times = ratio >= 9.95 ? count(Math.round(ratio)) : ratio.toFixed(1);
  const few = ratio < WORTH ? ` That is little: ${WORTH} times are worth a task.` : "";
  return el(`p.balance.${ratio < WORTH ? "poor" : "good"}`, {},
    "Executing an instance takes ", el("b", {}, `${times} times`), ` as long as creating it.${few}`);
}

/** Bins with a smaller share are left out, as on the terminal. */
const LEAST_SHARE = 0.005;
/** Labels below the bins. */
const LABELS = 10;

/** How long creating, waiting and executing took: one axis for all, a column for each power of two.
 *  @param {number} rate @param {any} of @param {("creation" | "waiting" | "execution")[]} times */
function histograms(rate, of, times) {
  const { first, columns, rows } = sharedBins(times.map((time) => of[time]), rate, LEAST_SHARE);
  if (!columns) return null;
  const lines = rows.map((bins, line) => {
    const most = Math.max(...bins.map((bin) => bin.count), 1);
    const total = of[times[line]].count;
    const told = bins.map((bin) => `${percent(bin.count / total)} below ${seconds(bin.below_s)}`);
    const bars = bins.map((bin) => {
      const share = percent(bin.count / total);
      const title = `${times[line]}: ${count(bin.count)} instances (${share}) took less than `
        + `${seconds(bin.below_s)} and at least half of it`;
      const bar = el(`i.time-${times[line]}`, { title },
        bin.count >= most / 4 ? el("span", {}, share) : null);
      bar.style.gridColumn = String(bin.column + 1);
      bar.style.height = `${Math.max(2, (bin.count / most) * 100)}%`;
      return bar;
    });
    return el("div.bins-row", {}, el("span.time-name", {}, times[line]),
      el("div.bins", { role: "img", "aria-label": `${times[line]}: ${told.join(", ")}` }, ...bars));
  });
  const step = Math.ceil(columns / LABELS);
  const labels = Array.from({ length: Math.ceil(columns / step) }, (_, at) => {
    const label = el("span", {}, seconds(2 ** (first + at * step) / rate));
    label.style.gridColumn = String(at * step + 1);
    return label;
  });
  const figure = el("figure.histogram", { "aria-label": "Histograms of times per instance" },
    ...lines, el("div.bins-row", { "aria-hidden": "true" }, el("span.time-name", {}, "less than"),
      el("div.axis", {}, ...labels)),
    el("figcaption", {}, "Across: time per instance, each column up to the time below it. Up: share "
      + "of the instances, in percent."));
  figure.style.setProperty("--columns", String(columns));
  return figure;
}

/** Which threads created and executed the instances. @param {Data} data @param {number} region */
function whoDid(data, region) {
  const { created, executed } = instances(data, region);
  const all = data.locationsInOrder().map((at) =>
    ({ name: data.locations[at].name, created: created[at], executed: executed[at] }))
    .filter((/** @type {any} */ of) => of.created || of.executed);
  if (!all.length) return null;
  const most = all.reduce((/** @type {number} */ largest, /** @type {any} */ of) =>
    Math.max(largest, of.created, of.executed), 1);
  const cell = (/** @type {number} */ value, /** @type {string} */ colour) => {
    const bar = el(`i.level.${colour}`);
    bar.style.width = `${(value / most) * 100}%`;
    return el("td.number.levelled", {}, bar, el("span", {}, count(value)));
  };
  const rows = all.slice(0, THREADS).map((/** @type {any} */ of) => el("tr", {},
    el("td", {}, of.name), cell(of.created, "creates"), cell(of.executed, "executes")));
  return el("div.who", {}, table(["thread", "created", "executed"], rows),
    all.length > THREADS ? el("p.why", {}, `${all.length - THREADS} more threads`) : null);
}
