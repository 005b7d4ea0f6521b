// Reads the flows of a file of `pompeii convert --to chrome` with the code that Chrome's developer tools
// have for flows, and writes the events of each flow to FILE.flows: time in nanoseconds, thread, name, and
// whether no other event of the category has this place. The package lies in a folder of packages.
//
//     chrome_flows.mjs FOLDER FILE

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder, file] = process.argv;
const handlers = `${folder}/node_modules/@paulirish/trace_engine/models/trace/handlers`;
const flows = await import(pathToFileURL(`${handlers}/FlowsHandler.js`));

const events = JSON.parse(fs.readFileSync(file)).traceEvents;
// The format has no order, but this code expects that of time, and a flow begins before its steps.
const PHASES = "stf";
const rank = (event) => PHASES.indexOf(event.ph);
events.sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || rank(a) - rank(b));

flows.reset();
events.forEach(flows.handleEvent);
await flows.finalize();
const keyOf = (event) => [event.ts, event.pid, event.tid, event.cat].join(" ");
const places = new Map();
for (const event of events.filter((it) => !PHASES.includes(it.ph))) {
  places.set(keyOf(event), (places.get(keyOf(event)) ?? 0) + 1);
}
const shown = (event) => [
  Math.round(event.ts * 1000), event.tid, event.name, places.get(keyOf(event)) === 1,
];
fs.writeFileSync(`${file}.flows`, JSON.stringify(flows.data().flows.map((flow) => flow.map(shown))));
