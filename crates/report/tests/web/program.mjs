// A program that tests know exactly: two processes of two threads, fifty steps of a serial part, a
// parallel region with tasks, and a barrier. Answers to all questions of the timeline are made from
// the list of its intervals, without any index.

import { keysOf } from "../../web/source/embedded.js";

const STEPS = 50;
const STEP = 20000;
export const LENGTH = STEPS * STEP;
const SERIAL = 2000;

const region = (name, label, state, role, line, paradigm = "openmp") =>
  ({ name, label, file: "/src/steps.c", line, state, paradigm, role });

export const REGIONS = [
  region("steps", "steps", 1, "artificial", 0, "measurement"),
  region("!$omp parallel @steps.c:10", "parallel main steps.c:10", 1, "parallel", 10),
  region("!$omp task @steps.c:12", "task main steps.c:12", 1, "task", 12),
  region("!$omp implicit barrier @steps.c:20", "implicit barrier main steps.c:20", 2,
    "implicit barrier", 20),
  region("MPI_Sendrecv", "MPI_Sendrecv steps.c:30", 4, "point2point", 30, "mpi"),
  region("!$omp create task @steps.c:12", "create task main steps.c:12", 3, "task create", 12),
];
const [ROOT, PARALLEL, TASK, BARRIER, SEND, CREATE] = REGIONS.keys();

/** Intervals of a location: level, region, start, end. The second process is slower. */
function intervalsOf(loc) {
  const [process, thread] = [loc >> 1, loc & 1];
  const found = thread === 0 ? [[0, ROOT, 0, LENGTH]] : [];
  for (let step = 0; step < STEPS; step++) {
    const t = step * STEP;
    const base = thread === 0 ? 1 : 0;
    if (thread === 0) found.push([1, SEND, t, t + 500]);
    const begin = t + SERIAL + 300 * thread;
    const end = t + STEP;
    const task = 4000 + 6000 * process + 3000 * thread + 10 * step;
    found.push([base, PARALLEL, begin, end]);
    if (thread === 0) found.push([base + 1, CREATE, begin + 200, begin + 700]);
    found.push([base + 1, TASK, begin + 1000, begin + 1000 + task]);
    found.push([base + 1, BARRIER, begin + 1000 + task, end]);
  }
  return found;
}

export const INTERVALS = [0, 1, 2, 3].map(intervalsOf);

/** The innermost intervals: region, start, end. */
export function innermost(loc) {
  const all = INTERVALS[loc];
  const times = [...new Set(all.flatMap(([, , start, end]) => [start, end]))].sort((a, b) => a - b);
  const pieces = [];
  for (let at = 0; at + 1 < times.length; at++) {
    const [start, end] = [times[at], times[at + 1]];
    const open = all.filter((of) => of[2] <= start && of[3] >= end);
    const deepest = open.reduce((a, b) => (b[0] > (a?.[0] ?? -1) ? b : a), null);
    if (!deepest) continue;
    const last = pieces.at(-1);
    if (last && last.of === deepest && last.end === start) last.end = end;
    else pieces.push({ region: deepest[1], start, end, of: deepest });
  }
  return pieces;
}
const FLAT = INTERVALS.map((_, loc) => innermost(loc));

export const OPENED = {
  version: 1, fingerprint: "0", origin: "0", length: LENGTH, ticks_per_second: 1e6,
  title: "steps", command: "./steps", started: "", host: "",
  processes: [{ name: "Rank 0", first: 0, count: 2 }, { name: "Rank 1", first: 2, count: 2 }],
  locations: [0, 1, 2, 3].map((loc) => ({ name: loc & 1 ? "thread 1" : "Master thread",
    process: loc >> 1, stack_levels: loc & 1 ? 2 : 3, recorded_levels: loc & 1 ? 2 : 3, events: 100, errors: 0 })),
  regions: REGIONS,
  has: { trace: true, messages: true, tasks: true, locks: false, collectives: false,
    counters: ["PAPI_TOT_INS"], analysis: true, report: false },
  progress: { events: 400, of: 400, ready: true }, warnings: [], files: ["/src/steps.c"],
};

