// Finding nodes of a tree by a regular expression, or by plain text where it is none.

/** A test for texts; null for an empty pattern. Capitals count only if the pattern has some.
 *  @param {string} pattern @returns {((text: string) => boolean) | null} */
export function matcher(pattern) {
  if (pattern === "") return null;
  const flags = pattern === pattern.toLowerCase() ? "i" : "";
  try {
    const expression = new RegExp(pattern, flags);
    return (text) => expression.test(text);
  } catch {
    // `main(` is a name to look for and no expression.
    const plain = pattern.toLowerCase();
    return (text) => text.toLowerCase().includes(plain);
  }
}

/**
 * Nodes that match, in the order of the tree, and those above them.
 * @param {import("./forms.js").Form} form @param {string} pattern
 * @returns {{matches: number[], above: Set<number>}}
 */
export function findIn(form, pattern) {
  const test = matcher(pattern);
  /** @type {number[]} */
  const matches = [];
  /** @type {Set<number>} */
  const above = new Set();
  if (!test) return { matches, above };
  /** Nodes share few texts. @type {Map<string, boolean>} */
  const known = new Map();
  for (const id of form.all()) {
    const { name, place } = form.words(id);
    const text = place ? `${name} ${place}` : name;
    const is = known.get(text) ?? test(text);
    known.set(text, is);
    if (!is) continue;
    matches.push(id);
    for (let at = form.parent(id); at >= 0 && !above.has(at); at = form.parent(at)) above.add(at);
  }
  return { matches, above };
}

/** The match after (or before) a node, around the end. @param {number[]} matches
 *  @param {number} from a node @param {number} step 1 or -1 */
export function nextMatch(matches, from, step) {
  if (!matches.length) return undefined;
  const at = matches.indexOf(from);
  if (at >= 0) return matches[(at + step + matches.length) % matches.length];
  const after = matches.findIndex((id) => id > from);
  if (step > 0) return matches[Math.max(after, 0)];
  return matches.at(after < 0 ? -1 : after - 1);
}
