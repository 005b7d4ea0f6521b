// What the panes show at the moment, computed from the selections: sums that percentages refer to,
// and values by call path and location.

export class Values {
  /** @param {import("./data.js").Data} data */
  constructor(data) {
    this.data = data;
    this.metricSelected = 0;
    this.rootTotal = 0;
    this.callWhole = 0;
    this.callSelected = 0;
    this.colourWhole = 0;
    this.largestRoot = 0;
    this.largestLocation = 0;
    /** @type {import("./severity.js").CallValues} */
    this.callValues = { own: new Float64Array(0), inclusive: new Float64Array(0) };
    this.callMask = new Uint8Array(data.calls.length);
    this.locationMask = new Uint8Array(data.width);
    /** By location. @type {Float64Array} */
    this.locationValues = new Float64Array(data.width);
    /** By node of the system tree. @type {Float64Array} */
    this.systemAll = new Float64Array(data.system.length);
    /** @type {{least: number, most: number}[]} */
    this.peers = [];
    /** @type {Partial<Record<import("./modes.js").Mode, number>>} */
    this.bases = {};
    /** How the selected property is displayed, if it is no sum.
     *  @type {import("./combine.js").Display | undefined} */
    this.display = undefined;
  }
}