/** A window that a question has. */
const windowOf = (query) => [Number(query.get("t0")), Number(query.get("t1"))];
const inside = (start, end, [t0, t1]) => Math.max(0, Math.min(end, t1) - Math.max(start, t0));

/** Boxes of a row: intervals as long as a bin, and the shares of all bins that shorter ones touch. */
function boxesOf(pieces, [t0, t1], bin, sevenths) {
  const seen = pieces.filter(({ start, end }) => start < t1 && end > t0);
  const exact = seen.filter(({ start, end }) => end - start >= bin);
  const short = seen.filter(({ start, end }) => end - start < bin);
  const bins = new Set(short.flatMap(({ start, end }) =>
    [Math.floor(start / bin), Math.floor((end - 1) / bin)]));
  const fillers = [...bins].sort((a, b) => a - b).map((at) => {
    const span = [at * bin, (at + 1) * bin];
    const shares = [0, 0, 0, 0];
    for (const { region: of, start, end } of short) {
      shares[REGIONS[of].state - 1] += inside(start, end, span);
    }
    return { start: span[0], end: span[1], what: sevenths(short, shares, span) };
  });
  return [...fillers, ...exact.map(({ region: of, start, end }) =>
    ({ start, end, what: 2 ** 31 + of }))];
}

const flatShares = (short, shares, span) => shares.reduce((word, ticks, state) =>
  word + Math.round((7 * ticks) / (span[1] - span[0])) * 2 ** (16 + 3 * state), short[0].region);
const stackShares = (short) => short[0].region + 40 * 2 ** 16 + 40 * 2 ** 22;

function rowBoxes(key, window, bin) {
  if (key[0] === "p") return processBoxes(Number(key.slice(1)), window, bin);
  const [loc, level] = key.slice(1).split(".").map(Number);
  if (key[0] === "f") return boxesOf(FLAT[loc], window, bin, flatShares);
  const pieces = INTERVALS[loc].filter((of) => of[0] === level)
    .map(([, of, start, end]) => ({ region: of, start, end })).sort((a, b) => a.start - b.start);
  return boxesOf(pieces, window, bin, stackShares);
}

/** Mean shares of a process's threads, and the range of computing. */
function processBoxes(process, [t0, t1], bin) {
  const boxes = [];
  for (let start = Math.floor(t0 / bin) * bin; start < t1; start += bin) {
    const shares = [0, 1].map((thread) => {
      const of = [0, 0, 0, 0];
      for (const piece of FLAT[2 * process + thread]) {
        of[REGIONS[piece.region].state - 1] += inside(piece.start, piece.end, [start, start + bin]);
      }
      return of.map((ticks) => (7 * ticks) / bin);
    });
    const what = [0, 1, 2, 3].reduce((word, state) =>
      word + Math.floor((shares[0][state] + shares[1][state]) / 2) * 2 ** (16 + 3 * state), TASK);
    const [low, high] = [shares[0][0], shares[1][0]].sort((a, b) => a - b);
    boxes.push({ start, end: start + bin, what, band: Math.floor(low) + Math.floor(high) * 8 });
  }
  return boxes;
}

/** The bytes of a picture. `keys`: rows such as `f0` and `s1.2`. */
export function picture(keys, window, px) {
  const binLog2 = Math.max(0, Math.floor(Math.log2((window[1] - window[0]) / px)));
  const bin = 2 ** binLog2;
  const begin = Math.floor(window[0] / bin) * bin;
  const rows = keys.map((key) => rowBoxes(key, window, bin));
  const all = rows.flat();
  const column = (t) => Math.max(0, Math.floor(((t - begin) * 16) / bin));
  const heads = keys.flatMap((key, at) => {
    const [place, level = 0] = key.slice(1).split(".").map(Number);
    return ["fspr".indexOf(key[0]), place, level, rows[at].length];
  });
  const hasBand = keys.some((key) => key[0] === "p");
  return Buffer.from(Uint32Array.from([0x43495050, 1, 1, binLog2, begin, 0, keys.length, all.length,
    ...heads, ...all.map(({ start }) => column(start)), ...all.map(({ end }) => column(end)),
    ...all.map(({ what }) => what), ...(hasBand ? all.map(({ band }) => band ?? 0) : [])]).buffer);
}

