// An offline page has pictures of the whole run and of a few moments. A window seldom is one of them: the
// narrowest picture of its middle may show only a part of it, so that wider ones show the rest.

import { PARTS, isExact } from "./decode.js";

/** @typedef {[number, number]} Window in ticks */
/** @typedef {import("./embedded.js").Known} Known */
/** @typedef {import("./embedded.js").Box} Box */
/** @typedef {{of: Known, window: Window}} Piece A part of a window, and the picture that shows it. */

/** The picture of a window's middle: the narrowest one that is not much narrower than the window.
 *  @param {Known[]} known the narrowest first @param {Window} window */
function bestOf(known, [t0, t1]) {
  const middle = (t0 + t1) / 2;
  const has = known.filter(({ window }) => window[0] <= middle && middle < window[1]);
  return has.find(({ window }) => window[1] - window[0] >= (t1 - t0) / 4) ?? has.at(-1);
}

/** The parts of a window in the order of time, without those that no picture shows.
 *  @param {Known[]} known the narrowest first @param {Window} window @returns {Piece[]} */
export function piecesOf(known, window) {
  // The widest picture shows the whole run.
  const [first, last] = known.at(-1)?.window ?? [0, 0];
  const [t0, t1] = [Math.max(window[0], first), Math.min(window[1], last)];
  const of = t0 < t1 ? bestOf(known, [t0, t1]) : undefined;
  if (!of) return [];
  const [begin, end] = [Math.max(t0, of.window[0]), Math.min(t1, of.window[1])];
  return [...piecesOf(known, [t0, begin]), { of, window: [begin, end] },
    ...piecesOf(known, [end, t1])];
}

/** The boxes of a row that overlap a piece. @param {Piece} piece @param {string} key
 *  @returns {Box[]} */
function boxesIn({ of: { picture, rows }, window: [t0, t1] }, key) {
  const row = picture.rows[rows.get(key) ?? 0];
  const at = (/** @type {number} */ x) => picture.begin + (x * picture.binTicks) / PARTS;
  const boxes = [];
  for (let box = row.from; box < row.from + row.count; box++) {
    const [begin, end] = [at(picture.x0[box]), at(picture.x1[box])];
    if (begin < t1 && end > t0) boxes.push({ begin, end, what: picture.what[box] });
  }
  return boxes;
}

/** The boxes of a row in all pieces, cut where two pieces meet, but not where the window begins and
 *  ends. An interval that goes on in the next piece is one box.
 *  @param {Piece[]} pieces @param {string} key @returns {Box[]} */
export function boxesOf(pieces, key) {
  /** @type {Box[]} */
  const boxes = [];
  pieces.forEach((piece, at) => {
    const [begin, end] = piece.window;
    for (const box of boxesIn(piece, key)) {
      if (at < pieces.length - 1) box.end = Math.min(box.end, end);
      if (at > 0) box.begin = Math.max(box.begin, begin);
      const before = at > 0 && box.begin === begin && isExact(box.what)
        ? boxes.find((of) => of.end === begin && of.what === box.what) : undefined;
      if (before) before.end = box.end;
      else boxes.push(box);
    }
  });
  return boxes;
}
