// `#selftest`: the page uses itself and writes what it found below the trees, one line per check. A
// headless browser reads it (`--dump-dom`), so that the display's rules are tested where they run.

import { el } from "./dom.js";

/** Values that are visible in a tree; they must sum to the tree's whole. */
function visibleSum(tree) {
  return tree.outline.rows().reduce((total, id) => total + (tree.describe(id).value ?? 0), 0);
}

/** Whether an element is in view in the one that scrolls it. */
function isInside(inner, outer) {
  const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
  return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
}

export function selftest(data, { panes, choose }) {
  const lines = [];
  const check = (what, found, expected) => {
    const good = Object.is(found, expected);
    lines.push(`${good ? "ok" : "FAIL"} ${what}: ${found}${good ? "" : ` instead of ${expected}`}`);
  };
  const { metrics, calls, system } = panes;
  const press = (tree, key) => {
    tree.host.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  };
  const time = data.metricNamed("time");

  // The paper's rule in each tree, at every stage of opening.
  data.metrics.forEach((metric) => metrics.outline.expanded.add(metric.id));
  metrics.reveal([time]);
  const others = data.metrics.filter((metric) => metric.parent < 0 && metric.id !== time);
  const rest = () => others.reduce((total, metric) => total + data.totals[metric.id], 0);
  check("open properties sum to the whole", visibleSum(metrics) - rest(), data.totals[time]);
  metrics.collapseAll();
  check("closed properties sum to the whole", visibleSum(metrics) - rest(), data.totals[time]);
  check("time is the CPU allocation", data.totals[time], data.raw.wall_ticks * data.width);
  calls.collapseAll();
  check("closed call paths sum to the property", visibleSum(calls), panes.metricSelected);
  data.calls.forEach((call) => calls.outline.expanded.add(call.id));
  panes.update();
  check("open call paths sum to the property", visibleSum(calls), panes.metricSelected);
  check("locations sum to the call path", visibleSum(system), panes.callSelected);
  const processes = data.system.filter((node) => node.kind === "process");
  processes.forEach((node) => system.outline.expanded.delete(node.id));
  system.render();
  check("closed processes sum to the call path", visibleSum(system), panes.callSelected);
  const last = system.rows.get(processes.at(-1).id);
  check("every process has a row", last !== undefined, true);
  lines.push(`ok the last process: ${last?.textContent}`);
  processes.forEach((node) => system.outline.expanded.add(node.id));
  system.render();

  // A selection flows to the right.
  panes.show("omp_idle_threads", []);
  check("a property recolours the call tree", visibleSum(calls),
    data.totals[data.metricNamed("omp_idle_threads")]);
  check("its name stands above the call tree", panes.hosts.calls.of.textContent, "Idle threads");
  const finding = data.raw.findings[0];
  if (finding) {
    calls.host.style.maxHeight = "40px";
    document.querySelector(".finding button")?.click();
    check("a finding selects its metric", data.metrics[metrics.focused].name, finding.metric);
    check("a finding selects its call path", calls.selected.has(finding.call_paths[0]), true);
    const { own } = panes.callValues;
    check("the one that has most of it is explained",
      own[calls.focused], Math.max(...finding.call_paths.map((call) => own[call])));
    check("and in view", isInside(calls.rows.get(calls.focused).firstChild, calls.host), true);
    calls.host.style.maxHeight = "";
  }

  // Keyboard.
  calls.collapseAll();
  const [root] = calls.outline.roots();
  press(calls, "ArrowRight");
  check("right opens", calls.isExpanded(root), true);
  press(calls, "ArrowDown");
  check("down selects the next row", calls.selected.has(calls.outline.children(root)[0]), true);
  press(calls, "ArrowLeft");
  press(calls, "ArrowLeft");
  check("left closes", calls.isExpanded(root), calls.focused === root ? false : "root");
  metrics.collapseAll();
  press(calls, "*");
  check("* opens the largest path", calls.outline.path(calls.focused).length > 1, true);

  // Value modes.
  calls.collapseAll();
  metrics.collapseAll();
  const shown = () => metrics.rows.get(time).querySelector(".number").textContent;
  choose("absolute");
  lines.push(`ok absolute: ${shown()}`);
  choose("root");
  check("percent of root", shown(), "100 %");
  choose("selection");
  check("percent of selection", shown(), "100 %");

  // What is seen.
  const bars = [...system.host.querySelectorAll(".bar:not([hidden])")];
  check("bars are not cut off", bars.length > 0 && bars.every((bar) => isInside(bar, system.host)),
    true);
  const colours = ["light", "dark"].map((theme) => {
    document.documentElement.dataset.theme = theme;
    return getComputedStyle(metrics.rows.get(time).querySelector(".box")).backgroundColor;
  });
  check("a theme changes the colours of values", colours[0] !== colours[1], true);

  check("nothing was loaded", performance.getEntriesByType("resource").length, 0);
  document.body.append(el("pre", { id: "selftest" }, lines.join("\n")));
}
