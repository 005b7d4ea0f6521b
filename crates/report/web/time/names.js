// The names of rows, next to the picture: buttons that open a process's threads or a thread's call
// stack. Only rows that are seen have one.

import { el } from "../dom.js";
import { isFolded, locationName } from "./rows.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("./rows.js").Row} Row */
/** @typedef {{row: Row, top: number, most: number | null}} Shown A row, how far all are scrolled, and the
 *   largest value of its curve. */

/** Opens or closes what is below a row. @param {Timeline} time @param {Row} row */
export function toggleRow(time, row) {
  const { open, state } = time;
  if (row.kind === "process") {
    const usual = isFolded(open, { ...state.now, folded: [], unfolded: [] }, row.process);
    const field = usual ? "unfolded" : "folded";
    state.set({ [field]: toggled(state.now[field], String(row.process)) });
  } else if (row.kind === "flat" || row.kind === "stack") {
    state.set({ stacks: toggled(state.now.stacks, locationName(open, row.loc)) });
  }
}

/** @param {readonly string[]} words @param {string} word */
export function toggled(words, word) {
  return words.includes(word) ? words.filter((other) => other !== word) : [...words, word];
}

/** @param {Timeline} time @param {Row} row */
function makeName(time, row) {
  const label = el("span.name", {}, row.label);
  if (row.kind === "curve" || row.kind === "counter") {
    return el("div.row-name.curve", {}, label, el("span.most"));
  }
  return el(`button.row-name.${row.kind}`, {
    title: row.kind === "process" ? "Show or hide its threads" : "Show or hide its call stack (o)",
    onclick: () => toggleRow(time, time.rows.find(({ key }) => key === row.key) ?? row),
  }, el("span.twisty", { "aria-hidden": "true" }), label);
}

/** Whether two lists of rows are shown alike. @param {Shown[]} some @param {Shown[]} others */
function isSame(some, others) {
  return some.length === others.length && some.every(({ row, top, most }, at) =>
    row === others[at].row && top === others[at].top && most === others[at].most);
}

/** @param {Timeline} time @param {number} top */
export function renderNames(time, top) {
  const host = time.view.names;
  const seen = time.seen.filter(({ kind }) => kind !== "stack");
  const known = time.nameElements;
  // While a window moves, its rows stay; to set what is there already makes the browser lay it out.
  const shown = seen.map((row) => ({ row, top, most: time.followers.mostOf(row.key) }));
  if (isSame(shown, time.namesShown)) return;
  time.namesShown = shown;
  const elements = seen.map((row) => {
    const element = known.get(row.key) ?? makeName(time, row);
    element.style.top = `${row.y - top}px`;
    element.style.height = `${row.height}px`;
    if (element instanceof HTMLButtonElement) {
      element.setAttribute("aria-expanded", String(row.isOpen));
      const twisty = /** @type {HTMLElement} */ (element.firstElementChild);
      twisty.textContent = row.isOpen ? "▾" : "▸";
    } else {
      const most = time.followers.mostOf(row.key);
      /** @type {HTMLElement} */ (element.lastElementChild).textContent =
        most === null ? "" : `max ${Number(most.toPrecision(4))}`;
    }
    return /** @type {[string, HTMLElement]} */ ([row.key, element]);
  });
  time.nameElements = new Map(elements);
  const wanted = new Set(elements.map(([, element]) => element));
  for (const child of [...host.children]) {
    if (!wanted.has(/** @type {HTMLElement} */ (child))) child.remove();
  }
  for (const element of wanted) if (element.parentElement !== host) host.append(element);
}
