// The view "Trees": the toolbar, the three panes, the flame view in place of the middle one, and the
// explanation of what is selected.

import { el } from "../dom.js";
import { renderHelp } from "../views/help.js";
import { Flame } from "./flame.js";
import { Panes } from "./panes.js";
import { paneHost, renderControls, renderToolbar } from "./tools.js";

/**
 * Makes the view. Other views show things in it by `show`, and hear of selections by `onSelect`.
 * @param {HTMLElement} host @param {import("./data.js").Data} data
 */
export function renderTrees(host, data) {
  const toolbar = el("div", { id: "toolbar", role: "toolbar", "aria-label": "Display" });
  const span = el("div.span");
  const help = el("div", { id: "help", "aria-live": "polite" });
  const flameHost = el("div.flame-host");
  const pane = (/** @type {import("./modes.js").Pane} */ name) =>
    paneHost(el("section.pane", { id: `pane-${name}` }), name);
  const hosts = { metrics: pane("metrics"), calls: pane("calls"), system: pane("system") };
  hosts.calls.foot.before(flameHost);
  const grid = el("div", { id: "panes" });
  host.replaceChildren(span, toolbar, grid, help);

  /** @type {(() => void)[]} */
  const listeners = [];
  /** @type {Flame | null} */
  let flame = null;
  /** @type {Panes | null} */
  let made = null;
  const onChange = () => {
    if (!made) return;
    renderHelp(help, made.data, made);
    if (made.shown === "flame") flame?.draw();
    listeners.forEach((act) => act());
  };
  const panes = new Panes(data, hosts, onChange);
  made = panes;
  const arrange = () => {
    const wanted = panes.order.map((name) => hosts[name].host);
    // An element that is moved forgets how far it was scrolled.
    if (wanted.every((element, at) => grid.children[at] === element)) return;
    grid.replaceChildren(...wanted);
    panes.order.forEach((name) => panes[name].focus(panes[name].focused));
  };
  const redraw = () => {
    grid.dataset.form = panes.shown;
    grid.dataset.extra = panes.form.extra ? "yes" : "no";
    arrange();
    renderToolbar(toolbar, panes, redraw);
    renderControls(panes, hosts);
    if (panes.shown === "flame") {
      flame ??= new Flame(flameHost, panes);
      flame.draw();
    }
  };
  redraw();
  return {
    panes,
    redraw,
    /** Where the part of the run can be chosen. */
    span,
    /** @param {import("./data.js").Data} other of another part of the run */
    become: (other) => {
      panes.become(other);
      redraw();
    },
    onSelect: (/** @type {() => void} */ act) => { listeners.push(act); },
    /** @param {string} metric @param {number[]} calls */
    show: (metric, calls) => {
      panes.show(metric, calls);
      redraw();
    },
    /** @param {(region: string) => void} act shows a region in the timeline */
    leadToTimeline: (act) => {
      panes.toTimeline = act;
      panes.update();
    },
    /** @param {((file: string, line: number) => void) | null} act shows a line of a source */
    leadToSource: (act) => {
      panes.toSource = act;
      panes.update();
    },
    /** @param {string} quick */
    choose: (quick) => {
      panes.setQuick(quick);
      redraw();
    },
  };
}
