// The column next to the timeline: the exact sums of the window, what is selected in sentences, and
// the worst moments of the run.

import { el, fillWith, prose } from "../dom.js";
import { count, percent } from "../format.js";
import { lengthText } from "./axis.js";
import { toCreator } from "./commands.js";
import { rounded } from "./followers.js";
import { latest } from "./latest.js";
import { withShortPaths } from "./moments.js";
import { STATES, cssOf } from "./paint.js";
import { threadText, threadsInOrder } from "./rows.js";
import { capital, described, pathText, regionParts, shownOf } from "./words.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {import("../source/source.js").Sums} Sums */
/** What shows a call path in the trees, selects it there, and shows a line of a source.
 * @typedef {{lookAt: (path: string) => void, showPath: ((path: string) => void) | null,
 *   toSource: ((file: string, line: number) => void) | null}} Leads */

const PAUSE_MS = 120;
const ROWS = 9;
/** Cards below the rows need this height. */
const BELOW_MIN_PX = 190;
const KINDS = [["region", "Regions"], ["state", "States"], ["location", "Threads"]];

/** Returns what gives the focus back to the same button in a part that is rendered again.
 *  @param {HTMLElement} host */
function focusIn(host) {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && host.contains(active) ? active.dataset.key : undefined;
  return () => {
    if (key === undefined) return;
    /** @type {HTMLElement | null} */ (host.querySelector(`[data-key="${key}"]`))?.focus();
  };
}

export class Side {
  /** @param {Timeline} time @param {import("./select.js").Selector} selector
   *  @param {Leads} leads */
  constructor(time, selector, leads) {
    this.time = time;
    this.selector = selector;
    this.leads = leads;
    this.by = "region";
    this.sums = el("section.card");
    this.selected = el("section.card", { hidden: "" });
    this.worst = el("section.card", { hidden: "" });
    this.extra = el("section.card", { hidden: "" });
    time.view.side.replaceChildren(this.sums, this.selected, this.worst, this.extra);
    this.ask = latest((/** @type {any} */ question, signal) =>
      time.source.sums(question, signal),
    (answer, error, question) => {
      this.renderSumsNow = () => this.renderSums(answer, error, question);
      this.renderSumsNow();
    }, PAUSE_MS);
    /** Renders the last sums again. */
    this.renderSumsNow = () => {};
    // They have the colours of regions, and say which one stands out.
    time.onRecolour(() => this.renderSumsNow());
    time.onFrame(() => {
      this.arrange();
      this.follow();
    });
  }

  /** If few rows leave room below them, what is at the end of the column stands there. */
  arrange() {
    const { view, room, height } = this.time;
    const isRoom = room - height >= BELOW_MIN_PX && !this.time.state.now.table;
    const host = isRoom ? view.below : view.side;
    if (this.worst.parentElement !== host) host.append(this.worst, this.extra);
    view.below.hidden = !isRoom || (this.worst.hidden && this.extra.hidden);
  }

  follow() {
    const { locations } = this.time.open;
    if (!locations.length) return;
    this.ask({ locs: `0-${locations.length - 1}`, window: rounded(this.time.window), by: this.by });
  }

  /** @param {Sums | null} answer @param {Error | null} error
   *  @param {{window: [number, number], by: string}} question */
  renderSums(answer, error, { window: [t0, t1], by }) {
    const { open } = this.time;
    const rate = open.ticks_per_second;
    const whole = Math.max(1, (t1 - t0) * open.locations.length);
    const choose = KINDS.map(([kind, title]) => el("button", {
      role: "radio", "data-key": kind, "aria-checked": String(kind === by), onclick: () => {
        this.by = kind;
        this.follow();
      },
    }, title));
    const places = new Map(by === "location"
      ? threadsInOrder(open).map((loc, at) => [loc, at]) : []);
    const place = (/** @type {{key: number}} */ { key }) => places.get(key) ?? places.size;
    const rows = [...(answer?.rows ?? [])].sort((a, b) =>
      (by === "location" ? place(a) - place(b) : b.ticks - a.ticks));
    const size = `${open.locations.length} × ${lengthText((t1 - t0) / rate)}`;
    const how = !answer ? "" : answer.exact ? "exact" : "estimated from the picture";
    const focus = focusIn(this.sums);
    fillWith(this.sums,
      el("h2", {}, "In this window ", el("span.quiet", {}, [how, size].filter(Boolean).join(", "))),
      el("div.choice", { role: "radiogroup", "aria-label": "Sums by" }, ...choose),
      error ? el("p.alert", {}, error.message) : null,
      this.table(rows.slice(0, ROWS), by, whole),
      rows.length > ROWS
        ? el("details.more", {}, el("summary", {}, `${rows.length - ROWS} more`),
          this.table(rows.slice(ROWS, 400), by, whole))
        : null);
    focus();
  }

