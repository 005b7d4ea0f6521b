// Names in the picture. To measure a text takes longer than to draw it, and a frame has thousands of
// names, the same ones again and again: their widths are kept.

/** The font of names. */
export const FONT = '11.5px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

/** A name that is cut off has at least this number of letters. */
const LETTERS_MIN = 6;
/** Widths that are kept. Names of tasks are as many as tasks. */
const WIDTHS_MAX = 1 << 15;

/** Widths in this font, in CSS pixels. @type {Map<string, number>} */
const widths = new Map();

/** The width of a text in the font of names, which is set. @param {CanvasRenderingContext2D} context
 *  @param {string} text */
function widthOf(context, text) {
  const known = widths.get(text);
  if (known !== undefined) return known;
  if (widths.size >= WIDTHS_MAX) widths.clear();
  const { width } = context.measureText(text);
  widths.set(text, width);
  return width;
}

/** Writes as much of a text as has room. The font of names is set.
 *  @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y
 *  @param {number} room */
export function write(context, text, x, y, room) {
  if (widthOf(context, text) <= room) {
    context.fillText(text, x, y);
    return;
  }
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(context, `${text.slice(0, middle)}…`) <= room) low = middle;
    else high = middle - 1;
  }
  if (low >= LETTERS_MIN) context.fillText(`${text.slice(0, low)}…`, x, y);
}
