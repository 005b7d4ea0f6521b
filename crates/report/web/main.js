// Puts the page together: its source, its state, and the views that draw from both.

import { el } from "./dom.js";
import { Keys } from "./keys.js";
import { selftest } from "./selftest.js";
import { openSource } from "./source/source.js";
import { State, browserBar, choiceField, parsed, textField } from "./state.js";
import { renderTabs } from "./tabs.js";
import { applyTheme, pageButtons, showTheme } from "./theme.js";
import { timeFields } from "./time/fields.js";
import { Moments } from "./time/moments.js";
import { startTimeline } from "./time/start.js";
import { followTrees, treeFields } from "./trees/address.js";
import { Data } from "./trees/data.js";
import { followWindow } from "./trees/span.js";
import { renderTrees } from "./trees/view.js";
import { renderDetails } from "./views/details.js";
import { renderFirst, renderSummary } from "./views/overview.js";
import { SourceView } from "./views/source.js";
import { renderTasks } from "./views/tasks.js";
import { renderTop } from "./views/top.js";

const byId = (/** @type {string} */ id) =>
  /** @type {HTMLElement} */ (document.getElementById(id));

/** Parts of the address that are known before any data. The overview is what a page begins with. */
const PAGE_FIELDS = {
  view: choiceField(["overview", "timeline", "trees", "tasks", "source"]),
  theme: choiceField(["system", "light", "dark"]),
  palette: choiceField(["usual", "distinct"]),
};

/** The views that there is something for. */
function viewsOf(raw, opened, files) {
  return [
    { id: "overview", title: "Overview", isThere: raw },
    { id: "timeline", title: "Timeline", isThere: opened },
    { id: "trees", title: "Trees", isThere: raw },
    { id: "tasks", title: "Tasks", isThere: raw?.tasks.length },
    { id: "source", title: "Source", isThere: files.length },
  ].filter(({ isThere }) => isThere);
}

function makeTrees(data) {
  const trees = renderTrees(byId("panel-trees"), data);
  const [first] = data.raw.findings;
  if (first) trees.show(first.metric, first.call_paths);
  return trees;
}

function stateOf(views, opened, trees) {
  // The trees show the whole run, or the window of the timeline.
  const of = opened && trees ? { of: choiceField(["run", "window"]) } : {};
  return new State({
    ...PAGE_FIELDS,
    view: choiceField(views.map(({ id }) => id)),
    ...(opened ? timeFields(opened) : {}),
    ...(trees ? treeFields(trees) : {}),
    ...of,
    file: textField(),
    line: textField(),
  }, browserBar());
}

/** Where the overview leads: to the trees and to moments of the timeline. Until these are there, its
 *  buttons wait; `connect` says what they lead to. */
function overviewLeads() {
  let connect = (_) => {};
  const whole = new Promise((resolve) => { connect = resolve; });
  const leads = {
    show: async (metric, calls) => (await whole).show(metric, calls),
    moment: async (finding) => (await whole).moments.of(finding),
    connect: (show, moments) => {
      leads.show = show;
      connect({ show, moments });
    },
  };
  return leads;
}

function renderOverview(raw, leads) {
  renderFirst(byId("first"), raw);
  renderSummary(byId("summary"), raw, leads);
  renderDetails(byId("details"), raw, (call) => leads.show("time", [call]));
  renderTop(byId("top"), raw, []);
}

/** Returns after the browser has painted what is there. A page that is not seen is not painted. */
function painted() {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => { requestAnimationFrame(() => setTimeout(resolve)); });
}

/** The view of sources; returns what shows a line of a file there. */
function sourceView(source, files, state, trees, opened) {
  const view = new SourceView(byId("panel-source"), source, files, state, trees?.panes ?? null,
    opened?.regions ?? []);
  trees?.onSelect(() => view.show());
  return (file, line) => state.set({ view: "source", file, line: line ? String(line) : "" });
}

/** The timeline, and what it and the trees show of each other. */
async function renderTimeline(source, opened, state, keys, moments, { trees, leads, toSource }) {
  const show = leads?.show;
  trees?.leadToTimeline((region) => state.set({ view: "timeline", region, fade: "", sel: null }));
  const showPath = show && ((path) => show("time", [moments.callNamed(path)]));
  const lookAt = (path) => {
    const call = moments.callNamed(path);
    if (call) leads?.look(call);
  };
  const time = await startTimeline(byId("panel-timeline"), source, opened, state, keys, moments,
    { showPath, toSource, lookAt });
  if (time && trees) {
    time.chosen = () => trees.panes.selection();
    trees.onSelect(() => time.recolour());
    time.recolour();
    followWindow(trees, source, opened, state);
  }
}

async function main() {
  const isSelftest = location.hash === "#selftest";
  const start = parsed(PAGE_FIELDS, location.hash);
  showTheme(start);
  const source = openSource(document);
  const overview = overviewLeads();
  // Whoever opens a page reads this first; trees and timeline take longer and are not seen yet.
  const isSeen = start.view === "overview" && !isSelftest;
  const first = await source.first();
  if (first) renderOverview(first, overview);
  if (first && isSeen) await painted();
  const raw = await source.cube();
  if (raw) renderOverview(raw, overview);
  if (raw && !first && isSeen) await painted();
  const opened = await source.open();
  const data = raw && new Data(raw);
  const trees = data && makeTrees(data);
  const files = source.files();
  const views = viewsOf(raw, opened, files);
  const state = stateOf(views, opened, trees);
  const keys = new Keys();
  applyTheme(state);
  const moments = new Moments(await Moments.instances(source, opened), data);
  moments.hasMoment = (instance) => source.hasMoment(instance);
  const leads = trees && followTrees(trees, state);
  const toSource = files.length ? sourceView(source, files, state, trees, opened) : null;
  trees?.leadToSource(toSource);
  const buttons = pageButtons(state, keys);
  if (data) {
    overview.connect(leads.show, moments);
    renderTasks(byId("panel-tasks"), data, overview);
    renderTop(byId("top"), raw, buttons);
  } else {
    byId("top").replaceChildren(el("h1", {}, opened?.title ?? ""), el("span.spring"), ...buttons);
  }
  renderTabs(byId("tabs"), views, state);
  byId("views").removeAttribute("aria-busy");
  if (opened) await renderTimeline(source, opened, state, keys, moments, { trees, leads, toSource });
  if (isSelftest) {
    state.set({ view: "trees" });
    selftest(data, trees);
  }
}

main().catch((error) => {
  byId("top").replaceChildren(el("p.alert", { role: "alert" }, error.message));
  byId("views").removeAttribute("aria-busy");
});
