// The most severe moments of a run, which the analysis of its trace has found, and the way from
// findings to them and from the timeline to call paths.

/** @typedef {import("../source/source.js").Instance} Instance */

export class Moments {
  /** @param {Instance[]} instances @param {import("../trees/data.js").Data | null} data */
  constructor(instances, data) {
    this.instances = instances;
    this.data = data;
    /** @type {Map<string, number> | null} */
    this.names = null;
    /** @type {((instance: Instance) => void) | null} set when the timeline is there */
    this.show = null;
    /** Whether a moment can be seen exactly. @type {(instance: Instance) => boolean} */
    this.hasMoment = () => true;
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
    const below = this.propertiesBelow(finding.metric);
    const same = this.instances.filter(({ property }) => below.has(property));
    const calls = new Set(finding.call_paths);
    const here = same.filter(({ path }) => calls.has(this.callNamed(path)));
    // A page without a server may have a picture of a later one only.
    const worst = here.find((instance) => this.hasMoment(instance)) ?? here[0] ?? null;
    return worst && (() => this.show?.(worst));
  }

  /** A property and those below it: a finding about barriers of MPI has moments of late processes.
   *  @param {string} name */
  propertiesBelow(name) {
    const below = new Set([name]);
    // Metrics come after their parents.
    for (const metric of this.data?.metrics ?? []) {
      if (below.has(this.data?.metrics[metric.parent]?.name ?? "")) below.add(metric.name);
    }
    return below;
  }

  /** The call path of a text: names of regions with `/` between, as analyses have them, or the
   *  longest end in common with labels that have ` > ` between; 0 if there is none.
   *  @param {string} path */
  callNamed(path) {
    const { data } = this;
    if (!data) return 0;
    const exact = this.byNames().get(path);
    if (exact !== undefined) return exact;
    const wanted = path.split(" > ");
    let best = 0;
    let most = 0;
    for (const { id } of data.calls) {
      let common = 0;
      let call = id;
      while (call >= 0 && data.region(call).label === wanted.at(-1 - common)) {
        common++;
        call = data.calls[call].parent;
      }
      if (common > most) [best, most] = [id, common];
    }
    return best;
  }

  /** All call paths by the names of their regions, if there are instances that have them.
   *  @returns {Map<string, number>} */
  byNames() {
    if (this.names) return this.names;
    /** @type {string[]} */
    const paths = [];
    const { data } = this;
    for (const { id, parent, depth } of this.instances.length && data ? data.calls : []) {
      if (depth > NAMED_LEVELS) continue;
      const name = data?.region(id).name ?? "";
      paths[id] = parent < 0 ? name : `${paths[parent]}/${name}`;
    }
    this.names = new Map(paths.map((path, id) => [path, id]));
    return this.names;
  }
}

/** Deeper call paths have no name here, because all of them would take the square of the depth. */
const NAMED_LEVELS = 100;

/** A sentence in which a call path is only its last region: `!$omp single @a.c:24` of
 *  `a/!$omp parallel @a.c:22/!$omp single @a.c:24`, without the marks of directives.
 *  @param {string} text */
export function withShortPaths(text) {
  return text.replace(/ at (.*)\.$/, (_, path) => {
    const last = path.slice(path.lastIndexOf("/") + 1);
    return ` at ${last.replace("!$omp ", "").replace(" @", " ")}.`;
  });
}
