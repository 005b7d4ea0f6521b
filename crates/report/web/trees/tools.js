// Around the trees: the toolbar, and for each pane its head (what it is about, value mode, order,
// search, menu) and its foot.

import { colourOf } from "../colour.js";
import { el } from "../dom.js";
import { readExternal } from "./external.js";
import { findIn, nextMatch } from "./find.js";
import { openMenu } from "./menu.js";
import { QUICK, modesOf } from "./modes.js";
import { FORMS } from "./panes.js";

/**
 * @typedef {import("./modes.js").Pane} Pane
 * @typedef {import("./panes.js").Panes} Panes
 * @typedef {{host: HTMLElement, body: HTMLElement, of: HTMLElement, base: HTMLElement,
 *   foot: HTMLElement, controls: HTMLElement}} PaneHost
 */

/** @type {Record<Pane, {title: string, thing: string}>} */
const NAMES = {
  metrics: { title: "Property", thing: "property" },
  calls: { title: "Call path", thing: "call path" },
  system: { title: "Location", thing: "location" },
};

/** Elements of a pane, empty. @param {HTMLElement} host @param {Pane} pane @returns {PaneHost} */
export function paneHost(host, pane) {
  const of = el("span.of");
  const base = el("span.base");
  const body = el("div.tree");
  const foot = el("div.foot");
  const controls = el("div.controls");
  host.replaceChildren(
    el("div.head", {}, el("h2", {}, NAMES[pane].title), of, base), controls, body, foot);
  return { host, body, of, base, foot, controls };
}

/** Controls of all panes, once the panes exist. @param {Panes} panes
 *  @param {Record<Pane, PaneHost>} hosts */
export function renderControls(panes, hosts) {
  for (const pane of panes.order) {
    const tree = panes[pane];
    hosts[pane].controls.replaceChildren(
      modeChoice(panes, pane), orderChoice(panes, pane), search(panes, pane), menuButton(panes, pane));
    tree.host.oncontextmenu = (event) => {
      const id = tree.idAt(event);
      if (id === undefined) return;
      event.preventDefault();
      tree.select(id, tree.selected.has(id));
      openMenu(`Actions for a ${NAMES[pane].thing}`, actions(panes, pane),
        { x: event.clientX, y: event.clientY }, tree.host);
    };
  }
}

/** @param {string} label @param {[string, string][]} options @param {string} value
 *  @param {(value: string) => void} choose */
function choice(label, options, value, choose) {
  const select = /** @type {HTMLSelectElement} */ (el("select", {
    "aria-label": label, onchange: () => choose(select.value),
  }, ...options.map(([key, title]) => el("option", { value: key }, title))));
  select.value = value;
  return select;
}

/** @param {Panes} panes @param {Pane} pane */
function modeChoice(panes, pane) {
  /** @type {[string, string][]} */
  const options = modesOf(pane, panes.order, panes.external !== null).map(({ mode, title }) => [mode, title]);
  const select = choice(`Values of ${NAMES[pane].thing} rows`, options, panes.modes[pane],
    (mode) => panes.setMode(pane, /** @type {any} */ (mode)));
  select.dataset.modeOf = pane;
  return select;
}

/** @param {Panes} panes @param {Pane} pane */
function orderChoice(panes, pane) {
  const { outline } = panes[pane];
  /** @type {[string, string][]} */
  const options = [["given", pane === "calls" ? "As called" : "As given"], ["value", "Largest first"],
    ["name", "By name"]];
  if (pane === "calls" && panes.form.extra) options.push(["0", "By callees"], ["1", "By visits"]);
  return choice(`Order of ${NAMES[pane].thing} rows`, options, String(outline.order), (order) => {
    outline.order = /** @type {any} */ (/^\d$/.test(order) ? Number(order) : order);
    panes[pane].render();
  });
}

/** @param {Panes} panes @param {Pane} pane */
function search(panes, pane) {
  const count = el("span.count", { role: "status" });
  const input = /** @type {HTMLInputElement} */ (el("input", {
    type: "search", placeholder: "find", "data-find": pane,
    "aria-label": `Find a ${NAMES[pane].thing} (regular expression)`,
  }));
  /** @type {number[]} */
  let matches = [];
  const tree = panes[pane];
  const look = () => {
    const found = findIn(searchable(panes, pane), input.value);
    ({ matches } = found);
    tree.found = { matches: new Set(matches), above: found.above };
    count.textContent = input.value ? `${matches.length} found` : "";
    tree.paint();
  };
  const go = (/** @type {number} */ step) => {
    const id = nextMatch(matches, tree.focused, step);
    if (id === undefined) return;
    tree.reveal([id]);
    count.textContent = `${matches.indexOf(id) + 1} of ${matches.length}`;
  };
  input.addEventListener("input", look);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      input.value = "";
      look();
      tree.host.focus();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      // All of them at once, so that the panes to the right show their sum.
      if (matches.length) tree.reveal(matches.slice(0, MOST_SELECTED));
    } else if (event.key === "Enter") {
      go(event.shiftKey ? -1 : 1);
    }
  });
  tree.host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !"/nN".includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "/") input.select();
    else go(event.key === "n" ? 1 : -1);
  });
  return el("span.find", {}, input, count);
}

/** Nodes that are selected together at most. */
const MOST_SELECTED = 1000;

/** A pane as something that can be searched. @param {Panes} panes @param {Pane} pane
 *  @returns {import("./forms.js").Form} */
function searchable(panes, pane) {
  if (pane === "calls") return panes.form;
  const nodes = pane === "metrics" ? panes.data.metrics : panes.data.system;
  const { outline } = panes[pane];
  return /** @type {any} */ ({
    all: () => nodes.map((node) => node.id).filter((id) => outline.isShown(id)),
    parent: (/** @type {number} */ id) => nodes[id].parent,
    words: (/** @type {number} */ id) => (pane === "metrics"
      ? { name: panes.data.metrics[id].title, place: panes.data.metrics[id].name }
      : { name: panes.data.system[id].name, place: "" }),
  });
}

