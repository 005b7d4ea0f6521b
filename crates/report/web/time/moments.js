// The most severe moments of a run, which the analysis of its trace has found, and the way from
// findings to them and from the timeline to call paths.

/** @typedef {import("../source/source.js").Instance} Instance */

export class Moments {
  /** @param {Instance[]} instances @param {import("../trees/data.js").Data | null} data */
  constructor(instances, data) {
    this.instances = instances;
    this.data = data;
    /** @type {((instance: Instance) => void) | null} set when the timeline is there */
    this.show = null;
  }

  /** @param {import("../source/source.js").Source} source
   *  @param {import("../source/source.js").Opened | null} opened @returns {Promise<Instance[]>} */
  static async instances(source, opened) {
    if (!opened?.has.analysis) return [];
    try {
      return await source.instances();
    } catch {
      // Everything else can be shown without them.
      return [];
    }
  }

  /** What shows the worst moment of a finding; null if none is known. @param {any} finding
   *  @returns {(() => void) | null} */
  of(finding) {
    const same = this.instances.filter(({ property }) => property === finding.metric);
    const calls = new Set(finding.call_paths);
    const worst = same.find(({ path }) => calls.has(this.callNamed(path))) ?? null;
    return worst && (() => this.show?.(worst));
  }

  /** The call path with the longest end in common with the labels in a text; 0 if there is none.
   *  @param {string} path */
  callNamed(path) {
    const { data } = this;
    const wanted = path.split(" > ");
    let best = 0;
    let most = 0;
    for (const { id } of data?.calls ?? []) {
      let common = 0;
      let call = id;
      while (data && call >= 0 && data.region(call).label === wanted.at(-1 - common)) {
        common++;
        call = data.calls[call].parent;
      }
      if (common > most) [best, most] = [id, common];
    }
    return best;
  }
}
