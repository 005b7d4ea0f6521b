// Starts the timeline: waits until the trace is indexed, and puts its parts together.

import { el } from "../dom.js";
import { count, percent } from "../format.js";
import { addCommands } from "./commands.js";
import { addExtra } from "./extra.js";
import { makeFind } from "./find.js";
import { addLit } from "./lit.js";
import { listenToPointer } from "./pointer.js";
import { Selector } from "./select.js";
import { Side } from "./side.js";
import { Timeline } from "./timeline.js";
import { renderTools } from "./tools.js";
import { addTwin } from "./twin.js";

/** @typedef {import("../source/source.js").Source} Source */
/** @typedef {import("../source/source.js").Opened} Opened */
/** @typedef {import("./side.js").Leads} Leads */

const POLL_MS = 300;

/** Shows how much of the trace is indexed until all of it is. @param {HTMLElement} host
 *  @param {Source} source */
async function whenReady(host, source) {
  for (;;) {
    const { ready, events, of, error } = await source.progress();
    if (error) throw new Error(error);
    if (ready) return;
    const share = of ? events / of : 0;
    const bar = /** @type {HTMLProgressElement} */ (
      el("progress", { max: 1, value: share, "aria-label": "Indexing the trace" }));
    host.replaceChildren(el("div.time-wait", { role: "status" },
      el("h2", {}, "Indexing the trace"), bar,
      el("p", {}, `${count(events)} of ${count(of)} events, ${percent(share)}. `
        + "The other tabs can be used meanwhile; the index is kept for the next time.")));
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
  }
}

/** @param {HTMLElement} host @param {Source} source @param {Opened} opened
 *  @param {import("../state.js").State<any>} state @param {import("../keys.js").Keys} keys
 *  @param {import("./moments.js").Moments} moments
 *  @param {Leads} leads
 *  @returns {Promise<Timeline | null>} null if the trace cannot be shown */
export async function startTimeline(host, source, opened, state, keys, moments, leads) {
  try {
    if (!opened.progress.ready) await whenReady(host, source);
    // Stack levels are known only now.
    const open = opened.progress.ready ? opened : await source.open() ?? opened;
    return build(host, source, open, state, keys, moments, leads);
  } catch (error) {
    host.replaceChildren(el("p.alert", { role: "alert" }, /** @type {Error} */ (error).message));
    return null;
  }
}

/** @param {HTMLElement} host @param {Source} source @param {Opened} open
 *  @param {import("../state.js").State<any>} state @param {import("../keys.js").Keys} keys
 *  @param {import("./moments.js").Moments} moments @param {Leads} leads */
function build(host, source, open, state, keys, moments, leads) {
  const time = new Timeline(host, source, open, state);
  /** @type {Side | null} */
  let side = null;
  const selector = new Selector(time, (moment, error) => side?.renderSelected(moment, error));
  selector.lookAt = leads.lookAt;
  side = new Side(time, selector, leads);
  const find = makeFind(time, selector);
  renderTools(time, find.host, addLit(time, selector));
  listenToPointer(time, selector);
  addCommands(time, selector, keys, { find: find.focus });
  addTwin(time);
  addExtra(time, side.extra);
  fill(host);
  addEventListener("resize", () => fill(host));
  state.subscribe(["view"], () => {
    fill(host);
    time.resize();
  });
  time.instances = moments.instances;
  side.renderWorst(moments.instances);
  moments.show = (instance) => selector.showInstance(instance);
  time.redraw();
  return time;
}

/** The timeline is as high as what is left of the window. @param {HTMLElement} host */
function fill(host) {
  const top = host.getBoundingClientRect().top + scrollY;
  const rest = innerHeight - top - 14;
  host.style.setProperty("--rest", `${Math.max(420, rest)}px`);
}
