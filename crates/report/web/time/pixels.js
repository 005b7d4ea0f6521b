// The image of the rows, kept from frame to frame: a new one has ten megabytes on a large screen, which
// the browser fills with zeros and gives back for each frame.

export class Pixels {
  constructor() {
    /** @type {ImageData | null} */
    this.image = null;
    this.words = new Uint32Array(0);
    /** What the last frame has covered. */
    this.places = "";
  }

  /** The words of an image in which some rows will be drawn. What none of them covers is transparent.
   *  @param {CanvasRenderingContext2D} context @param {number} width @param {number} height
   *  @param {{y: number, height: number}[]} rows */
  take(context, width, height, rows) {
    const places = rows.map((row) => `${row.y}+${row.height}`).join();
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.words = new Uint32Array(this.image.data.buffer);
    } else if (places !== this.places) {
      this.words.fill(0);
    }
    this.places = places;
    return this.words;
  }

  /** Shows it. @param {CanvasRenderingContext2D} context */
  put(context) {
    if (this.image) context.putImageData(this.image, 0, 0);
  }
}
