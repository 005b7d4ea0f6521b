// Light and dark colours, and those for people who do not tell all colours apart.

import { el } from "./dom.js";

/** How long a button says that it has copied. */
const COPIED_MS = 1500;

/** Shows some colours; without a choice, those of the system.
 *  @param {{theme: string, palette: string}} chosen */
export function showTheme({ theme, palette }) {
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  dataset.palette = palette;
}

/** Shows the colours of the state. @param {import("./state.js").State<any>} state */
export function applyTheme(state) {
  const show = () => showTheme(state.now);
  state.subscribe(["theme", "palette"], show);
  show();
}

/** The other theme than the one that is seen. @param {import("./state.js").State<any>} state */
function nextTheme(state) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const { theme } = state.now;
  const seen = theme === "system" ? (dark ? "dark" : "light") : theme;
  state.set({ theme: seen === "dark" ? "light" : "dark" }, { replace: true });
}

/** The buttons at the top of the page. @param {import("./state.js").State<any>} state
 *  @param {import("./keys.js").Keys} keys */
export function pageButtons(state, keys) {
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
  const copy = el("button", { title: "Copy the address of what is shown",
    onclick: async () => {
      await navigator.clipboard.writeText(location.href);
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy link"; }, COPIED_MS);
    } }, "Copy link");
  return [copy, distinct, el("button", { onclick: () => nextTheme(state) }, "Light / dark"),
    el("button", { "aria-label": "Keys", title: "Keys (?)", onclick: () => keys.showHelp() }, "?")];
}
