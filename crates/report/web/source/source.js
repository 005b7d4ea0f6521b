// Where the page has its data from: a server (`pompeii view`), or the page itself (`pompeii html`).
// Both give the same answers, so no other part knows which one it is. Times are ticks after the begin
// of the run.

import { EmbeddedSource } from "./embedded.js";
import { ServerSource } from "./server.js";

/**
 * @typedef {{name: string, label: string, file: string, line: number, state: number,
 *   paradigm: string, role: string}} Region
 * @typedef {{name: string, process: number, stack_levels: number, recorded_levels?: number,
 *   events: number}} Location
 * @typedef {{name: string, first: number, count: number}} Process
 * @typedef {{events: number, of: number, ready: boolean, error?: string | null}} Progress
 * @typedef {{fingerprint: string, length: number, ticks_per_second: number, title: string,
 *   processes: Process[], locations: Location[], regions: Region[], progress: Progress,
 *   has: {messages: boolean, tasks: boolean, locks: boolean, collectives: boolean,
 *     counters: string[], analysis: boolean, report: boolean, curves?: boolean}}} Opened
 * @typedef {[number, number]} Window
 * @typedef {{kind: number, place: number, level: number, from: number, count: number}} PictureRow
 * @typedef {{isExact: boolean, binTicks: number, begin: number, rows: PictureRow[],
 *   x0: Uint32Array, x1: Uint32Array, what: Uint32Array, band: Uint32Array | null}} Picture
 * @typedef {{rows: {key: number, ticks: number, visits: number}[], exact: boolean}} Sums
 * @typedef {{region: number, since: number, end: number | null, resumed: boolean,
 *   suspended: boolean}} OpenRegion
 * @typedef {{loc: number, start: number, end: number}} Fragment
 * @typedef {{loc: number, at: number}} Place
 * @typedef {{name: string, region: number, created: Place | null, fragments: Fragment[]}} Task
 * @typedef {{property: string, title: string, ticks: number, because: string}} Wait
 * @typedef {{stack: OpenRegion[], task: Task | null, path: string, waits: Wait[],
 *   partners: {kind: string, loc: number, at: number}[], edge?: Edge | null}} Moment
 * @typedef {{kind: string, start: number, end: number}} Edge Startup or shutdown of a thread: from a
 *   fork to its first region, or from its last region to the join.
 * @typedef {{property: string, title: string, ticks: number, loc: number, start: number, end: number,
 *   path: string, because: string}} Instance
 * @typedef {[string, number, number, number, number, number]} Link Kind, location and time of both
 *   ends, bytes.
 * @typedef {{links?: Link[], left_out?: number, counts?: number[][], bin_log2?: number}} Links
 * @typedef {{creations: number[][], fragments: number[][], left_out: number}} Tasks Creations have
 *   location, time, thread, number, team; fragments location, start, end, thread, number, team, flags.
 * @typedef {[number, number, number, string, number | null, number, number]} Gap Location, start, end,
 *   why (flush, off, lost, summed, startup, shutdown), region, visits, ticks.
 * @typedef {{begin: number, bin_log2: number, min: number[], max: number[], mean: number[]}} Curve
 * @typedef {{loc: number, start: number, end: number, region: number}} Found
 * @typedef {Found | {none: true} | {searching: true, from: number}} FindAnswer
 */
/**
 * Questions to a source. Those with a window have its begin and end as `t0` and `t1`.
 * @typedef {object} Source
 * @property {() => Promise<any>} first What the overview shows before anything is opened there, with
 *   the names of `cube`; `left_out` says how much is missing. Null if `cube` comes as soon.
 * @property {() => Promise<any>} cube What the trees and the overview show; null if there is no
 *   report.
 * @property {() => Promise<Opened | null>} open The trace; null if there is none.
 * @property {() => Promise<Progress>} progress How much of the trace is indexed.
 * @property {(query: {rows: string, window: Window, px: number}, signal?: AbortSignal)
 *   => Promise<Picture>} picture
 * @property {(query: {locs: string, window: Window, by: string}, signal?: AbortSignal)
 *   => Promise<Sums>} sums
 * @property {(query: {loc: number, t: number}, signal?: AbortSignal) => Promise<Moment>} at
 * @property {(query: {window: Window, max: number}, signal?: AbortSignal) => Promise<Tasks>} tasks
 * @property {(query: {locs: string, window: Window, px: number}, signal?: AbortSignal)
 *   => Promise<{gaps: Gap[], left_out: number}>} gaps
 * @property {(query: {kinds: string, window: Window, max: number}, signal?: AbortSignal)
 *   => Promise<Links>} links
 * @property {(query: {which: string, process: number, window: Window, px: number},
 *   signal?: AbortSignal) => Promise<Curve>} curve
 * @property {(query: {name: string, loc: number, window: Window, px: number},
 *   signal?: AbortSignal) => Promise<Curve>} counter
 * @property {(query: {window: Window}, signal?: AbortSignal)
 *   => Promise<{pairs: number[][]}>} matrix
 * @property {(query: {region: number, window: Window, locs: string}, signal?: AbortSignal)
 *   => Promise<{buckets: number[][], remark?: string}>} histogram
 * @property {(query: Record<string, string | number>, signal?: AbortSignal)
 *   => Promise<FindAnswer>} find
 * @property {() => string[]} files Sources that can be asked for, after `open`.
 * @property {(query: {file: number}, signal?: AbortSignal) => Promise<{name: string, text: string}>}
 *   source The text of one of them.
 * @property {() => Promise<Instance[]>} instances
 * @property {(query: {window: Window, waits?: boolean}, signal?: AbortSignal) => Promise<any>} trees
 *   What the trees show of a window, as `cube` has it; `remark` says how it was made, and `unknown`
 *   names properties that it does not have. Without `waits` it has time and visits only.
 * @property {(instance: Instance) => boolean} hasMoment Whether a moment can be seen exactly.
 * @property {boolean} isWhole Whether all of the trace can be asked for; a static page has parts.
 */

/** The source of this page. @param {Document} page @returns {Source} */
export function openSource(page) {
  const data = /** @type {HTMLScriptElement | null} */ (page.getElementById("data"));
  if (!data) return new ServerSource();
  const textOf = (/** @type {string} */ id) => page.getElementById(id)?.textContent;
  const isPacked = data.type === "text/plain";
  return new EmbeddedSource({ text: data.textContent ?? "", isPacked }, textOf("data-first"),
    textOf("timeline"));
}
