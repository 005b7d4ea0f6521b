// Data from the server that `pompeii view` starts. Each question has the token of the session in a
// header: it came with the address, after `#`, where browsers neither send nor log it.

import { decodePicture } from "./decode.js";

const TOKEN_KEY = "pompeii-token";
const TOKEN_PATTERN = /[#&]token=([0-9a-f]+)/;

/** Takes the token out of the address, so that a copied link does not have it. */
function takeToken() {
  const found = TOKEN_PATTERN.exec(location.hash);
  if (!found) return sessionStorage.getItem(TOKEN_KEY) ?? "";
  sessionStorage.setItem(TOKEN_KEY, found[1]);
  const rest = location.hash.replace(TOKEN_PATTERN, "").replace(/^[#&]*/, "#");
  history.replaceState(null, "", `${location.pathname}${location.search}${rest}`);
  return found[1];
}

/** An answer that is an error, with the sentence of the server. */
export class ServerError extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class ServerSource {
  constructor() {
    this.token = takeToken();
    /** @type {string[]} */
    this.named = [];
    /** @type {Promise<any> | null} */
    this.whole = null;
  }

  get isWhole() {
    return true;
  }

  /** @type {import("./source.js").Source["first"]} */
  first() {
    // The server works on the rest while the page shows this.
    this.whole = this.json("cube");
    this.whole.catch(() => {});
    return this.json("first");
  }

  /** @returns {Promise<any>} */
  async cube() {
    try {
      return await (this.whole ?? this.json("cube"));
    } catch (error) {
      // A trace of another tool has no report.
      if (error instanceof ServerError && error.status === 404) return null;
      throw error;
    }
  }

  /** @returns {Promise<import("./source.js").Opened | null>} */
  async open() {
    const opened = await this.json("open");
    this.named = opened.files;
    return opened.has.trace ? opened : null;
  }

  progress() {
    return this.json("progress");
  }

  /** @type {import("./source.js").Source["picture"]} */
  async picture({ rows, window, px }, signal) {
    const answer = await this.ask(query("picture", { rows, ...times(window), px }), signal);
    return decodePicture(await answer.arrayBuffer());
  }

  /** @type {import("./source.js").Source["sums"]} */
  sums({ locs, window, by }, signal) {
    return this.json(query("sums", { locs, ...times(window), by }), signal);
  }

  /** @type {import("./source.js").Source["at"]} */
  async at({ loc, t }, signal) {
    const { task, ...moment } = await this.json(query("at", { loc, t: Math.floor(t) }), signal);
    // What the server does not know is left out.
    return { waits: [], partners: [], ...moment,
      task: task && { created: null, fragments: [], ...task } };
  }

  /** @type {import("./source.js").Source["tasks"]} */
  tasks({ window, max }, signal) {
    return this.json(query("tasks", { ...times(window), max }), signal);
  }

  /** @type {import("./source.js").Source["gaps"]} */
  gaps({ locs, window, px }, signal) {
    return this.json(query("gaps", { locs, ...times(window), px }), signal);
  }

  /** @type {import("./source.js").Source["links"]} */
  links({ kinds, window, max }, signal) {
    return this.json(query("links", { kinds, ...times(window), max }), signal);
  }

  /** @type {import("./source.js").Source["curve"]} */
  curve({ which, process, window, px }, signal) {
    return this.json(query("curves", { which, process, ...times(window), px }), signal);
  }

  /** @type {import("./source.js").Source["counter"]} */
  counter({ name, loc, window, px }, signal) {
    return this.json(query("counter", { name, loc, ...times(window), px }), signal);
  }

  /** @type {import("./source.js").Source["matrix"]} */
  matrix({ window }, signal) {
    return this.json(query("matrix", times(window)), signal);
  }

  /** @type {import("./source.js").Source["histogram"]} */
  histogram({ region, window, locs }, signal) {
    return this.json(query("histogram", { region, ...times(window), locs }), signal);
  }

  /** @type {import("./source.js").Source["trees"]} */
  trees({ window, waits = true }, signal) {
    return this.json(query("trees", { ...times(window), ...(waits ? {} : { waits: 0 }) }), signal);
  }

  /** @type {import("./source.js").Source["find"]} */
  find(words, signal) {
    return this.json(query("find", words), signal);
  }

  hasMoment() {
    return true;
  }

  files() {
    return this.named;
  }

  /** @type {import("./source.js").Source["source"]} */
  source({ file }, signal) {
    return this.json(query("source", { file }), signal);
  }

  /** @returns {Promise<import("./source.js").Instance[]>} */
  async instances() {
    return this.json("instances");
  }

  /** @param {string} query @param {AbortSignal} [signal] @returns {Promise<any>} */
  async json(query, signal) {
    return (await this.ask(query, signal)).json();
  }

  /** @param {string} query @param {AbortSignal} [signal] @returns {Promise<Response>} */
  async ask(query, signal) {
    const headers = { "X-Pompeii-Token": this.token };
    const answer = await fetch(`/api/${query}`, { headers, signal });
    if (answer.ok) return answer;
    const text = await answer.text();
    throw new ServerError(answer.status, sentence(text) ?? `${answer.status} for ${query}`);
  }
}

/** @param {[number, number]} window */
const times = ([t0, t1]) => ({ t0: Math.floor(t0), t1: Math.ceil(t1) });

/** @param {string} name @param {Record<string, string | number>} words */
function query(name, words) {
  const parts = Object.entries(words).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return `${name}?${parts.join("&")}`;
}

/** The sentence of an error. @param {string} text @returns {string | undefined} */
function sentence(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