/** Sums of a window, exact. */
export function sums(query) {
  const [window, by] = [windowOf(query), query.get("by")];
  const rows = new Map();
  FLAT.forEach((pieces, loc) => pieces.forEach(({ region: of, start, end }) => {
    const key = by === "region" ? of : by === "state" ? REGIONS[of].state : loc;
    const row = rows.get(key) ?? { key, ticks: 0, visits: 0, states: [0, 0, 0, 0, 0] };
    const ticks = inside(start, end, window);
    row.ticks += ticks;
    row.states[REGIONS[of].state] += ticks;
    rows.set(key, row);
  }));
  for (const [loc, all] of INTERVALS.entries()) {
    for (const [, of, start] of all) {
      const row = rows.get(by === "region" ? of : by === "state" ? REGIONS[of].state : loc);
      if (row && start >= window[0] && start < window[1]) row.visits++;
    }
  }
  return { rows: [...rows.values()].filter(({ ticks }) => ticks > 0), exact: true };
}

const taskName = (loc, start) => `task_${loc & 1}_${Math.floor(start / STEP)}`;

function at(query) {
  const [loc, t] = [Number(query.get("loc")), Number(query.get("t"))];
  const open = INTERVALS[loc].filter((of) => of[2] <= t && t < of[3]).sort((a, b) => a[0] - b[0]);
  const stack = open.map(([, of, since, end]) =>
    ({ region: of, since, end, resumed: false, suspended: false }));
  const last = open.at(-1);
  const begin = last && Math.floor(last[2] / STEP) * STEP;
  const task = last?.[1] === TASK
    ? { name: taskName(loc, last[2]), region: TASK, created: { loc: loc & 2, at: begin + 2300 },
      fragments: [{ loc, start: last[2], end: last[3] }] } : null;
  const waits = last?.[1] === BARRIER ? [{ property: "omp_ibarrier_wait",
    title: "Wait at implicit barrier", ticks: last[3] - last[2],
    because: "`thread 1` came last, with 3.00 ms more work." }] : [];
  const partners = last?.[1] === SEND
    ? [{ kind: "message", loc: loc ^ 2, at: last[2] + 400 }] : [];
  const [, start, end, kind] = STARTUPS.find((of) => of[0] === loc && of[1] <= t && t < of[2]) ?? [];
  return { stack, task, waits, partners, edge: kind ? { kind, start, end } : null,
    path: stack.map(({ region: of }) => REGIONS[of].label).join(" > ") };
}

function find(query) {
  const [from, back] = [Number(query.get("from")), query.get("back") === "1"];
  const locs = query.has("locs") ? keysOf(query.get("locs")).map(Number) : INTERVALS.keys();
  const found = [...locs].flatMap((loc) => INTERVALS[loc].map(([, of, start, end]) =>
    ({ loc, region: of, start, end })));
  const text = query.get("name") ?? "";
  const isWanted = (of) => `${REGIONS[of.region].name} ${REGIONS[of.region].label}`.includes(text)
    && of.end - of.start >= Number(query.get("longer") ?? 0)
    && (!query.has("task") || (of.region === TASK && query.get("task") === taskName(of.loc, of.start)))
    && (!query.has("file") || `steps.c:${REGIONS[of.region].line}` === query.get("file"));
  const after = found.filter((of) => (back ? of.end <= from : of.start >= from)).filter(isWanted)
    .sort((a, b) => (back ? b.end - a.end : a.start - b.start));
  return after[0] ?? { none: true };
}

