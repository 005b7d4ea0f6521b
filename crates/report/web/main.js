// Puts the page together: its source, its state, and the views that draw from both.

import { el } from "./dom.js";
import { selftest } from "./selftest.js";
import { openSource } from "./source/source.js";
import { State, browserBar, choiceField } from "./state.js";
import { renderTabs } from "./tabs.js";
import { Data } from "./trees/data.js";
import { renderTrees } from "./trees/view.js";
import { renderDetails, renderTasks } from "./views/details.js";
import { renderFirst, renderSummary, renderTop } from "./views/overview.js";

const VIEWS = [
  { id: "overview", title: "Overview" },
  { id: "trees", title: "Trees" },
  { id: "tasks", title: "Tasks" },
];

const byId = (id) => document.getElementById(id);

/** Shows the theme of the state; without one, that of the system. */
function applyTheme({ theme }) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The other theme than the one that is seen. */
function nextTheme(state) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const { theme } = state.now;
  const seen = theme === "system" ? (dark ? "dark" : "light") : theme;
  state.set({ theme: seen === "dark" ? "light" : "dark" }, { replace: true });
}

async function main() {
  const isSelftest = location.hash === "#selftest";
  const source = openSource(document);
  const data = new Data(await source.cube());
  const { raw } = data;
  const views = VIEWS.filter(({ id }) => id !== "tasks" || raw.tasks.length);
  const state = new State({
    view: choiceField(views.map(({ id }) => id)),
    theme: choiceField(["system", "light", "dark"]),
  }, browserBar());
  applyTheme(state.now);
  state.subscribe(["theme"], applyTheme);

  const trees = renderTrees(byId("panel-trees"), data);
  const show = (metric, calls) => {
    state.set({ view: "trees" });
    trees.show(metric, calls);
  };
  const showCall = (call) => show("time", [call]);
  renderTop(byId("top"), raw, el("button", { onclick: () => nextTheme(state) }, "Light / dark"));
  renderFirst(byId("first"), raw);
  renderSummary(byId("summary"), raw,
    (finding) => show(finding.metric, finding.call_paths), showCall);
  renderDetails(byId("details"), raw, showCall);
  renderTasks(byId("panel-tasks"), raw);
  renderTabs(byId("tabs"), views, state);
  const [first] = raw.findings;
  if (first) trees.show(first.metric, first.call_paths);
  if (isSelftest) {
    state.set({ view: "trees" });
    selftest(data, trees);
  }
}

main();
