// Questions of which only the latest matters: while a window moves, older ones are given up.

/**
 * A function that asks after a pause, and passes on what comes if nothing newer was asked. The same
 * question is not asked twice in a row.
 * @template Q, A
 * @param {(question: Q, signal: AbortSignal) => Promise<A>} ask
 * @param {(answer: A | null, error: Error | null, question: Q) => void} onAnswer
 * @param {number} pause in milliseconds
 * @returns {(question: Q) => void}
 */
export function latest(ask, onAnswer, pause) {
  let controller = new AbortController();
  let timer = 0;
  let last = "";
  return (question) => {
    const text = JSON.stringify(question);
    if (text === last) return;
    last = text;
    controller.abort();
    clearTimeout(timer);
    const mine = controller = new AbortController();
    timer = setTimeout(async () => {
      try {
        const answer = await ask(question, mine.signal);
        if (!mine.signal.aborted) onAnswer(answer, null, question);
      } catch (error) {
        if (mine.signal.aborted) return;
        // It may be asked again.
        last = "";
        onAnswer(null, /** @type {Error} */ (error), question);
      }
    }, pause);
  };
}