/** How many threads of a process are in a region, by bin. */
function curves(query) {
  const window = windowOf(query);
  const bin = 2 ** Math.max(0, Math.floor(Math.log2((window[1] - window[0]) / Number(query.get("px")))));
  const wanted = { ready: CREATE, running: TASK, waiting: BARRIER }[query.get("which")];
  const values = [];
  for (let t = window[0]; t < window[1]; t += bin) {
    const of = [0, 1].filter((thread) => FLAT[2 * Number(query.get("process") ?? 0) + thread]
      .some(({ region: it, start, end }) => it === wanted && start <= t && t < end));
    values.push(of.length);
  }
  return { begin: window[0], bin_log2: Math.log2(bin), min: values, max: values, mean: values };
}

function messages(window) {
  const all = [];
  for (let step = 0; step < STEPS; step++) {
    const t = step * STEP;
    if (t >= window[0] && t < window[1]) all.push(["message", 0, t, 2, t + 400, 64 * (step + 1)]);
  }
  return all;
}

function histogram(query) {
  const buckets = new Map();
  for (const [, of, start, end] of INTERVALS.flat()) {
    const window = windowOf(query);
    if (of !== Number(query.get("region")) || end <= window[0] || end > window[1]) continue;
    const log2 = Math.floor(Math.log2(end - start));
    const [count, ticks] = buckets.get(log2) ?? [0, 0];
    buckets.set(log2, [count + 1, ticks + end - start]);
  }
  return { buckets: [...buckets].sort((a, b) => a[0] - b[0]).map(([log2, of]) => [log2, ...of]) };
}

/** The master forks when its parallel region begins; the other thread begins its part later. */
const STARTUPS = [0, 2].flatMap((master) => INTERVALS[master].filter((of) => of[1] === PARALLEL)
  .map(([, , start]) => [master + 1, start, start + 300, "startup", null, 0, 0]));

const fragments = (window) => INTERVALS.flatMap((all, loc) => all
  .filter(([, of, start, end]) => of === TASK && start < window[1] && end > window[0])
  .map(([, , start, end]) => [loc, start, end, loc & 1, Math.floor(start / STEP), 0, 0]));

const matrix = (window) => {
  const all = messages(window);
  return { pairs: all.length ? [[0, 2, all.length, all.reduce((sum, of) => sum + of[5], 0)]] : [] };
};

/** A source of forty lines, with its directives at their lines. */
const SOURCE = Array.from({ length: 40 }, (_, at) => {
  const of = REGIONS.find(({ line }) => line === at + 1);
  return of ? `#pragma omp ${of.role}` : `    x += ${at};`;
}).join("\n");

/** Answers by the name of the question; the picture is bytes. */
export const ANSWERS = {
  first: () => null,
  open: () => OPENED,
  progress: () => OPENED.progress,
  sums,
  at,
  find,
  curves,
  counter: curves,
  histogram,
  links: (query) => ({ links: query.get("kinds").includes("message")
    ? messages(windowOf(query)) : [], left_out: 0 }),
  tasks: (query) => ({ creations: [], fragments: fragments(windowOf(query)), left_out: 0 }),
  gaps: (query) => ({ gaps: [[3, 0, 2300, "off", null, 0, 0],
    ...STARTUPS.filter(([loc, start, end]) => keysOf(query.get("locs")).includes(String(loc))
      && start < windowOf(query)[1] && end > windowOf(query)[0])], left_out: 0 }),
  source: () => ({ name: "/src/steps.c", text: SOURCE }),
  matrix: (query) => matrix(windowOf(query)),
  instances: () => [{ property: "omp_ibarrier_wait", title: "Wait at implicit barrier",
    ticks: 12700, loc: 0, start: 7300, end: 20000,
    path: "steps > parallel main steps.c:10 > implicit barrier main steps.c:20",
    because: "thread 1 came last." }],
};
