// Puts the page together: its source, its state, and the views that draw from both.

import { el } from "./dom.js";
import { selftest } from "./selftest.js";
import { openSource } from "./source/source.js";
import { State, browserBar, choiceField } from "./state.js";
import { renderTabs } from "./tabs.js";
import { followTrees, treeFields } from "./trees/address.js";
import { Data } from "./trees/data.js";
import { renderTrees } from "./trees/view.js";
import { renderDetails } from "./views/details.js";
import { renderFirst, renderSummary } from "./views/overview.js";
import { renderTasks } from "./views/tasks.js";
import { renderTop } from "./views/top.js";

const VIEWS = [
  { id: "overview", title: "Overview" },
  { id: "trees", title: "Trees" },
  { id: "tasks", title: "Tasks" },
];

const byId = (id) => document.getElementById(id);

/** Shows the theme of the state (without one, that of the system) and its palette. */
function applyTheme({ theme, palette }) {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  dataset.palette = palette;
}

/** The other theme than the one that is seen. */
function nextTheme(state) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const { theme } = state.now;
  const seen = theme === "system" ? (dark ? "dark" : "light") : theme;
  state.set({ theme: seen === "dark" ? "light" : "dark" }, { replace: true });
}

/** @param {State<any>} state */
function colourButtons(state) {
  const distinct = el("button", {
    title: "Colours that can be told apart with any colour vision",
    onclick: () => state.set({
      palette: state.now.palette === "distinct" ? "usual" : "distinct",
    }, { replace: true }),
  }, "Distinct colours");
  const show = () =>
    distinct.setAttribute("aria-pressed", String(state.now.palette === "distinct"));
  state.subscribe(["palette"], show);
  show();
  return [distinct, el("button", { onclick: () => nextTheme(state) }, "Light / dark")];
}

async function main() {
  const isSelftest = location.hash === "#selftest";
  const source = openSource(document);
  const data = new Data(await source.cube());
  const { raw } = data;
  const views = VIEWS.filter(({ id }) => id !== "tasks" || raw.tasks.length);
  const trees = renderTrees(byId("panel-trees"), data);
  const [first] = raw.findings;
  if (first) trees.show(first.metric, first.call_paths);
  const state = new State({
    view: choiceField(views.map(({ id }) => id)),
    theme: choiceField(["system", "light", "dark"]),
    palette: choiceField(["usual", "distinct"]),
    ...treeFields(trees),
  }, browserBar());
  applyTheme(state.now);
  state.subscribe(["theme", "palette"], applyTheme);

  const show = followTrees(trees, state);
  const showCall = (call) => show("time", [call]);
  renderTop(byId("top"), raw, colourButtons(state));
  renderFirst(byId("first"), raw);
  const leads = { show };
  renderSummary(byId("summary"), raw, leads);
  renderDetails(byId("details"), raw, showCall);
  renderTasks(byId("panel-tasks"), data, leads);
  renderTabs(byId("tabs"), views, state);
  if (isSelftest) {
    state.set({ view: "trees" });
    selftest(data, trees);
  }
}

main();
