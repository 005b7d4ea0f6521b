// Pictures as they come: columns of 32-bit words, little-endian as all machines with browsers are.

/** "PPIC". */
const MAGIC = 0x43495050;
const VERSION = 1;
const HEAD_WORDS = 8;
const ROW_WORDS = 4;
const FLAG_EXACT = 1;
const LOW_WORD = 2 ** 32;

/** Kinds of rows in pictures. */
export const FLAT = 0;
export const STACK = 1;
export const PROCESS = 2;
export const RECORDED = 3;
/** Their letters in questions. */
export const ROW_LETTERS = "fspr";

/** Columns of a picture lie this close, in parts of a bin. */
export const PARTS = 16;

/** The region of a box that stands for several. */
export const OTHER_REGION = 0xffff;

/** The picture in some bytes. @param {ArrayBuffer} bytes
 *  @returns {import("./source.js").Picture} */
export function decodePicture(bytes) {
  const words = new Uint32Array(bytes, 0, Math.floor(bytes.byteLength / 4));
  if (words[0] !== MAGIC || words[1] !== VERSION) {
    throw new Error("the answer is no picture of this version; reload the page");
  }
  const [rowCount, boxes] = [words[6], words[7]];
  const rows = [];
  let from = 0;
  for (let row = 0; row < rowCount; row++) {
    const at = HEAD_WORDS + row * ROW_WORDS;
    const [kind, place, level, count] = words.subarray(at, at + ROW_WORDS);
    rows.push({ kind, place, level, from, count });
    from += count;
  }
  const hasBand = rows.some(({ kind }) => kind === PROCESS);
  const columns = HEAD_WORDS + rowCount * ROW_WORDS;
  if (from !== boxes || columns + boxes * (hasBand ? 4 : 3) > words.length) {
    throw new Error("the picture is cut off; reload the page");
  }
  const column = (/** @type {number} */ index) =>
    words.subarray(columns + index * boxes, columns + (index + 1) * boxes);
  return {
    isExact: (words[2] & FLAG_EXACT) !== 0,
    binTicks: 2 ** words[3],
    begin: words[4] + words[5] * LOW_WORD,
    rows,
    x0: column(0),
    x1: column(1),
    what: column(2),
    band: hasBand ? column(3) : null,
  };
}

/** Number of the region of a box. @param {number} what */
export const regionOf = (what) => what & 0xffff;

/** Whether a box is one interval; else it sums up short ones. @param {number} what */
export const isExact = (what) => (what >>> 31) === 1;

/** Whether an interval goes on after its end: its task is suspended. @param {number} what */
export const isSuspended = (what) => isExact(what) && ((what >>> 30) & 1) === 1;

/** Whether an interval began before: its task was suspended. @param {number} what */
export const isResumed = (what) => isExact(what) && ((what >>> 29) & 1) === 1;

/** Share of a state in a box of innermost regions, in sevenths. @param {number} what
 *  @param {number} state 0 computing, 1 waiting, 2 overhead, 3 MPI */
export const shareOf = (what, state) => (what >>> (16 + 3 * state)) & 7;

/** Share of a box of a stack level that any region covers, between 0 and 1.
 *  @param {number} what */
export const coverOf = (what) => (isExact(what) ? 1 : ((what >>> 16) & 63) / 63);
