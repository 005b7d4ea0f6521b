// Puts the page together.

import { Data } from "./data.js";
import { el } from "./dom.js";
import { colourOf } from "./colour.js";
import { MODES, Panes } from "./panes.js";
import { renderHelp } from "./help.js";
import { renderDetails } from "./details.js";
import { renderFirst, renderSummary, renderTop } from "./summary.js";
import { selftest } from "./selftest.js";

const byId = (id) => document.getElementById(id);
const data = new Data(JSON.parse(byId("data").textContent));

const panes = new Panes(data, {
  metrics: byId("pane-metrics"), calls: byId("pane-calls"), system: byId("pane-system"),
}, () => renderHelp(byId("help"), data, panes));

function chooseMode(mode) {
  for (const button of byId("toolbar").querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-checked", button.dataset.mode === mode);
  }
  panes.setMode(mode);
}

function toolbar() {
  const modes = MODES.map(([mode, title]) => el("button", {
    role: "radio", "data-mode": mode, "aria-checked": mode === panes.mode,
    onclick: () => chooseMode(mode),
  }, title));
  const button = (text, title, onclick) => el("button", { title, onclick }, text);
  const legend = el("i");
  const stops = Array.from({ length: 21 }, (_, at) => colourOf(at / 20));
  legend.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  byId("toolbar").replaceChildren(
    el("span.choice", { role: "radiogroup", "aria-label": "Values" }, ...modes),
    button("Largest", "Open the call path with the largest values (key *)",
      () => panes.calls.onLargest(panes.calls.roots[0])),
    button("Close all", "Close all call paths", () => panes.calls.collapseAll()),
    el("span.spring"),
    el("span.legend", {}, "0 %", legend, "100 % of the selection"),
  );
}

/** Follows the system until a theme is chosen. */
function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
}

renderTop(byId("top"), data.raw, el("button", { onclick: nextTheme }, "Light / dark"));
function show(metric, calls) {
  panes.show(metric, calls);
  byId("explorer").scrollIntoView({ behavior: "smooth", block: "start" });
}

renderFirst(byId("first"), data.raw);
const showCall = (call) => show("time", [call]);
renderSummary(byId("summary"), data.raw,
  (finding) => show(finding.metric, finding.call_paths), showCall);
renderDetails(byId("details"), data.raw, showCall);
toolbar();
const [first] = data.raw.findings;
if (first) panes.show(first.metric, first.call_paths);
else panes.update();
if (location.hash === "#selftest") selftest(data, panes, chooseMode);
