// The state of the page: one plain object. Every part draws from it and changes it by `set` only.
// The address holds it, so a link shows the same, and the browser's Back undoes a step.

/**
 * How a part of the state stands in the address. `parse` returns undefined for a text that means
 * nothing; then the fallback holds.
 * @template T
 * @typedef {{fallback: T, parse: (text: string) => T | undefined, write: (value: T) => string}} Field
 */
/**
 * What the state needs of the browser, so that tests can do without one.
 * @typedef {{hash: () => string, push: (hash: string) => void, replace: (hash: string) => void,
 *   onBack: (act: () => void) => void, clock: () => number}} AddressBar
 */

/** A text. @param {string} fallback @returns {Field<string>} */
export const textField = (fallback = "") =>
  ({ fallback, parse: (text) => text, write: (value) => value });

/** One of some words, the first of which is the fallback.
 * @param {string[]} words @returns {Field<string>} */
export const choiceField = (words) => ({
  fallback: words[0],
  parse: (text) => (words.includes(text) ? text : undefined),
  write: (value) => value,
});

/** Texts without commas. @returns {Field<readonly string[]>} */
export const listField = () => ({
  fallback: [],
  parse: (text) => (text === "" ? [] : text.split(",").map(decodeURIComponent)),
  write: (value) => value.map(encodeURIComponent).join(","),
});

/** Yes or no. @returns {Field<boolean>} */
export const flagField = (fallback = false) => ({
  fallback,
  parse: (text) => text === "1",
  write: (value) => (value ? "1" : "0"),
});

/** Steps of one kind that follow within this time are one step for Back, for example turns of the
 *  wheel. In milliseconds. */
const SAME_STEP_MS = 800;

/** @template {Record<string, any>} T */
export class State {
  /** @param {{[K in keyof T]: Field<T[K]>}} fields @param {AddressBar} bar */
  constructor(fields, bar) {
    this.fields = fields;
    this.bar = bar;
    /** @type {{keys: (keyof T)[], act: (now: T, before: T) => void}[]} */
    this.subscribers = [];
    this.lastStep = { kind: "", time: -Infinity };
    /** What the address was when the state was last the same. */
    this.shown = bar.hash();
    /** @type {T} */
    this.now = this.parse(this.shown);
    bar.onBack(() => this.follow());
  }

  /** Calls `act` after each change of one of these parts. @param {(keyof T)[]} keys
   *  @param {(now: T, before: T) => void} act */
  subscribe(keys, act) {
    this.subscribers.push({ keys, act });
  }

  /** Becomes what the address says. */
  follow() {
    this.become(this.parse(this.bar.hash()));
  }

  /** Changes parts of the state. Steps of the same `kind` that follow quickly are one for Back; with
   *  `replace` there is no step at all.
   *  @param {Partial<T>} patch @param {{kind?: string, replace?: boolean}} how */
  set(patch, how = {}) {
    // The address may be another one since a moment ago; the browser tells of it later.
    if (this.bar.hash() !== this.shown) this.follow();
    const next = { ...this.now, ...patch };
    const hash = this.write(next);
    if (hash === this.write(this.now)) return;
    const time = this.bar.clock();
    const { kind = "" } = how;
    const goesOn = kind !== "" && kind === this.lastStep.kind
      && time - this.lastStep.time < SAME_STEP_MS;
    this.lastStep = { kind, time };
    if (how.replace || goesOn) this.bar.replace(hash);
    else this.bar.push(hash);
    this.become(next);
  }

  /** @param {T} next */
  become(next) {
    const before = this.now;
    this.now = next;
    this.shown = this.bar.hash();
    const isChanged = (/** @type {keyof T} */ key) =>
      this.fields[key].write(next[key]) !== this.fields[key].write(before[key]);
    for (const { keys, act } of this.subscribers) if (keys.some(isChanged)) act(next, before);
  }

  /** The address of a state, with what is not as usual. @param {T} state @returns {string} */
  write(state) {
    const words = Object.entries(this.fields).map(([key, { write, fallback }]) => {
      const text = write(state[key]);
      return text === write(fallback) ? "" : `${key}=${readable(text)}`;
    });
    return `#${words.filter(Boolean).join("&")}`;
  }

  /** @param {string} hash @returns {T} */
  parse(hash) {
    return parsed(this.fields, hash);
  }
}

/** What an address says. @template {Record<string, any>} T @param {{[K in keyof T]: Field<T[K]>}} fields
 *  @param {string} hash @returns {T} */
export function parsed(fields, hash) {
  const words = new Map(hash.replace(/^#/, "").split("&").map((word) => {
    const at = word.indexOf("=");
    return at < 0 ? [word, ""] : [word.slice(0, at), decoded(word.slice(at + 1))];
  }));
  const parts = Object.entries(fields).map(([key, { parse, fallback }]) => {
    const text = words.get(key);
    return [key, (text === undefined ? undefined : parse(text)) ?? fallback];
  });
  return Object.fromEntries(parts);
}

/** Encoded for an address, but for characters that are harmless there. @param {string} text */
function readable(text) {
  return encodeURIComponent(text).replace(/%(2C|3A|2F|3D|40|20)/g,
    (code) => (code === "%20" ? "+" : decodeURIComponent(code)));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // A damaged link is no reason to show nothing.
    return text;
  }
}

/** The address bar of the browser. @returns {AddressBar} */
export function browserBar() {
  const at = (/** @type {string} */ hash) => `${location.pathname}${location.search}${hash}`;
  return {
    hash: () => location.hash,
    push: (hash) => history.pushState(null, "", at(hash)),
    replace: (hash) => history.replaceState(null, "", at(hash)),
    onBack: (act) => {
      // A link that is typed into the bar changes the hash without `popstate` in some browsers.
      addEventListener("popstate", act);
      addEventListener("hashchange", act);
    },
    clock: () => performance.now(),
  };
}
