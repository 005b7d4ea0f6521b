// The trees of a window in two steps. Time and visits are there at once, because they come from the
// index; waiting takes as long as all events of the trace. So the page draws the first answer, and
// replaces it by the second one.

/** @typedef {import("../source/source.js").Window} Window */

/**
 * The complete answer for a window. What is there before it is passed to `draw`.
 * @param {import("../source/source.js").Source} source @param {Window} window
 * @param {AbortSignal} signal the question is given up
 * @param {(times: any) => void} draw
 */
export async function treesInSteps(source, window, signal, draw) {
  // An offline page has one answer, and the index of a server may still be built.
  const times = source.isWhole
    ? await source.trees({ window, waits: false }, signal).catch(() => null) : null;
  if (times && !signal.aborted) draw(times);
  return source.trees({ window }, signal);
}
