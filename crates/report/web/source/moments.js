// What an offline page has of the run's worst moments besides pictures: lines between threads, tasks
// and curves, as the server has answered. It answers the same questions for windows inside of them.

/** @typedef {import("./source.js").Window} Window */
/** @typedef {import("./source.js").Links} Links */
/** @typedef {import("./source.js").Tasks} Tasks */
/** @typedef {{window: Window, links?: Links | null, tasks?: Tasks | null,
 *   gaps?: {gaps: import("./source.js").Gap[]} | null,
 *   curves: Record<string, import("./source.js").Curve>}} Moment */

/** Whether an interval has a part in a window. @param {number} start @param {number} end
 *  @param {Window} window */
const overlaps = (start, end, [t0, t1]) => start < t1 && end > t0;

export class EmbeddedMoments {
  /** @param {Moment[]} all */
  constructor(all) {
    const size = (/** @type {Moment} */ { window: [t0, t1] }) => t1 - t0;
    this.all = [...all].sort((a, b) => size(a) - size(b));
  }

  /** The shortest moment that has most of a window. @param {Window} window
   *  @param {(moment: Moment) => boolean} has */
  of([t0, t1], has) {
    const middle = (t0 + t1) / 2;
    return this.all.find((moment) => has(moment)
      && moment.window[0] <= middle && middle < moment.window[1]
      && moment.window[1] - moment.window[0] >= (t1 - t0) * 0.75) ?? null;
  }

  /** Lines of some kinds; null if none of the moments shows the window. @param {string[]} kinds
   *  @param {Window} window @returns {Links | null} */
  links(kinds, window) {
    const { links: found } = this.of(window, ({ links }) => Boolean(links)) ?? {};
    if (!found) return null;
    if (!found.links) return found;
    const links = found.links.filter(([kind, , start, , end]) =>
      kinds.includes(kind) && overlaps(Math.min(start, end), Math.max(start, end) + 1, window));
    return { links, left_out: 0 };
  }

  /** @param {Window} window @returns {Tasks | null} */
  tasks(window) {
    const { tasks } = this.of(window, (moment) => Boolean(moment.tasks)) ?? {};
    if (!tasks) return null;
    return { ...tasks,
      creations: tasks.creations.filter(([, t]) => overlaps(t, t + 1, window)),
      fragments: tasks.fragments.filter(([, start, end]) => overlaps(start, end, window)) };
  }

  /** @param {string} which @param {number} process @param {Window} window */
  curve(which, process, window) {
    const key = `${which}.${process}`;
    const isThere = (/** @type {Moment} */ { curves }) => Boolean(curves[key]);
    const moment = this.of(window, isThere) ?? this.all.findLast(isThere);
    return moment?.curves[key] ?? null;
  }

  /** Times without regions: those of the moment, or the long ones of the whole run.
   *  @param {Window} window */
  gaps(window) {
    const isThere = (/** @type {Moment} */ { gaps }) => Boolean(gaps);
    const moment = this.of(window, isThere) ?? this.all.findLast(isThere);
    return (moment?.gaps?.gaps ?? []).filter(([, start, end]) => overlaps(start, end, window));
  }

  /** The task that a thread executes at a time, with what is known of it. @param {number} loc
   *  @param {number} t @param {number} region of the task
   *  @returns {import("./source.js").Task | null} */
  taskAt(loc, t, region) {
    const { tasks } = this.of([t, t + 1], (moment) => Boolean(moment.tasks)) ?? {};
    const [, , , ...id] = tasks?.fragments.find(([at, start, end]) =>
      at === loc && start <= t && t < end) ?? [];
    if (!id.length || !tasks) return null;
    const [thread, number, team] = id;
    const isSame = (/** @type {number[]} */ of) =>
      of[0] === thread && of[1] === number && of[2] === team;
    // It may have been created in another moment.
    const created = this.all.flatMap((moment) => moment.tasks?.creations ?? [])
      .find((of) => isSame(of.slice(2)));
    return {
      name: `task_${thread}_${number}`, region,
      created: created ? { loc: created[0], at: created[1] } : null,
      fragments: tasks.fragments.filter((of) => isSame(of.slice(3)))
        .map(([at, start, end]) => ({ loc: at, start, end })),
    };
  }

  /** The other ends of lines that begin or end in an interval. @param {number} loc
   *  @param {number} since @param {number} end */
  partners(loc, since, end) {
    const { links } = this.of([since, end], (moment) => Boolean(moment.links)) ?? {};
    const isHere = (/** @type {number} */ of, /** @type {number} */ t) =>
      of === loc && since <= t && t <= end;
    return (links?.links ?? []).filter(([kind]) => kind !== "task")
      .flatMap(([kind, from, start, to, stop]) => {
        if (isHere(from, start)) return [{ kind, loc: to, at: stop }];
        return isHere(to, stop) ? [{ kind, loc: from, at: start }] : [];
      });
  }
}
