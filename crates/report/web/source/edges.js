// The begin and the end of a thread's part in a parallel region, when none of its regions is open:
// startup and shutdown, as the POMP paper's Figure 1 has them.

/** Each kind with its colour in the style sheet. @type {Record<string, string>} */
export const EDGES = { startup: "--l-startup", shutdown: "--l-shutdown" };