  /** @param {Sums["rows"]} rows @param {string} by @param {number} whole */
  table(rows, by, whole) {
    const rate = this.time.open.ticks_per_second;
    const lines = rows.map(({ key, ticks, visits }) => el("tr", {},
      el("td.swatch", {}, this.swatch(by, key)),
      el("td", {}, this.nameOf(by, key)),
      el("td.number", {}, lengthText(ticks / rate)),
      el("td.number", {}, percent(ticks / whole)),
      by === "region" ? el("td.number.visits", {}, visits ? `${count(visits)}×` : "") : null));
    const heads = ["time", "share", ...(by === "region" ? ["visits"] : [])];
    return el("table.sums", {},
      el("thead.unseen", {}, el("tr", {}, el("td"), el("th", {}, by),
        ...heads.map((head) => el("th", {}, head)))),
      el("tbody", {}, ...lines));
  }

  /** @param {string} by @param {number} key */
  swatch(by, key) {
    const box = el("i", { "aria-hidden": "true" });
    const { shown } = this.time.palette();
    if (by === "region") box.style.background = cssOf(shown.region[Math.min(key, 0xffff)]);
    else if (by === "state") box.style.background = `var(${STATES[key]?.variable})`;
    else box.hidden = true;
    return box;
  }

  /** @param {string} by @param {number} key @returns {Node | string} */
  nameOf(by, key) {
    const { open, state } = this.time;
    if (by === "state") return STATES[key]?.title ?? "";
    if (by === "location") return threadText(open, key);
    const region = open.regions[key];
    if (!region) return "several regions";
    const { what, where } = regionParts(open, key);
    const isOn = state.now.region === region.name;
    return el("button.link", {
      "data-key": key, "aria-pressed": String(isOn),
      title: isOn ? "Let nothing stand out" : "Highlight it in the timeline",
      onclick: () => state.set({ region: isOn ? "" : region.name, fade: "" }),
    }, what, where ? el("span.place", {}, where) : null);
  }

  /** What is selected. @param {import("../source/source.js").Moment | null} moment
   *  @param {Error | null} error */
  renderSelected(moment, error) {
    const { time } = this;
    const { sel } = time.state.now;
    this.selected.hidden = !sel || (!moment && !error);
    if (this.selected.hidden) return;
    if (!moment) {
      this.selected.replaceChildren(el("h2", {}, "Selected"), el("p.alert", {}, error?.message));
      return;
    }
    const { title, place, facts, why } = described(time.open, sel.loc, moment, sel.level);
    fillWith(this.selected,
      el("h2", {}, title, " ", el("span.place", {}, place)),
      ...facts.map((text) => el("p", {}, text)),
      ...(why.length ? [el("h3", {}, "Why it waits"),
        ...why.map((text) => el("p.why", {}, ...prose(text)))] : []),
      ...(shownOf(moment, sel.level) ? [el("p.path", {}, pathText(time.open, moment)),
        this.actions(moment)] : []));
  }

  /** What can be done with what is selected. @param {import("../source/source.js").Moment} moment */
  actions(moment) {
    const { time, selector, leads: { showPath, toSource } } = this;
    const { file, line } = time.open.regions[shownOf(moment, time.state.now.sel.level)?.region ?? -1]
      ?? { file: "", line: 0 };
    const button = (/** @type {string} */ text, /** @type {string} */ key,
      /** @type {() => void} */ onclick) => el("button", { onclick, title: `Key ${key}` }, text);
    return el("div.actions", {},
      button("Zoom to it", ".", () => selector.zoomTo()),
      button("Previous", "[", () => selector.neighbour(true)),
      button("Next", "]", () => selector.neighbour(false)),
      moment.task?.created ? button("Creator", "p", () => toCreator(time, selector)) : null,
      showPath && moment.path
        ? el("button", { onclick: () => showPath(moment.path) }, "Show in the trees") : null,
      toSource && file && line
        ? el("button", { onclick: () => toSource(file, line) }, "Show source") : null);
  }

  /** The most severe moments. @param {import("../source/source.js").Instance[]} instances */
  renderWorst(instances) {
    const { open } = this.time;
    this.worst.hidden = instances.length === 0;
    const { source } = this.time;
    // A page without a server has the worst ones only; the others are told, and how to see them.
    const known = instances.filter((instance) => source.hasMoment(instance));
    const items = known.map((instance) => el("li", {}, el("button.worst", {
      onclick: () => this.selector.showInstance(instance),
    }, el("b", {}, instance.title), ` ${lengthText(instance.ticks / open.ticks_per_second)} `,
    el("span.quiet", {}, `${capital(threadText(open, instance.loc))}. ${withShortPaths(instance.because)}`))));
    const more = items.length > 5 ? el("details.more", {},
      el("summary", {}, `${items.length - 5} more`), el("ol", { start: 6 }, ...items.slice(5))) : null;
    const rest = instances.length - known.length;
    fillWith(this.worst, el("h2", {}, "Worst moments"),
      el("ol", {}, ...items.slice(0, 5)), more,
      rest ? el("p.quiet", {}, ...prose(`${rest} more ${rest === 1 ? "is" : "are"} not in this page: `
        + `\`pompeii view ${open.title}\` shows them.`)) : null);
  }
}
