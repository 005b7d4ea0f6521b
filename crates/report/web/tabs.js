// The views of the page as tabs: one is shown, the state knows which.

import { el } from "./dom.js";

/** @typedef {{id: string, title: string}} View */

/** Makes the tabs of some views; each has a panel `panel-ID` in the page.
 *  @param {HTMLElement} host @param {View[]} views
 *  @param {import("./state.js").State<any>} state */
export function renderTabs(host, views, state) {
  const tabs = views.map(({ id, title }) => el("button.tab", {
    role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`,
    onclick: () => state.set({ view: id }),
  }, title));
  host.replaceChildren(...tabs);
  host.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = views.findIndex(({ id }) => id === state.now.view);
    if (step === undefined || event.altKey) return;
    event.preventDefault();
    const next = (at + step + views.length) % views.length;
    state.set({ view: views[next].id });
    tabs[next].focus();
  });
  const show = () => {
    views.forEach(({ id }, index) => {
      const isShown = id === state.now.view;
      tabs[index].setAttribute("aria-selected", String(isShown));
      tabs[index].tabIndex = isShown ? 0 : -1;
    });
    for (const panel of document.querySelectorAll("[role=tabpanel]")) {
      /** @type {HTMLElement} */ (panel).hidden = panel.id !== `panel-${state.now.view}`;
    }
  };
  state.subscribe(["view"], show);
  show();
}
