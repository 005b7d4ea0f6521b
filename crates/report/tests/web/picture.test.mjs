// Pictures: how they are read, kept and drawn.

import assert from "node:assert/strict";
import test from "node:test";

import { PictureCache, bestFor, rowsText, widened } from "../../web/source/cache.js";
import { coverOf, decodePicture, isExact, regionOf, shareOf } from "../../web/source/decode.js";
import { EmbeddedSource, keysOf } from "../../web/source/embedded.js";
import { boxesOf, piecesOf } from "../../web/source/pieces.js";
import { pictureOf } from "../../web/source/unpack.js";
import { palette, shadesOf, wordOf } from "../../web/time/paint.js";
import { Pixels } from "../../web/time/pixels.js";
import { hatch, raster } from "../../web/time/raster.js";

const EXACT = 2 ** 31;
/** Shares of the four states in sevenths. */
const shares = (region, ...of) =>
  of.reduce((word, share, at) => word + share * 2 ** (16 + 3 * at), region);

/** The bytes of a picture whose rows have boxes [x0, x1, what]. */
function bytes(rows, { flags = 0, binLog2 = 4, begin = 0, band = [] } = {}) {
  const boxes = rows.flatMap((row) => row.boxes);
  const words = [0x43495050, 1, flags, binLog2, begin % 2 ** 32, Math.floor(begin / 2 ** 32),
    rows.length, boxes.length,
    ...rows.flatMap(({ kind, place, level, boxes: of }) => [kind, place, level, of.length]),
    ...[0, 1, 2].flatMap((column) => boxes.map((box) => box[column])), ...band];
  return Uint32Array.from(words).buffer;
}

test("a picture is read as it was written", () => {
  const picture = decodePicture(bytes([
    { kind: 0, place: 3, level: 0, boxes: [[0, 16, shares(5, 3, 2, 1, 1)], [16, 20, EXACT + 7]] },
    { kind: 1, place: 3, level: 2, boxes: [[4, 9, 6 + 63 * 2 ** 16]] },
  ], { flags: 1, begin: 5 * 2 ** 32 + 9 }));
  assert.equal(picture.begin, 5 * 2 ** 32 + 9);
  assert.equal(picture.binTicks, 16);
  assert.ok(picture.isExact);
  assert.deepEqual(picture.rows, [{ kind: 0, place: 3, level: 0, from: 0, count: 2 },
    { kind: 1, place: 3, level: 2, from: 2, count: 1 }]);
  const [filler, exact, stack] = picture.what;
  assert.deepEqual([0, 1, 2, 3].map((state) => shareOf(filler, state)), [3, 2, 1, 1]);
  assert.deepEqual([regionOf(exact), isExact(exact), isExact(filler)], [7, true, false]);
  assert.equal(coverOf(stack), 1);
});

test("damaged pictures are refused", () => {
  const good = bytes([{ kind: 0, place: 0, level: 0, boxes: [[0, 1, 2]] }]);
  assert.throws(() => decodePicture(good.slice(0, -4)), /cut off/);
  assert.throws(() => decodePicture(new ArrayBuffer(64)), /no picture/);
  assert.throws(() => decodePicture(new ArrayBuffer(0)), /no picture/);
});

test("rows of a question", () => {
  const keys = ["f0", "f1", "f2", "s2.0", "s2.1", "f4", "p0"];
  assert.equal(rowsText(keys), "f0-2,s2.0-1,f4,p0");
  assert.deepEqual(keysOf(rowsText(keys)), keys);
});

test("windows near by have the same question", () => {
  const wide = widened([1000, 1900], 1e6);
  assert.deepEqual(widened([1010, 1930], 1e6), wide);
  assert.ok(wide[0] <= 1000 && wide[1] >= 1930 && wide[1] - wide[0] <= 3 * 900);
  assert.deepEqual(widened([0, 5000], 5000), [0, 5000]);
});

/** A source that answers when it is told to. */
function slowSource() {
  const asked = [];
  return {
    asked,
    picture: (question, signal) => new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(new Error("given up")));
      asked.push({ ...question, signal, answer: (binLog2) => resolve(decodePicture(
        bytes([{ kind: 0, place: 0, level: 0, boxes: [] }], { binLog2 }))) });
    }),
  };
}

