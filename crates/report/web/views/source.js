// The view "Source": a file with the values of the selected property at the lines of its regions.
// The text comes from the server, which gives only files that the experiment names.

import { colourOf } from "../colour.js";
import { el, fillWith } from "../dom.js";
import { percent } from "../format.js";
import { latest } from "../time/latest.js";

/** @typedef {import("../trees/panes.js").Panes} Panes */
/** @typedef {import("../state.js").State<any>} State */
/** @typedef {{line: number, regions: {name: string, value: number}[], value: number}} Mark */

/** Height of a line in pixels, as in source.css. */
const LINE_PX = 20;
/** Lines above the one that is shown. */
const ABOVE = 6;

/** Values of the selected property by file and line: what call paths have for themselves. Without a
 *  report the lines of regions are marked, and have no value.
 *  @param {Panes | null} panes @param {{label: string, file: string, line: number}[]} regions
 *  @returns {Map<string, Map<number, Mark>>} */
export function marksOf(panes, regions) {
  /** @type {Map<string, Map<number, Mark>>} */
  const files = new Map();
  /** Call paths at a mark or a region of it, if their values are not added.
   *  @type {Map<{value: number}, number[]>} */
  const together = new Map();
  const over = panes?.callValues.over;
  const add = (/** @type {{label: string, file: string, line: number}} */ { label, file, line },
    /** @type {number} */ value, call = -1) => {
    if (!file || line < 1) return;
    const lines = files.get(file) ?? new Map();
    files.set(file, lines);
    const mark = lines.get(line) ?? { line, regions: [], value: 0 };
    lines.set(line, mark);
    mark.value += value;
    let known = mark.regions.find((/** @type {{name: string}} */ { name }) => name === label);
    if (known) known.value += value;
    else mark.regions.push(known = { name: label, value });
    if (!over || call < 0) return;
    for (const of of [mark, known]) together.set(of, [...together.get(of) ?? [], call]);
  };
  regions.forEach((region) => add(region, 0));
  panes?.data.calls.forEach(({ id }) => add(panes.data.region(id), panes.callValues.own[id], id));
  if (over) together.forEach((calls, of) => { of.value = over(calls); });
  return files;
}

/** @param {Map<number, Mark> | undefined} lines */
const sumOf = (lines) => [...lines?.values() ?? []].reduce((sum, { value }) => sum + value, 0);

export class SourceView {
  /** @param {HTMLElement} host @param {import("../source/source.js").Source} source
   *  @param {string[]} files @param {State} state @param {Panes | null} panes
   *  @param {{label: string, file: string, line: number}[]} regions */
  constructor(host, source, files, state, panes, regions) {
    this.files = files;
    this.state = state;
    this.panes = panes;
    this.regions = regions;
    /** @type {string | null} */
    this.text = null;
    this.list = el("nav.files", { "aria-label": "Files" });
    this.head = el("div.head");
    this.code = el("div.code", { tabindex: "0", role: "region", "aria-label": "Source" });
    host.replaceChildren(this.list, el("div.file", {}, this.head, this.code));
    this.ask = latest((/** @type {string} */ name, signal) =>
      source.source({ file: files.indexOf(name) }, signal),
    (answer, error) => this.take(answer?.text ?? null, error), 0);
    state.subscribe(["view", "file", "line"], () => this.show());
    this.show();
  }

  /** The file that is shown: at first the one that has most of the property. */
  get file() {
    const { file } = this.state.now;
    if (this.files.includes(file)) return file;
    return this.sorted()[0] ?? "";
  }

  sorted() {
    const marks = this.marks();
    return [...this.files].sort((a, b) => sumOf(marks.get(b)) - sumOf(marks.get(a)));
  }

  marks() {
    return marksOf(this.panes, this.regions);
  }

  show() {
    if (this.state.now.view !== "source") return;
    this.renderList();
    if (this.file) this.ask(this.file);
    this.renderMarks();
    this.scrollToLine();
  }

  renderList() {
    const marks = this.marks();
    const whole = this.panes?.callWhole ?? 0;
    const { file } = this;
    this.list.replaceChildren(...this.sorted().map((name) => {
      const share = whole ? sumOf(marks.get(name)) / whole : 0;
      const box = el("i.box");
      box.style.background = colourOf(share);
      return el("button", { title: name, "aria-current": name === file ? "true" : null,
        onclick: () => this.state.set({ file: name, line: "" }) },
      box, el("span.number", {}, this.panes ? percent(share) : ""),
      el("span.name", {}, name.split("/").at(-1)));
    }));
  }

  /** @param {string | null} text @param {Error | null} error */
  take(text, error) {
    this.text = text;
    if (text === null) {
      fillWith(this.head, el("h2", {}, this.file));
      this.code.replaceChildren(el("p.alert", { role: "alert" }, error?.message));
      return;
    }
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    const numbers = lines.map((_, at) => at + 1).join("\n");
    this.band = el("div.band");
    this.gutter = el("div.gutter");
    const height = `${lines.length * LINE_PX}px`;
    const sheet = el("div.sheet", {}, this.band, this.gutter,
      el("pre.numbers", { "aria-hidden": "true" }, numbers), el("pre.text", {}, lines.join("\n")));
    sheet.style.height = height;
    this.code.replaceChildren(sheet);
    this.renderMarks();
    this.scrollToLine();
  }

  /** The values at the lines of regions. */
  renderMarks() {
    const { panes } = this;
    const property = panes ? panes.titles.property : "";
    fillWith(this.head, el("h2", {}, this.file), property
      ? el("span.quiet", {}, `${property}, at the begin of each region`) : null);
    if (this.text === null || !this.gutter) return;
    const marks = [...this.marks().get(this.file)?.values() ?? []];
    this.gutter.replaceChildren(...marks.map((mark) => this.mark(mark)));
  }

  /** @param {Mark} mark */
  mark({ line, regions, value }) {
    const { panes, state } = this;
    const share = panes?.callWhole ? value / panes.callWhole : 0;
    const names = regions.map(({ name, value: own }) =>
      (panes ? `${name}: ${panes.severity(own, panes.unit)}` : name)).join("\n");
    const box = el("i.box");
    box.style.background = colourOf(share);
    const shown = panes ? percent(share) : "";
    // A name must have in it what is seen.
    const label = [`Line ${line}: ${names}`, shown].filter(Boolean).join(", ");
    const button = el("button.mark", { title: names, "aria-label": label,
      "aria-current": String(line) === state.now.line ? "true" : null,
      onclick: () => state.set({ file: this.file, line: String(line) }) },
    box, shown);
    button.style.top = `${(line - 1) * LINE_PX}px`;
    return button;
  }

  scrollToLine() {
    const line = Number(this.state.now.line);
    if (!this.band) return;
    this.band.hidden = !(line >= 1);
    if (!(line >= 1)) return;
    const top = (line - 1) * LINE_PX;
    this.band.style.top = `${top}px`;
    const { scrollTop, clientHeight } = this.code;
    if (top < scrollTop + LINE_PX || top > scrollTop + clientHeight - 2 * LINE_PX) {
      this.code.scrollTop = Math.max(0, top - ABOVE * LINE_PX);
    }
  }
}