/** @param {Panes} panes @param {Pane} pane */
function menuButton(panes, pane) {
  const button = el("button.dots", {
    "aria-label": `Actions for a ${NAMES[pane].thing}`, "aria-haspopup": "menu", title: "Actions",
    onclick: () => {
      const { left, bottom } = button.getBoundingClientRect();
      openMenu(`Actions for a ${NAMES[pane].thing}`, actions(panes, pane),
        { x: left, y: bottom + 2 }, panes[pane].host);
    },
  }, "⋯");
  return button;
}

/** @param {Panes} panes @param {Pane} pane @returns {import("./menu.js").Action[]} */
function actions(panes, pane) {
  const tree = panes[pane];
  const { focused, outline } = tree;
  const hidden = outline.hidden.size;
  return [
    { title: "Open all below", key: "E", act: () => tree.openAll([focused], true) },
    { title: "Close all below", key: "C", act: () => tree.openAll([focused], false) },
    { title: "Open or close siblings", key: "P",
      act: () => tree.openAll(outline.peers(focused), !outline.isExpanded(focused)) },
    { title: "Path of the largest values", key: "*", act: () => tree.expandLargest(focused) },
    { title: "Close everything", act: () => tree.collapseAll() },
    { title: "Hide this row", key: "H", act: () => tree.hide(focused) },
    ...(hidden ? [{ title: `Show ${hidden} hidden`, act: () => tree.showHidden() }] : []),
  ];
}

/** Shares below which rows can be hidden. @type {[string, string][]} */
const THRESHOLDS = [["0", "nothing"], ["0.001", "< 0.1 %"], ["0.005", "< 0.5 %"],
  ["0.01", "< 1 %"], ["0.05", "< 5 %"]];

/** The toolbar above the trees. @param {HTMLElement} host @param {Panes} panes
 *  @param {() => void} redraw after a change of the form or of the order of panes */
export function renderToolbar(host, panes, redraw) {
  const forms = FORMS.filter(([key]) => key !== "flame" || !panes.data.raw.difference)
    .map(([key, title]) => radio(title, key === panes.shown, { "data-form": key }, () => {
      panes.setForm(key);
      redraw();
    }));
  const modes = QUICK.map(([mode, title]) => radio(title, mode === panes.quick,
    { "data-mode": mode }, () => {
      panes.setQuick(mode);
      redraw();
    }));
  const order = el("button.toggle", {
    "aria-pressed": String(panes.locationsFirst),
    title: "Select locations first: the call tree shows only what they did",
    onclick: () => {
      panes.setLocationsFirst(!panes.locationsFirst);
      redraw();
    },
  }, "Locations first");
  const hide = el("label.choice-label", {}, "Hide ", choice("Hide rows", THRESHOLDS,
    String(panes.hideBelow), (value) => panes.setHideBelow(Number(value))));
  host.replaceChildren(
    group("Form of the call paths", forms), group("Values", modes),
    el("button", {
      title: "Open the call path with the largest values (key *)",
      onclick: () => panes.calls.expandLargest(panes.form.roots[0]),
    }, "Largest"),
    el("button", { title: "Close all rows", onclick: () => panes.calls.collapseAll() }, "Close all"),
    order, hide, external(panes, redraw), el("span.spring"), legend());
}

/** A report whose totals are 100 %. @param {Panes} panes @param {() => void} redraw */
function external(panes, redraw) {
  const choose = (/** @type {import("./external.js").External | null} */ report) => {
    panes.setExternal(report);
    redraw();
  };
  if (panes.external) {
    return el("button.toggle", { "aria-pressed": "true", title: "Show percentages of this run again",
      onclick: () => choose(null) }, `% of ${panes.external.name} ✕`);
  }
  const input = /** @type {HTMLInputElement} */ (el("input.unseen", {
    type: "file", accept: ".json,.html", "aria-label": "A report whose totals are 100 %",
    onchange: async () => {
      const [file] = input.files ?? [];
      if (!file) return;
      try {
        choose(await readExternal(file));
      } catch (error) {
        alert(/** @type {Error} */ (error).message);
      }
    },
  }));
  return el("label.button", { title: "A file of `pompeii report --json` or `pompeii html`: "
    + "its totals are 100 %" }, input, "% of another report …");
}

/** @param {string} label @param {HTMLElement[]} buttons */
function group(label, buttons) {
  const host = el("span.choice", { role: "radiogroup", "aria-label": label }, ...buttons);
  host.addEventListener("keydown", (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const step = steps[event.key];
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (step === undefined || at < 0) return;
    event.preventDefault();
    const key = (at + step + buttons.length) % buttons.length;
    const { form, mode } = buttons[key].dataset;
    buttons[key].click();
    // The toolbar was drawn anew.
    const again = form ? `[data-form="${form}"]` : `[data-mode="${mode}"]`;
    /** @type {HTMLElement | null} */ (document.querySelector(again))?.focus();
  });
  return host;
}

/** @param {string} title @param {boolean} is @param {Record<string, string>} attributes
 *  @param {() => void} choose */
function radio(title, is, attributes, choose) {
  return el("button", {
    role: "radio", "aria-checked": String(is), tabindex: is ? "0" : "-1", onclick: choose,
    ...attributes,
  }, title);
}

function legend() {
  const scale = el("i");
  const stops = Array.from({ length: 21 }, (_, at) => colourOf(at / 20));
  scale.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  return el("span.legend", { title: "Colour of a value: its share of the selection" },
    "0 %", scale, "100 %");
}
