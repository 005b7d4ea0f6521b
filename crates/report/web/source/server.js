// Data from the server that `pompeii view` starts. Each question has the token of the session in a
// header: it came with the address, after `#`, where browsers neither send nor log it.

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
  }

  /** @returns {Promise<any>} */
  async cube() {
    return this.json("cube");
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

/** The sentence of an error. @param {string} text @returns {string | undefined} */
function sentence(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
