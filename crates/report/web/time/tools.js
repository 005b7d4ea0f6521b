// The tools above the rows: how threads are coloured, which lines and curves are shown, find, and
// what the colours mean.

import { el, fillWith } from "../dom.js";
import { EDGES } from "../source/edges.js";
import { clockText, lengthText, unitFor } from "./axis.js";
import { LINK_COLOURS } from "./ink.js";
import { LEVELS, hasEdges } from "./levels.js";
import { toggled } from "./names.js";
import { STATES } from "./paint.js";
import { CURVES, locationName, threadText, threadsInOrder } from "./rows.js";
import { capital } from "./words.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const LINKS = ["message", "collective", "lock", "task"];
const LINK_TITLES = { message: "Messages", collective: "Collectives", lock: "Lock hand-over",
  task: "Tasks: creation to execution" };

/** @param {Timeline} time @param {Node} find @param {Node} lit what stands out */
export function renderTools(time, find, lit) {
  const { view, state } = time;
  const levels = LEVELS.map(({ name, title }) => el("option", { value: name }, title));
  const level = /** @type {HTMLSelectElement} */ (el("select", {
    "aria-label": "Colours by", onchange: () => state.set({ level: level.value }),
  }, ...levels));
  const recorded = el("button", { title: "Suspended tasks stay open, as they were recorded; else "
    + "they are cut where they are suspended",
    onclick: () => state.set({ recorded: !state.now.recorded }) }, "As recorded");
  recorded.hidden = !time.source.isWhole || !time.open.has.tasks;
  const hatching = el("button", { title: "Hatch what waits (h)",
    onclick: () => state.set({ hatch: !state.now.hatch }) }, "Hatch");
  const legend = el("span.legend");
  const span = document.getElementById("window");
  const show = () => {
    level.value = state.now.level;
    hatching.setAttribute("aria-pressed", String(state.now.hatch));
    recorded.setAttribute("aria-pressed", String(state.now.recorded));
    legend.replaceChildren(...legendOf(time.open, state.now.level));
  };
  state.subscribe(["level", "hatch", "recorded"], show);
  show();
  const showWindow = () => {
    if (span) span.textContent = state.now.view === "timeline" ? windowText(time) : "";
  };
  time.onFrame(showWindow);
  state.subscribe(["view"], showWindow);
  fillWith(view.tools, find, el("label.level", {}, "Colours ", level), menu(time), hatching,
    recorded, el("button", { title: "Show the whole run (0)",
      onclick: () => time.show([0, Math.max(time.open.length, 1)]) }, "Whole run"),
    legend, lit);
}

/** Where the window is. @param {Timeline} time */
export function windowText({ open, window: [t0, t1] }) {
  const rate = open.ticks_per_second;
  const step = (t1 - t0) / rate / 100;
  const share = (t1 - t0) / Math.max(open.length, 1);
  const part = share > 0.9995 ? "whole run" : `${Number((share * 100).toPrecision(2))} % of the run`;
  const unit = unitFor(open.length / rate);
  return `${clockText(t0 / rate, step, unit)} … ${clockText(t1 / rate, step, unit)}  `
    + `(${lengthText((t1 - t0) / rate)}, ${part})`;
}

/** Lines and curves that can be shown as well, in the menu of one button. @param {Timeline} time */
function menu(time) {
  const { open, state } = time;
  const item = (/** @type {string} */ field, /** @type {string} */ word,
    /** @type {string} */ title, /** @type {string} */ variable) => {
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox",
      onchange: () => state.set({ [field]: toggled(state.now[field], word) }) }));
    const show = () => { box.checked = state.now[field].includes(word); };
    state.subscribe([field], show);
    show();
    const swatch = el("i");
    swatch.style.background = `var(${variable})`;
    return el("label", {}, box, swatch, title);
  };
  const has = /** @type {Record<string, any>} */ (open.has);
  const isThere = (/** @type {string} */ kind) =>
    has[{ message: "messages", collective: "collectives", lock: "locks", task: "tasks" }[kind] ?? ""];
  const links = LINKS.filter(isThere).map((kind) =>
    item("links", kind, LINK_TITLES[/** @type {keyof typeof LINK_TITLES} */ (kind)],
      LINK_COLOURS[kind]));
  const taskCurves = ["ready", "running"];
  const curves = Object.entries(CURVES)
    .filter(([which]) => (time.source.isWhole || open.has.curves) && (open.has.tasks || !taskCurves.includes(which)))
    .map(([which, title]) => item("curves", which, title,
      which === "waiting" ? "--t-waiting" : which === "idle" ? "--idle" : "--t-computing"));
  const counters = counterItems(time);
  const group = (/** @type {string} */ title, /** @type {Node[]} */ items) =>
    (items.length ? [el("h3", {}, title), ...items] : []);
  if (!links.length && !curves.length && !counters.length) return null;
  const menu = /** @type {HTMLDetailsElement} */ (el("details.lines", {}, el("summary", {}, "Lines and curves"),
    el("div.lines-list", {}, ...group("Lines", links), ...group("Curves of a process", curves),
      ...group("Counters", counters))));
  // Like any menu, it closes when something else is used.
  addEventListener("pointerdown", ({ target }) => {
    if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
  });
  return menu;
}

/** Threads that can be chosen for their counters; more would make the list useless. */
const THREADS_MAX = 512;

/** A choice of a thread, and a box for each of its counters. @param {Timeline} time
 *  @returns {Node[]} */
function counterItems({ open, state }) {
  const { counters } = open.has;
  if (!counters.length) return [];
  const threads = threadsInOrder(open).slice(0, THREADS_MAX);
  const thread = /** @type {HTMLSelectElement} */ (el("select", { "aria-label": "Thread of the counters" },
    ...threads.map((loc) => el("option", { value: locationName(open, loc) },
      capital(threadText(open, loc))))));
  const word = (/** @type {string} */ name) => `${name}@${thread.value}`;
  const boxes = counters.map((name) => {
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox",
      onchange: () => state.set({ counters: toggled(state.now.counters, word(name)) }) }));
    return { name, box };
  });
  const show = () => boxes.forEach(({ name, box }) => {
    box.checked = state.now.counters.includes(word(name));
  });
  // A selected thread is most likely the one whose counters are wanted.
  const follow = () => {
    const { sel } = state.now;
    if (sel && threads.includes(sel.loc)) thread.value = locationName(open, sel.loc);
    show();
  };
  thread.addEventListener("change", show);
  state.subscribe(["counters"], show);
  state.subscribe(["sel"], follow);
  follow();
  return [el("label", {}, "of ", thread), ...boxes.map(({ name, box }) => {
    const swatch = el("i");
    swatch.style.background = "var(--t-mpi)";
    return el("label", {}, box, swatch, name);
  })];
}

/** @param {import("../source/source.js").Opened} open @param {string} name of a level
 *  @returns {Node[]} */
function legendOf(open, name) {
  const level = LEVELS.find((of) => of.name === name) ?? LEVELS[0];
  const hasTeams = open.locations.length > open.processes.length;
  const edges = hasTeams && hasEdges(level)
    ? Object.entries(EDGES).map(([title, variable]) => ({ title, variable })) : [];
  const shown = level.categories.length ? level.categories
    : [STATES[1], STATES[2], STATES[3], STATES[4]];
  return [...shown, ...edges].map(({ title, variable }) => {
    const box = el("i");
    box.style.background = `var(${variable})`;
    return el("span.key", {}, box, title);
  });
}
