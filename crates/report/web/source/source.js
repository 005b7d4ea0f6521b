// Where the page has its data from: a server (`pompeii view`), or the page itself (`pompeii html`).
// Both give the same answers, so no other part knows which one it is.

import { EmbeddedSource } from "./embedded.js";
import { ServerSource } from "./server.js";

/**
 * @typedef {object} Source
 * @property {() => Promise<any>} cube What the trees and the overview show.
 */

/** The source of this page. @param {Document} page @returns {Source} */
export function openSource(page) {
  const data = page.getElementById("data");
  return data ? new EmbeddedSource(data.textContent ?? "") : new ServerSource();
}
