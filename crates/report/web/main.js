// Puts the page together: its source, its state, and the views that draw from both.

import { colourOf } from "./colour.js";
import { el } from "./dom.js";
import { selftest } from "./selftest.js";
import { openSource } from "./source/source.js";
import { State, browserBar, choiceField } from "./state.js";
import { renderTabs } from "./tabs.js";
import { Data } from "./trees/data.js";
import { MODES, Panes } from "./trees/panes.js";
import { renderDetails, renderTasks } from "./views/details.js";
import { renderHelp } from "./views/help.js";
import { renderFirst, renderSummary, renderTop } from "./views/overview.js";

const VIEWS = [
  { id: "overview", title: "Overview" },
  { id: "trees", title: "Trees" },
  { id: "tasks", title: "Tasks" },
];

const byId = (id) => document.getElementById(id);

/** The toolbar of the trees; returns what chooses a mode. */
function toolbar(panes) {
  const host = byId("toolbar");
  const choose = (mode) => {
    for (const button of host.querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-checked", button.dataset.mode === mode);
    }
    panes.setMode(mode);
  };
  const modes = MODES.map(([mode, title]) => el("button", {
    role: "radio", "data-mode": mode, "aria-checked": mode === panes.mode,
    onclick: () => choose(mode),
  }, title));
  const button = (text, title, onclick) => el("button", { title, onclick }, text);
  const legend = el("i");
  const stops = Array.from({ length: 21 }, (_, at) => colourOf(at / 20));
  legend.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  host.replaceChildren(
    el("span.choice", { role: "radiogroup", "aria-label": "Values" }, ...modes),
    button("Largest", "Open the call path with the largest values (key *)",
      () => panes.calls.onLargest(panes.calls.roots[0])),
    button("Close all", "Close all call paths", () => panes.calls.collapseAll()),
    el("span.spring"),
    el("span.legend", {}, "0 %", legend, "100 % of the selection"),
  );
  return choose;
}

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

  const panes = new Panes(data, {
    metrics: byId("pane-metrics"), calls: byId("pane-calls"), system: byId("pane-system"),
  }, () => renderHelp(byId("help"), data, panes));
  const show = (metric, calls) => {
    state.set({ view: "trees" });
    panes.show(metric, calls);
  };
  const showCall = (call) => show("time", [call]);
  renderTop(byId("top"), raw, el("button", { onclick: () => nextTheme(state) }, "Light / dark"));
  renderFirst(byId("first"), raw);
  renderSummary(byId("summary"), raw,
    (finding) => show(finding.metric, finding.call_paths), showCall);
  renderDetails(byId("details"), raw, showCall);
  renderTasks(byId("panel-tasks"), raw);
  const choose = toolbar(panes);
  renderTabs(byId("tabs"), views, state);
  const [first] = raw.findings;
  if (first) panes.show(first.metric, first.call_paths);
  else panes.update();
  if (isSelftest) {
    state.set({ view: "trees" });
    selftest(data, panes, choose);
  }
}

main();