test("old pictures serve until new ones come, and outdated questions are given up", async () => {
  const source = slowSource();
  let arrivals = 0;
  const cache = new PictureCache(source, 1 << 20, () => { arrivals++; }, () => {});
  cache.want([["f0"]], [0, 1 << 20], 1000);
  source.asked[0].answer(10);
  await new Promise(setImmediate);
  cache.want([["f0"]], [0, 4096], 1000);
  cache.want([["f0"]], [0, 64], 1000);
  assert.ok(source.asked[1].signal.aborted && !source.asked[2].signal.aborted);
  assert.equal(bestFor(cache.ranked([0, 64]), "f0").picture.binTicks, 1024);
  source.asked[2].answer(1);
  await new Promise(setImmediate);
  assert.equal(bestFor(cache.ranked([0, 64]), "f0").picture.binTicks, 2);
  assert.equal(bestFor(cache.ranked([0, 1 << 20]), "f0").picture.binTicks, 1024);
  assert.equal(bestFor(cache.ranked([0, 64]), "f9"), null);
  assert.equal(arrivals, 2);
  cache.want([["f0"]], [0, 64], 1000);
  assert.equal(source.asked.length, 3, "what is here is not asked for again");
});

const REGIONS = [1, 2, 1, 0].map((state) => ({ name: "", label: "", file: "", line: 0, state,
  paradigm: "", role: "" }));
const STATES = [[10, 10, 10], [0, 200, 0], [200, 0, 0], [200, 200, 0], [0, 0, 200]];
const PAPER = wordOf([10, 10, 10]);

/** Columns of an image as letters: computing, waiting, paper, or other. */
function drawn(row, width, height, window) {
  const colours = palette(REGIONS, STATES, [10, 10, 10], null);
  const picture = decodePicture(bytes([row]));
  const image = new Uint32Array(width * height);
  raster(image, width, [{ row: picture.rows[0], picture, y: 0, height }], window, colours);
  const letter = new Map([[colours.region[0], "c"], [colours.region[1], "w"],
    [colours.states[1], "w"], [PAPER, "."]]);
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) =>
    letter.get(image[y * width + x]) ?? "?").join(""));
}

test("shares of states are heights, computing at the bottom", () => {
  // Bins of 16 ticks, columns of one tick: 4 of 7 computing and 2 of 7 waiting in the first bin.
  const row = { kind: 0, place: 0, level: 0,
    boxes: [[0, 16, shares(0, 4, 2, 0, 0)], [16, 20, EXACT + 0]] };
  assert.deepEqual(drawn(row, 8, 7, [0, 32]),
    ["....c...", "wwwwc...", "wwwwc...", "ccccc...", "ccccc...", "ccccc...", "ccccc..."]);
});

test("a narrow box has a pixel, and boxes outside of the window have none", () => {
  const row = { kind: 1, place: 0, level: 0,
    boxes: [[0, 1, EXACT + 0], [64, 65, EXACT + 0], [160, 170, EXACT + 0]] };
  assert.deepEqual(drawn(row, 8, 1, [0, 128]), ["c...c..."]);
  assert.deepEqual(drawn(row, 4, 1, [64, 128]), ["c..."]);
  // What ends before the window has no pixel at its border.
  const before = { ...row, boxes: [[0, 1, EXACT + 0], [2, 64, EXACT + 0]] };
  assert.deepEqual(drawn(before, 4, 1, [64, 128]), ["...."]);
  assert.deepEqual(drawn({ ...before, kind: 0 }, 4, 1, [64, 128]), ["...."]);
  const cut = { ...row, kind: 0, boxes: [[0, 96, EXACT + 0]] };
  assert.deepEqual(drawn(cut, 4, 1, [64, 128]), ["cc.."]);
});

test("a window in a long row shows its boxes, in whatever order they are", () => {
  // 1,000 boxes of one pixel, each third one waiting, and one that is as long as all of them.
  const all = Array.from({ length: 1000 }, (_, at) =>
    [at * 16, at * 16 + 16, EXACT + (at % 3 === 2 ? 1 : 0)]);
  const expected = ["cwccwccwcc"];
  for (const kind of [0, 1]) {
    const of = (boxes) => drawn({ kind, place: 0, level: 0, boxes }, 10, 1, [16 * 499, 16 * 509]);
    assert.deepEqual(of(all), expected);
    assert.deepEqual(of(all.toReversed()), expected);
    assert.deepEqual(of([[0, 16000, EXACT + 3], ...all]), expected);
  }
});

