// The colours of the timeline: by state first (computing green, waiting red, overhead ochre, MPI
// blue, idle as the paper), and by region a shade of its state's colour. The style sheet has the
// colours of states, so themes and colour-blind sets are there.

/** @typedef {import("../source/source.js").Region} Region */

/** States by number, with the name of their colour in the style sheet. */
export const STATES = [
  { name: "idle", title: "idle", variable: "--t-idle" },
  { name: "computing", title: "computing", variable: "--t-computing" },
  { name: "waiting", title: "waiting", variable: "--t-waiting" },
  { name: "overhead", title: "runtime overhead", variable: "--t-overhead" },
  { name: "mpi", title: "in MPI", variable: "--t-mpi" },
];

/** Shades of a state's colour: how much white (above 0) or black is mixed in. */
const SHADES = [0, 0.2, -0.16, 0.36, 0.1, -0.26, 0.28, -0.08];
/** Those of other states than computing: red must stay red. */
const OTHER_SHADES = [0, 0.12, -0.1, 0.22, -0.18];
/** Tasks are lighter than code around them, so that they stand out. */
const TASK_SHADES = [0.34, 0.5, 0.18];
/** How much of a colour is left if something else is highlighted. */
export const FADED = 0.24;
const REGIONS = 0x10000;

/** @typedef {[number, number, number]} Rgb */

/** A colour of the style sheet. @param {Element} element @param {string} variable
 *  @returns {Rgb} */
export function cssColour(element, variable) {
  const probe = document.createElement("i");
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  const [r = 0, g = 0, b = 0] = (found.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
}

/** @param {Rgb} rgb @returns {number} a word of an image */
export const wordOf = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** A word of an image as a colour of the style sheet. @param {number} word */
export const cssOf = (word) =>
  `rgb(${word & 255}, ${(word >>> 8) & 255}, ${(word >>> 16) & 255})`;

/** A shade of a colour. @param {Rgb} rgb @param {number} shade @returns {Rgb} */
export function shaded(rgb, shade) {
  const to = shade > 0 ? 255 : 0;
  const part = (/** @type {number} */ value) =>
    Math.round(value + (to - value) * Math.abs(shade));
  return [part(rgb[0]), part(rgb[1]), part(rgb[2])];
}

/** Which shade each region has: those of a state one after the other, so that neighbours in the
 *  source differ. @param {Region[]} regions @returns {number[]} */
export function shadesOf(regions) {
  const next = new Map();
  return regions.map(({ state, role }) => {
    const isTask = role === "task";
    const shades = isTask ? TASK_SHADES : state === 1 ? SHADES : OTHER_SHADES;
    const key = `${state}${isTask}`;
    const at = next.get(key) ?? 0;
    next.set(key, at + 1);
    return shades[at % shades.length];
  });
}

/** The colours of all regions. `isShown` tells which ones keep theirs; all others fade.
 *  @param {Region[]} regions @param {Rgb[]} states @param {Rgb} paper
 *  @param {((region: number) => boolean) | null} isShown
 *  @returns {import("./raster.js").Palette} */
export function palette(regions, states, paper, isShown) {
  const faded = (/** @type {Rgb} */ rgb) => rgb.map((value, at) =>
    Math.round(paper[at] + (value - paper[at]) * FADED));
  const look = (/** @type {Rgb} */ rgb, /** @type {boolean} */ keeps) =>
    wordOf(/** @type {Rgb} */ (keeps ? rgb : faded(rgb)));
  const region = new Uint32Array(REGIONS).fill(look(states[1], !isShown));
  const stateOf = new Uint8Array(REGIONS).fill(1);
  const shades = shadesOf(regions);
  regions.slice(0, REGIONS - 1).forEach(({ state }, at) => {
    const rgb = state === 0 ? states[0] : shaded(states[state], shades[at]);
    region[at] = look(rgb, !isShown || isShown(at));
    stateOf[at] = state;
  });
  const shared = states.slice(1).map((rgb) => look(rgb, !isShown));
  return { region, states: Uint32Array.from(shared), stateOf, paper: wordOf(paper) };
}

/** Black or white, whichever can be read on a colour. @param {number} word */
export function inkOn(word) {
  const [r, g, b] = [word & 255, (word >>> 8) & 255, (word >>> 16) & 255];
  return r * 0.299 + g * 0.587 + b * 0.114 > 140 ? "#1d1a17" : "#ffffff";
}
