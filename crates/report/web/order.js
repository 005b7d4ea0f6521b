// The order in which people expect threads: thread 2 before thread 10. A trace has them in the order
// in which they came.

/** Positions of names in their order for people: names of one kind (`OMP thread 1`, `OMP thread 3`)
 *  stand together, where the first one of the kind was, by the numbers that they end with.
 *  @param {string[]} names @returns {number[]} */
export function inOrder(names) {
  /** @type {Map<string, number>} */
  const kinds = new Map();
  const keys = names.map((name, at) => {
    const [kind] = /^[^\d]*/.exec(name) ?? [""];
    if (!kinds.has(kind)) kinds.set(kind, at);
    const numbers = (name.match(/\d+/g) ?? []).map(Number);
    return { kind: kinds.get(kind) ?? at, numbers, at };
  });
  keys.sort((a, b) => a.kind - b.kind || compared(a.numbers, b.numbers) || a.at - b.at);
  return keys.map(({ at }) => at);
}

/** @param {number[]} one @param {number[]} other */
function compared(one, other) {
  const differs = one.findIndex((number, at) => number !== other[at]);
  if (differs < 0) return one.length - other.length;
  return one[differs] - (other[differs] ?? -1);
}