test("an image is made once for its size, and cleared when its rows move", () => {
  let made = 0;
  const context = {
    createImageData(width, height) {
      made++;
      return { width, height, data: { buffer: new ArrayBuffer(width * height * 4) } };
    },
  };
  const pixels = new Pixels();
  const rows = [{ y: 0, height: 1 }, { y: 2, height: 1 }];
  pixels.take(context, 2, 4, rows).fill(7);
  // The rows are drawn anew, and nothing else.
  assert.deepEqual([...pixels.take(context, 2, 4, rows)], Array(8).fill(7));
  assert.equal(made, 1);
  assert.deepEqual([...pixels.take(context, 2, 4, [{ y: 1, height: 1 }])], Array(8).fill(0));
  assert.equal(made, 1);
  assert.equal(pixels.take(context, 2, 3, rows).length, 6);
  assert.equal(made, 2);
});

test("hatching changes only pixels of its colours", () => {
  const image = Uint32Array.of(1, 1, 1, 1, 2, 2, 2, 2);
  hatch(image, 4, new Set([1]), 9, 4);
  assert.deepEqual([...image], [9, 1, 1, 1, 2, 2, 2, 2]);
});

test("regions of a state have different shades, and idle ones look like paper", () => {
  assert.notEqual(shadesOf(REGIONS)[0], shadesOf(REGIONS)[2]);
  assert.equal(palette(REGIONS, STATES, [10, 10, 10], null).region[3], PAPER);
  const { region, states } = palette(REGIONS, STATES, [10, 10, 10], (at) => at === 1);
  assert.equal(region[1], wordOf([200, 0, 0]));
  assert.notEqual(states[1], wordOf([200, 0, 0]), "all others fade");
});

/** Numbers of seven bits in each byte. */
function packed(numbers) {
  return Uint8Array.from(numbers.flatMap((number) => {
    const digits = [];
    for (; number > 127; number = Math.floor(number / 128)) digits.push(128 + (number % 128));
    return [...digits, number];
  }));
}

test("packed pictures are gaps and lengths", () => {
  // The second box begins 2^32 - 5 after the end of the first one: 5 before it.
  const numbers = [1, 4, 7 * 2 ** 33, 1, 2, 0, 3, 0, 2, 8, 2 ** 32 - 5, 4, 10, EXACT + 1, 2];
  const picture = pictureOf(packed(numbers));
  assert.deepEqual([...picture.x0, ...picture.x1], [8, 7, 12, 17]);
  assert.equal(picture.begin, 7 * 2 ** 33);
  assert.equal(picture.what[0], EXACT + 1);
  assert.throws(() => pictureOf(packed(numbers.slice(0, -1))), /cut off/);
});

test("a page without a trace has no timeline", async () => {
  const source = new EmbeddedSource({ text: "{\"metrics\": []}", isPacked: false }, null, null);
  assert.equal(await source.open(), null);
  assert.deepEqual(await source.cube(), { metrics: [] });
});

test("a window that no picture shows whole is made of several", () => {
  const of = (window, binTicks, boxes) => {
    const rows = [{ kind: 0, place: 0, level: 0, boxes }];
    const picture = decodePicture(bytes(rows, { begin: window[0], binLog2: Math.log2(binTicks) }));
    return { picture, rows: new Map([["f0", 0]]), window };
  };
  // The moment from 40 to 60 has all of its intervals; the whole run has bins of 32 ticks, and one
  // interval that goes on in the moment.
  const moment = of([40, 60], 16, [[0, 10, EXACT + 7], [10, 20, EXACT + 8]]);
  const whole = of([0, 128], 16, [[0, 32, shares(5, 7, 0, 0, 0)], [32, 50, EXACT + 7],
    [50, 128, shares(6, 0, 7, 0, 0)]]);
  const boxes = (window) => boxesOf(piecesOf([moment, whole], window), "f0")
    .map(({ begin, end, what }) => [begin, end, regionOf(what)]);

  assert.deepEqual(boxes([45, 55]), [[40, 50, 7], [50, 60, 8]], "a part of the moment");
  assert.deepEqual(boxes([30, 80]), [[0, 32, 5], [32, 50, 7], [50, 60, 8], [60, 128, 6]]);
  assert.deepEqual(boxes([0, 128]), [[0, 32, 5], [32, 50, 7], [50, 128, 6]],
    "the moment is much narrower than the window");
  assert.deepEqual(boxes([120, 200]), [[50, 128, 6]], "nothing after the end");
  assert.deepEqual(boxes([130, 140]), []);
  assert.deepEqual(boxes([5, 5]), []);
});
