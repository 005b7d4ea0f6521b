// What is selected, in plain sentences: what it is, how long it takes, and why it waits.

import { percent } from "../format.js";
import { clockText, lengthText } from "./axis.js";
import { withShortPaths } from "./moments.js";
import { threadText } from "./rows.js";
import { STATES } from "./paint.js";

/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("../source/source.js").Moment} Moment */
/** @typedef {import("../source/source.js").OpenRegion} OpenRegion */

/** The interval that a level of a row shows: the innermost one for level -1.
 *  @param {Moment} moment @param {number} level @returns {OpenRegion | undefined} */
export function shownOf(moment, level) {
  return level < 0 ? moment.stack.at(-1) : moment.stack[level];
}

/** The name of a region in a picture. @param {Opened} open @param {number} region */
export function regionText(open, region) {
  return open.regions[region]?.label ?? "several regions";
}

/** A region in two parts: what it is, and where. Names of directives have both, and so have labels of
 *  calls, for example of MPI.
 *  @param {Opened} open @param {number} region @returns {{what: string, where: string}} */
export function regionParts(open, region) {
  const of = open.regions[region];
  if (!of) return { what: "several regions", where: "" };
  const [, what, where] = /^!\$omp (.*) @(\S+)$/.exec(of.name) ?? [];
  if (what) return { what: what.replace(" sblock", " body"), where };
  const place = ` ${placeText(of.file, of.line)}`;
  return of.line && of.label.endsWith(place)
    ? { what: of.label.slice(0, -place.length), where: place.slice(1) }
    : { what: of.label, where: "" };
}

/** A call path from outside to inside, with each file once. @param {Opened} open
 *  @param {Moment} moment */
export function pathText(open, { stack }) {
  let file = "";
  return stack.map(({ region }) => {
    const { what, where } = regionParts(open, region);
    const [name] = where.split(":");
    const place = name === file ? where.slice(name.length) : where;
    file = name || file;
    return `${what} ${place}`.trim();
  }).join(" › ");
}

/** A text as the begin of a sentence. @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Only the name of a file. @param {string} file @param {number} line */
export function placeText(file, line) {
  return file ? `${file.split("/").at(-1)}${line ? `:${line}` : ""}` : "";
}

/** A sentence about startup or shutdown. @param {Opened} open @param {number} loc
 *  @param {import("../source/source.js").Edge} edge */
function edgeText(open, loc, { kind, start, end }) {
  const thread = capital(threadText(open, loc));
  const length = lengthText((end - start) / open.ticks_per_second);
  return kind === "startup"
    ? `${thread} begins its part of the parallel region ${length} after the fork.`
    : `${thread} has ended its part of the parallel region ${length} before the join.`;
}

/** A line for those who do not see the picture. @param {Opened} open @param {number} loc
 *  @param {OpenRegion | undefined} of @param {import("../source/source.js").Window} window
 *  @param {import("../source/source.js").Edge | null} [edge] */
export function spoken(open, loc, of, [t0, t1], edge) {
  const thread = capital(threadText(open, loc));
  if (!of && edge) return `${capital(edge.kind)}: ${edgeText(open, loc, edge)}`;
  if (!of) return `${thread}: nothing is recorded here`;
  const name = regionText(open, of.region);
  if (of.end === null) return `${thread}, ${name}, it ends later`;
  const inside = Math.max(0, Math.min(of.end, t1) - Math.max(of.since, t0));
  const length = lengthText((of.end - of.since) / open.ticks_per_second);
  return `${thread}, ${name}, ${length}, ${percent(inside / (t1 - t0))} of the window`;
}

/** Sentences about an interval. @param {Opened} open @param {number} loc
 *  @param {Moment} moment @param {number} level @returns {{title: string, place: string,
 *  facts: string[], why: string[]}} */
export function described(open, loc, moment, level) {
  const of = shownOf(moment, level);
  if (!of && moment.edge) {
    const { edge } = moment;
    return { title: capital(edge.kind), place: "", why: [], facts: [edgeText(open, loc, edge)] };
  }
  if (!of) {
    const thread = capital(threadText(open, loc));
    const fact = moment.stack.length ? `${thread} has nothing open on this level of its call stack.`
      : `${thread} has no events here: it is idle or not started.`;
    return { title: "Nothing here", place: "", why: [], facts: [fact] };
  }
  const region = open.regions[of.region];
  const isTask = moment.task !== null && region?.role === "task";
  return {
    title: isTask ? moment.task?.name ?? "" : regionText(open, of.region),
    place: isTask ? placeText(region.file, region.line) : "",
    facts: [intervalText(open, loc, of), ...taskTexts(open, moment, of)],
    why: moment.waits.map(({ title, ticks, because }) =>
      waitText(title, lengthText(ticks / open.ticks_per_second), withShortPaths(because))),
  };
}

/** @param {string} title @param {string} length @param {string} because */
function waitText(title, length, because) {
  return because ? `${title}, ${length}: ${because}` : `${title}, ${length}.`;
}

/** @param {Opened} open @param {number} loc @param {OpenRegion} of */
function intervalText(open, loc, of) {
  const rate = open.ticks_per_second;
  const state = STATES[open.regions[of.region]?.state ?? 1].title;
  const begin = clockText(of.since / rate, 1e-6);
  const thread = capital(threadText(open, loc));
  if (of.end === null) return `${thread}, ${state}, from ${begin} on. It ends after this window.`;
  const length = lengthText((of.end - of.since) / rate);
  const cuts = [of.resumed ? "It was suspended before." : "",
    of.suspended ? "Then its task is suspended." : ""].filter(Boolean);
  return [`${thread}, ${state}, for ${length} from ${begin} on.`, ...cuts].join(" ");
}

/** @param {Opened} open @param {Moment} moment @param {OpenRegion} of @returns {string[]} */
function taskTexts(open, { task }, of) {
  if (!task) return [];
  const rate = open.ticks_per_second;
  const begin = task.fragments.length ? task.fragments[0].start : of.since;
  const texts = [];
  if (task.created) {
    const waited = lengthText((begin - task.created.at) / rate);
    const creator = threadText(open, task.created.loc);
    texts.push(`The task was created by ${creator} at ${clockText(task.created.at / rate, 1e-6)}.`
      + ` It waited ${waited}.`);
  }
  const ran = task.fragments.reduce((sum, { start, end }) => sum + end - start, 0);
  const pieces = task.fragments.length;
  if (pieces) {
    texts.push(`It ran ${lengthText(ran / rate)} `
      + `${pieces === 1 ? "in one piece" : `in ${pieces} pieces`}.`);
  }
  return texts;
}
