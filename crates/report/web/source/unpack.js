// Pictures and long texts as the offline page has them: deflated, in base64. In a row of a picture
// most boxes begin where the one before has ended, so before that gaps and lengths are made of them:
// small numbers, of one or two bytes each.

import { PROCESS } from "./decode.js";

/** The bytes of base64. @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function inflated(bytes) {
  const { writable, readable } = new DecompressionStream("deflate");
  const writer = writable.getWriter();
  // What is wrong with the bytes, the reader says.
  writer.write(bytes).then(() => writer.close()).catch(() => {});
  return new Uint8Array(await new Response(readable).arrayBuffer());
}

/** Reads numbers of seven bits in each byte, the lowest first. */
class Numbers {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  next() {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("a picture of this page is cut off");
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
}

/** A long text that the page has packed. @param {string} packed @returns {Promise<string>} */
export async function unpackText(packed) {
  return new TextDecoder().decode(await inflated(bytesOf(packed)));
}

/** @param {string} text @returns {Promise<import("./source.js").Picture>} */
export async function unpackPicture(text) {
  return pictureOf(await inflated(bytesOf(text)));
}

/** The picture in numbers: whether it is exact, log2 of a bin, begin, rows and boxes; for each row
 *  kind, place, level and boxes; then the columns gap, length and what, and band if there are rows of
 *  processes. @param {Uint8Array} bytes @returns {import("./source.js").Picture} */
export function pictureOf(bytes) {
  const numbers = new Numbers(bytes);
  const next = () => numbers.next();
  const [exact, binLog2, begin, rowCount, boxes] = [next(), next(), next(), next(), next()];
  const rows = [];
  let from = 0;
  for (let row = 0; row < rowCount; row++) {
    const [kind, place, level, count] = [next(), next(), next(), next()];
    rows.push({ kind, place, level, from, count });
    from += count;
  }
  if (from !== boxes || boxes > bytes.length) throw new Error("a picture of this page is damaged");
  const column = () => Uint32Array.from({ length: boxes }, next);
  const [x0, x1, what] = [column(), column(), column()];
  const band = rows.some(({ kind }) => kind === PROCESS) ? column() : null;
  for (const { from: first, count } of rows) {
    let end = 0;
    for (let box = first; box < first + count; box++) {
      // Runs of bins come first, so the first interval may begin before the last run: modulo 2^32.
      x0[box] = x0[box] + end;
      x1[box] = x0[box] + x1[box];
      end = x1[box];
    }
  }
  return { isExact: exact === 1, binTicks: 2 ** binLog2, begin, rows, x0, x1, what, band };
}
