// The data that the page itself contains: it works from a disk, without a network.

export class EmbeddedSource {
  /** @param {string} data The JSON of the trees and the overview. */
  constructor(data) {
    this.data = data;
  }

  /** @returns {Promise<any>} */
  async cube() {
    return JSON.parse(this.data);
  }
}
