// Tables and blocks that several views share.

import { el } from "../dom.js";

/** @param {string} text */
export const number = (text) => el("td.number", {}, text);

/** A table; all columns but the first are numbers. @param {string[]} heads
 *  @param {HTMLElement[]} rows */
export function table(heads, rows) {
  const [first, ...others] = heads;
  return el("table.details", {},
    el("thead", {}, el("tr", {}, el("th", {}, first),
      ...others.map((head) => el("th.number", {}, head)))),
    el("tbody", {}, ...rows));
}

/** @param {string} title @param {...(Node | null)} content */
export function block(title, ...content) {
  return el("div.block", {}, el("h2", {}, title), ...content);
}

/** What opens on demand, and is made only then: a run may have thousands of constructs.
 *  @param {number} count @param {() => Node[]} make */
export function more(count, make) {
  const host = el("details.more", {}, el("summary", {}, `${count} more`));
  host.addEventListener("toggle", () => {
    if (host.hasAttribute("open") && host.children.length === 1) host.append(...make());
  });
  return host;
}

/** Rows that are shown at once; the rest opens on demand. */
const ROWS = 8;

/** @param {string[]} heads @param {HTMLElement[]} rows */
export function tables(heads, rows) {
  if (rows.length <= ROWS) return [table(heads, rows)];
  return [table(heads, rows.slice(0, ROWS)),
    more(rows.length - ROWS, () => [table(heads, rows.slice(ROWS))])];
}
