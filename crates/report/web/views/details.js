// What the terminal's report has as tables: who waited for whom, which stands below the summary, and
// before the trees processes, task instances with their histogram, and times of single visits.

import { el } from "../dom.js";
import { count, percent, seconds } from "../format.js";

export function renderDetails(host, raw, onCall) {
  const parts = [processes(raw), visits(raw, onCall)];
  host.replaceChildren(...parts.filter(Boolean));
  host.hidden = !host.children.length;
}

export function renderTasks(host, raw) {
  host.replaceChildren(...[tasks(raw)].filter(Boolean));
}

const number = (text) => el("td.number", {}, text);

function table(heads, rows) {
  const [first, ...others] = heads;
  return el("table.details", {},
    el("thead", {}, el("tr", {}, el("th", {}, first),
      ...others.map((head) => el("th.number", {}, head)))),
    el("tbody", {}, ...rows));
}

function block(title, ...content) {
  return el("div.block", {}, el("h2", {}, title), ...content);
}

/** The first rows; the rest opens on demand. */
const ROWS = 8;

function tables(heads, rows) {
  if (rows.length <= ROWS) return [table(heads, rows)];
  const more = el("details.more", {}, el("summary", {}, `${rows.length - ROWS} more`),
    table(heads, rows.slice(ROWS)));
  return [table(heads, rows.slice(0, ROWS)), more];
}

const COLUMNS = [["comp", "computing"], ["mpi", "MPI"], ["omp_time", "OpenMP"],
  ["omp_idle_threads", "idle"], ["process_absent", "not there"]];

function processes(raw) {
  if (raw.ranks.length < 2) return null;
  const columns = COLUMNS.filter(([metric]) => raw.ranks.some((rank) => rank.metrics[metric]));
  const most = columns.map(([metric]) =>
    Math.max(...raw.ranks.map((rank) => rank.metrics[metric] ?? 0)));
  const cell = (rank, [metric], column) => {
    const value = rank.metrics[metric] ?? 0;
    const bar = el("i.level");
    bar.style.width = `${most[column] > 0 ? Math.max(0, value / most[column]) * 100 : 0}%`;
    return el("td.number.levelled", {}, bar, el("span", {}, seconds(value)));
  };
  const rows = raw.ranks.map((rank) => el("tr", {}, el("td", {}, `${rank.name} on ${rank.node}`),
    ...columns.map((column, index) => cell(rank, column, index))));
  return block("Processes", ...tables(["", ...columns.map(([, title]) => title)], rows));
}

/** Per construct that threads waited at, the threads that they waited for. */
export function waits(raw, onCall) {
  if (!raw.waits.length) return null;
  const cause = (wait, of) => {
    const call = of.call
      && el("button.link", { onclick: () => onCall(of.call[1]) }, of.call[0]);
    const who = of.thread ? [`${of.thread} in `, call] : ["others"];
    return el("tr.cause", {}, el("td", {}, ...who), number(seconds(of.wait_s)),
      number(count(of.visits)), number(percent(wait.wait_s ? of.wait_s / wait.wait_s : 0)));
  };
  const groups = raw.waits.map((wait) => [
    el("tr.group", {}, el("td", {}, wait.name), number(seconds(wait.wait_s)),
      number(count(wait.visits)), number("100 %")),
    ...wait.causes.slice(0, 5).map((of) => cause(wait, of)),
  ]);
  const heads = ["waiting at, and for whom", "lost (CPU)", "times", "share"];
  const shown = groups.slice(0, 5);
  const more = groups.length > shown.length
    ? el("details.more", {}, el("summary", {}, `${groups.length - shown.length} more`),
      table(heads, groups.slice(shown.length).flat()))
    : null;
  return block("Who waited for whom", table(heads, shown.flat()), more);
}

const moments = (of) => [count(of.count), seconds(of.mean_s), seconds(of.deviation_s),
  seconds(of.min_s ?? 0), seconds(of.max_s ?? 0)].map(number);

function tasks(raw) {
  if (!raw.tasks.length) return null;
  const one = (of) => {
    const times = ["creation", "waiting", "execution"].filter((time) => of[time].count > 0);
    const rows = times.map((time) => el("tr", {}, el("td", {}, time), ...moments(of[time])));
    if (of.undeferred) {
      rows.push(el("tr", {}, el("td", {}, "undeferred, counted only"), number(count(of.undeferred))));
    }
    return el("div.tasks", {}, el("h3", {}, raw.regions[of.region].label),
      table(["time per instance", "instances", "mean", "deviation", "min", "max"], rows),
      histogram(of.execution));
  };
  return block("Tasks", ...raw.tasks.slice(0, 10).map(one));
}

// Bins with a smaller share are left out, as on the terminal.
const LEAST_SHARE = 0.005;

/** How many instances took how long: a column for each power of two. */
function histogram(of) {
  const bins = of.histogram.filter((bin) => bin.count >= LEAST_SHARE * of.count);
  if (!bins.length) return null;
  const most = Math.max(...bins.map((bin) => bin.count));
  const columns = bins.map((bin) => {
    const bar = el("i");
    bar.style.height = `${Math.max(2, (bin.count / most) * 100)}%`;
    const share = percent(bin.count / of.count);
    const title = `${count(bin.count)} instances (${share}) took ${seconds(bin.from_s)} to ` +
      seconds(bin.below_s);
    return el("div.bin", { title }, el("span.share", {}, share), el("div.column", {}, bar),
      el("span.below", {}, `< ${seconds(bin.below_s)}`));
  });
  return el("figure.histogram", {}, el("div.bins", {}, ...columns),
    el("figcaption", {}, "execution time of an instance"));
}

function visits(raw, onCall) {
  if (!raw.visit_times.length) return null;
  const name = (of) => raw.regions[raw.calls[of.call_path][1]].label;
  const rows = raw.visit_times.slice(0, 50).map((of) => el("tr", {},
    el("td", {}, el("button.link", { onclick: () => onCall(of.call_path) }, name(of))),
    ...moments(of)));
  return block("Time per visit",
    ...tables(["call path", "visits", "mean", "deviation", "min", "max"], rows));
}
