// What the trees of a page show, for tests in a browser.

/** Texts of the rows of a pane that are in view, from top to bottom, which is their order in the page
 *  too: value and name. */
export const rows = (page, pane) => page.locator(`#pane-${pane} .row`).evaluateAll((all) => all
  .map((row) => [row.querySelector(".number").textContent, row.querySelector(".words").textContent]));
