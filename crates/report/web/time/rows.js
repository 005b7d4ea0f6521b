// Which rows the timeline has, from top to bottom, and how high they are: processes with their
// threads, below a thread its call stack and its counters, below a process its curves.

import { inOrder } from "../order.js";

/** @typedef {import("../source/source.js").Opened} Opened */
/**
 * @typedef {"process" | "flat" | "stack" | "curve" | "counter"} RowKind
 * @typedef {{kind: RowKind, key: string, label: string, process: number, loc: number,
 *   level: number, y: number, height: number, isOpen: boolean}} Row
 * @typedef {{folded: readonly string[], unfolded: readonly string[], stacks: readonly string[],
 *   curves: readonly string[], counters: readonly string[], recorded: boolean}} Shown
 */

/** With more threads than this, processes are folded at first. */
export const THREADS_SHOWN = 150;
/** Levels of a call stack that are drawn. */
export const STACK_LEVELS_MAX = 64;
export const STACK_HEIGHT = 17;
const GAP = 4;
const CURVE_HEIGHT = 44;
const PROCESS_HEIGHT = 26;

/** Curves of a process, by the name that a question has. @type {Record<string, string>} */
export const CURVES = {
  ready: "tasks ready", running: "tasks running", waiting: "threads waiting", idle: "threads idle",
};

/** The threads of each process, of traces that were asked for. @type {WeakMap<Opened, number[][]>} */
const ORDERS = new WeakMap();

/** The threads of a process in the order in which they are shown. @param {Opened} open
 *  @param {number} process @returns {number[]} */
export function threadsOf(open, process) {
  let all = ORDERS.get(open);
  if (!all) {
    all = open.processes.map(({ first, count }) =>
      inOrder(open.locations.slice(first, first + count).map(({ name }) => name))
        .map((at) => first + at));
    ORDERS.set(open, all);
  }
  return all[process] ?? [];
}

/** All threads in the order in which they are shown. @param {Opened} open @returns {number[]} */
export function threadsInOrder(open) {
  return open.processes.flatMap((_, process) => threadsOf(open, process));
}

/** The name of a location in the address: process and thread in it. @param {Opened} open
 *  @param {number} loc */
export function locationName(open, loc) {
  const { process } = open.locations[loc];
  return `${process}.${threadsOf(open, process).indexOf(loc)}`;
}

/** The location with a name, or -1. @param {Opened} open @param {string} name */
export function locationNamed(open, name) {
  const [process, thread] = name.split(".").map(Number);
  return threadsOf(open, process)[thread] ?? -1;
}

/** A counter of a thread in the address: `PAPI_TOT_INS@0.1`. @param {string} word
 *  @returns {{counter: string, thread: string}} */
export function counterOf(word) {
  const at = word.lastIndexOf("@");
  return { counter: word.slice(0, at), thread: word.slice(at + 1) };
}

/** A thread in a sentence: `thread 2`, or with its process if there are several.
 *  @param {Opened} open @param {number} loc */
export function threadText(open, loc) {
  const { name, process } = open.locations[loc] ?? { name: "a thread", process: 0 };
  return open.processes.length > 1 ? `${open.processes[process].name}, ${name}` : name;
}

/** Whether the threads of a process are not shown. @param {Opened} open @param {Shown} shown
 *  @param {number} process */
export function isFolded(open, shown, process) {
  if (open.processes.length < 2) return false;
  const usual = open.locations.length > THREADS_SHOWN;
  const changed = usual ? shown.unfolded : shown.folded;
  return usual !== changed.includes(String(process));
}

/** Height of a thread's row, so that those that are shown fit, and few ones fill the room.
 *  @param {number} threads @param {number} room */
export function threadHeight(threads, room) {
  return Math.max(14, Math.min(64, Math.floor(room / Math.max(threads, 1)) - GAP));
}

/** All rows. @param {Opened} open @param {Shown} shown @param {number} room height of the view
 *  @returns {{rows: Row[], height: number}} */
export function layout(open, shown, room) {
  /** @type {Row[]} */
  const rows = [];
  let y = GAP;
  /** @param {Omit<Row, "y">} row @param {number} gap */
  const add = (row, gap = GAP) => {
    rows.push({ ...row, y });
    y += row.height + gap;
  };
  const open_ = open.processes.map((_, process) => !isFolded(open, shown, process));
  const threads = open.processes.reduce((sum, { count }, at) => sum + (open_[at] ? count : 1), 0);
  const height = threadHeight(threads, room * 0.8);
  open.processes.forEach((of, process) => {
    const base = { process, loc: of.first, level: 0 };
    if (open.processes.length > 1) {
      const size = open_[process] ? PROCESS_HEIGHT - 6 : Math.max(PROCESS_HEIGHT, height);
      add({ ...base, kind: "process", key: `p${process}`, label: of.name, height: size,
        isOpen: open_[process] });
    }
    if (!open_[process]) return;
    for (const loc of threadsOf(open, process)) {
      threadRows(open, shown, loc, height).forEach((row, at, all) =>
        add(row, at + 1 < all.length ? 1 : GAP));
    }
    for (const which of shown.curves) {
      add({ ...base, kind: "curve", key: `c${which}.${process}`, label: CURVES[which],
        height: CURVE_HEIGHT, isOpen: false });
    }
  });
  return { rows, height: y };
}

/** A thread's row, its stack if that is open, and its counters. @param {Opened} open @param {Shown} shown
 *  @param {number} loc @param {number} height @returns {Omit<Row, "y">[]} */
function threadRows(open, shown, loc, height) {
  const { name, process, stack_levels: cut, recorded_levels: whole = cut } = open.locations[loc];
  // As recorded, a suspended task stays open below the one that runs; else it is cut.
  const [levels, letter] = shown.recorded ? [whole, "r"] : [cut, "s"];
  const isOpen = shown.stacks.includes(locationName(open, loc));
  const base = { process, loc };
  /** @type {Omit<Row, "y">[]} */
  const rows = [{ ...base, kind: "flat", key: `f${loc}`, label: name, level: 0, height, isOpen }];
  if (isOpen) {
    for (let level = 0; level < Math.min(levels, STACK_LEVELS_MAX); level++) {
      rows.push({ ...base, kind: "stack", key: `${letter}${loc}.${level}`, label: "", level,
        height: STACK_HEIGHT, isOpen: false });
    }
  }
  for (const word of shown.counters) {
    const { counter, thread } = counterOf(word);
    if (locationNamed(open, thread) !== loc) continue;
    rows.push({ ...base, kind: "counter", key: `n${word}`, label: counter, level: 0,
      height: CURVE_HEIGHT, isOpen: false });
  }
  return rows;
}

/** The rows that are seen. @param {Row[]} rows @param {number} top @param {number} height */
export function visible(rows, top, height) {
  return rows.filter((row) => row.y + row.height > top && row.y < top + height);
}

/** The row at a height, or undefined. @param {Row[]} rows @param {number} y */
export function rowAt(rows, y) {
  return rows.find((row) => y >= row.y && y < row.y + row.height + 1);
}
