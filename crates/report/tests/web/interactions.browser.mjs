// Everything that a reader can do with the timeline, on the server and on the offline page of the same
// run: two processes of two threads, with tasks, messages, locks and late threads. Values are those of
// `pompeii report --json`.

import assert from "node:assert/strict";
import fs from "node:fs";
import test, { after } from "node:test";
import { fileURLToPath } from "node:url";

import { lengthText } from "../../web/time/axis.js";
import { address, checkAxe, close, end, open, shot } from "./browser.mjs";

const { PAGE_SERVED, PAGE_STATIC, PAGE_REPORT } = process.env;
const report = JSON.parse(fs.readFileSync(fileURLToPath(PAGE_REPORT), "utf8"));
after(end);

/** Pages by what they are. */
const SOURCES = { served: `${PAGE_SERVED}&`, static: `${PAGE_STATIC}#` };

/** The length of a text such as `40.0 ms`, in seconds. */
const secondsOf = (text) => {
  const [, number, unit] = /(-?[\d.]+) (s|ms|µs|ns)\b/.exec(text);
  return Number(number) * { s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9 }[unit];
};

const isNear = (one, other, share = 0.02) => Math.abs(one - other) <= share * Math.abs(other) + 2e-6;

async function page(kind, words = "view=timeline") {
  const found = await open(`${SOURCES[kind]}${words}`);
  if (words.includes("view=timeline")) await found.locator(".sums tbody tr").first().waitFor();
  return found;
}

/** What the page knows of the trace: asked of the server, or from inside the page. */
const opened = (of) => of.evaluate(async () => {
  const inside = document.getElementById("timeline");
  if (inside) return JSON.parse(inside.textContent).open;
  const token = sessionStorage.getItem("pompeii-token");
  return (await fetch("/api/open", { headers: { "X-Pompeii-Token": token } })).json();
});

/** Tasks of some window, by location, begin, end: the first ones that the page knows. */
const fragments = (of) => of.evaluate(async () => {
  const inside = document.getElementById("timeline");
  if (inside) {
    const { moments } = JSON.parse(inside.textContent);
    // Some moments begin after the creation of the tasks that are executed in them.
    const created = new Set(moments.flatMap(({ tasks }) => tasks?.creations ?? [])
      .map(([, , ...id]) => id.join()));
    const known = ({ tasks }) => (tasks?.fragments ?? [])
      .filter(([, , , thread, number, team]) => created.has([thread, number, team].join()));
    const moment = moments.find((of) => known(of).length);
    return { window: moment.window, all: known(moment) };
  }
  const token = sessionStorage.getItem("pompeii-token");
  const answer = await fetch("/api/tasks?t0=0&t1=9007199254740000",
    { headers: { "X-Pompeii-Token": token } });
  const { fragments: all } = await answer.json();
  return { window: [all[0][1] - 1000, all[0][2] + 1000], all };
});

/** The window in seconds; null is the whole run. */
const windowOf = async (of) => {
  const [, text] = /[#&]t=([\d.-]+)/.exec(await address(of)) ?? [];
  return text ? text.split("-").map(Number) : null;
};

async function until(of, condition) {
  for (let tries = 0; tries < 150; tries++) {
    if (condition(await windowOf(of))) return;
    await of.waitForTimeout(30);
  }
  assert.fail(`the window is ${await windowOf(of)}`);
}

const shows = (of, selector, text) =>
  of.locator(selector, { hasText: text }).first().waitFor({ timeout: 25000 });

/** A place on the rows: the middle of the first thread. */
async function middle(of, share = 0.5) {
  const stage = await of.locator(".time-stage").boundingBox();
  const row = await of.locator("button.flat").first().boundingBox();
  return [stage.x + stage.width * share, row.y + row.height / 2];
}

const width = ([t0, t1]) => t1 - t0;

for (const kind of Object.keys(SOURCES)) {
  test(`${kind}: the page opens with the overview, and the largest problem in the trees`, async () => {
    const of = await page(kind, "");
    await of.locator("#summary .finding").first().waitFor();
    const [first] = report.findings;
    const title = await of.locator(".finding .problem").first().textContent();
    assert.ok(first && title.length > 0);
    await of.getByRole("tab", { name: "Trees" }).click();
    assert.equal(await of.locator("#pane-metrics .row.active .words").textContent(), title);
    await of.getByRole("tab", { name: "Timeline" }).click();
    await shows(of, ".time-main, .time-side", "Worst moments");
    await shot(of, `interactions-${kind}`);
    await checkAxe(of);
    await close(of);
  });

  test(`${kind}: a problem leads to its worst moment`, async () => {
    const of = await page(kind, "");
    await of.getByRole("button", { name: "Show worst moment" }).first().click();
    await shows(of, ".time-side", "Zoom to it");
    const window = await windowOf(of);
    const text = await of.locator(".time-side", { hasText: " from " }).first().textContent();
    const [, length, begin] = /for ([\d.]+ \S+?s) from ([\d.]+) s on/.exec(text);
    const start = Number(begin);
    assert.ok(window[0] <= start && start + secondsOf(length) <= window[1] + 1e-5, `${window}: ${text}`);
    assert.match(await address(of), /region=/);
    assert.ok(await of.locator(".lit").isVisible(), "all else fades");
    await close(of);
  });

  test(`${kind}: wheel, keys, drags and the strip move the window`, async () => {
    const of = await page(kind);
    const { length, ticks_per_second: rate } = await opened(of);
    const whole = length / rate;
    await of.mouse.move(...await middle(of));
    await of.mouse.wheel(0, -500);
    await until(of, (window) => window && width(window) < whole * 0.6);
    const zoomed = await windowOf(of);
    await of.keyboard.press("w");
    await until(of, (window) => width(window) < width(zoomed) * 0.8);
    await of.keyboard.press("+");
    await until(of, (window) => width(window) < width(zoomed) * 0.5);
    const before = await windowOf(of);
    await of.keyboard.press("d");
    await until(of, (window) => window[0] > before[0]);
    await of.keyboard.press("a");
    await until(of, (window) => isNear(window[0], before[0], 1e-3));
    await of.keyboard.press("-");
    await of.keyboard.press("s");
    await until(of, (window) => width(window) > width(before) * 2);
    await of.keyboard.press("0");
    await until(of, (window) => window === null);
    await of.waitForTimeout(900);
    const [x, y] = await middle(of, 0.4);
    await of.mouse.move(x, y);
    await of.mouse.down();
    await of.mouse.move(x + 120, y, { steps: 4 });
    await of.mouse.up();
    await until(of, (window) => window && width(window) < whole * 0.3);
    const ranged = await windowOf(of);
    await of.keyboard.down("Shift");
    await of.mouse.move(x - 60, y);
    await of.mouse.down();
    await of.mouse.move(x + 60, y, { steps: 4 });
    await of.mouse.up();
    await of.keyboard.up("Shift");
    assert.deepEqual(await windowOf(of), ranged, "measuring does not zoom");
    await of.keyboard.press("Backspace");
    await until(of, (window) => window === null);
    const strip = await of.locator("canvas.strip").boundingBox();
    await of.mouse.move(strip.x + strip.width * 0.2, strip.y + 20);
    await of.mouse.down();
    await of.mouse.move(strip.x + strip.width * 0.5, strip.y + 20, { steps: 3 });
    await of.mouse.up();
    await until(of, (window) => window && width(window) < whole);
    await close(of);
  });

  test(`${kind}: an interval is found, selected, and leads on`, async () => {
    const of = await page(kind);
    await of.keyboard.press("/");
    await of.keyboard.type("implicit barrier");
    await of.keyboard.press("Enter");
    await shows(of, ".time-side h2", "implicit barrier");
    const first = await address(of);
    await of.locator(".time-stage").focus();
    await of.keyboard.press(".");
    await until(of, (window) => window !== null);
    await shows(of, ".time-side", "waiting, for");
    await of.waitForTimeout(500);
    await of.mouse.click(...await middle(of, 0.5));
    await of.locator(".time-stage").focus();
    await of.keyboard.press("ArrowDown");
    await of.keyboard.press("Enter");
    await of.waitForFunction(() => /sel=0\.1@/.test(location.hash));
    await of.goto(first);
    await of.reload();
    await shows(of, ".time-side h2", "implicit barrier");
    await of.getByRole("button", { name: "Next", exact: true }).click();
    await of.waitForFunction((old) => location.href !== old, first);
    await shows(of, ".time-side h2", "implicit barrier");
    await of.getByRole("tab", { name: "Trees" }).click();
    assert.match(await of.locator("#pane-calls .row.active .words").textContent(), /implicit barrier/,
      "its call path is selected in the trees");
    await close(of);
  });

  test(`${kind}: what is selected in the trees stands out, is counted and walked through`, async () => {
    const of = await page(kind, "view=trees");
    await of.locator("#pane-metrics .row").first().click();
    await of.keyboard.press("c");
    await of.locator("[data-find=calls]").fill("^critical sblock|^critical");
    await of.locator("[data-find=calls]").press("Enter");
    const name = await of.locator("#pane-calls .row.active").textContent();
    assert.match(name, /critical/);
    await of.getByRole("tab", { name: "Timeline" }).click();
    await shows(of, ".lit", "critical");
    await shows(of, ".lit", "×");
    const told = await of.locator(".lit .quiet").textContent();
    const visits = report.regions.filter(({ label }) => /critical/.test(label)).map((it) => it.visits);
    const shown = Number(/^([\d,]+)×/.exec(told)[1].replaceAll(",", ""));
    assert.ok(visits.some((count) => shown % count === 0), `${told}: ${visits}`);
    const colours = () => of.evaluate(() => {
      const canvas = document.querySelector("canvas.pixels");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Uint32Array(data.buffer).reduce((sum, word) => (sum + word) % 2 ** 32, 0);
    });
    const faded = await colours();
    await of.locator(".time-stage").focus();
    await of.keyboard.press("n");
    await shows(of, ".time-side h2", "critical");
    await of.keyboard.press("Escape");
    await of.keyboard.press("0");
    await of.locator(".lit").waitFor({ state: "hidden" });
    assert.notEqual(await colours(), faded);
    await close(of);
  });

  test(`${kind}: the sums of the run are those of the report`, async () => {
    const of = await page(kind);
    await shows(of, ".time-side", "exact");
    await of.locator(".sums + details.more summary, details.more summary").first().click()
      .catch(() => {});
    const rows = await of.locator(".sums tbody tr").evaluateAll((all) => all.map((row) =>
      [...row.cells].map((cell) => [...cell.querySelectorAll(".place")].reduce((text, place) =>
        text.replace(place.textContent, ` ${place.textContent}`), cell.textContent).trim())));
    let compared = 0;
    for (const [, what, time, , visits] of rows) {
      const [, role, place] = /^(.*?) (\S+\.c:\d+)$/.exec(what) ?? [];
      // A thread that has not come to its parallel region is idle in the timeline.
      if (!place || role === "parallel") continue;
      const same = report.regions.filter(({ label }) =>
        label.endsWith(place) && label.startsWith(role.replace(" body", " sblock")));
      if (same.length !== 1) continue;
      assert.ok(isNear(secondsOf(time), same[0].self_s), `${what}: ${time}, ${same[0].self_s} s`);
      if (visits) assert.equal(visits, `${same[0].visits}×`, what);
      compared++;
    }
    assert.ok(compared >= 4, `${compared} regions`);
    await close(of);
  });

  test(`${kind}: a window has its sums, durations, messages and trees`, async () => {
    const of = await page(kind);
    const { ticks_per_second: rate } = await opened(of);
    await of.locator(".sums button.link", { hasText: "implicit barrier" }).first().click();
    await shows(of, ".histogram", "visits");
    await shows(of, ".time-main, .time-side", "Messages");
    const { all: [[, begin]] } = await fragments(of);
    const window = [begin / rate, begin / rate + 0.03].map((t) => t.toFixed(4));
    await of.goto(`${(await address(of)).replace(/#.*/, "")}#view=timeline&t=${window.join("-")}`);
    await shows(of, ".time-side h2", `4 × ${lengthText(window[1] - window[0])}`);
    const rows = await of.locator(".sums tbody tr").evaluateAll((all) => all.map(({ cells }) =>
      [cells[1].textContent, cells[2].textContent]));
    const known = rows.reduce((sum, [, time]) => sum + secondsOf(time), 0);
    await of.getByRole("tab", { name: "Trees" }).click();
    const radio = of.locator(".span [role=radio]").nth(1);
    assert.ok(await radio.isEnabled());
    await of.getByRole("radio", { name: "Absolute", exact: true }).click();
    await of.locator("#pane-metrics .row").first().click();
    await of.keyboard.press("c");
    const root = () => of.locator("#pane-metrics .row").first().locator(".number").textContent();
    const before = secondsOf(await root());
    assert.ok(isNear(before, report.allocation_s, 0.05), `${before} of ${report.allocation_s}`);
    await radio.click();
    await of.waitForFunction((old) => document.querySelector("#pane-metrics .row .number")
      .textContent !== old, await root());
    const inside = secondsOf(await root());
    const all = 4 * (window[1] - window[0]);
    if (kind === "served") assert.ok(isNear(inside, all, 0.06), `${inside} of ${all}`);
    // An offline page knows what its pictures show, and nothing of threads that are idle.
    else assert.ok(isNear(inside, known, 0.12), `${inside} of ${known}, ${all}: ${rows}`);
    await of.getByRole("radio", { name: "Flame" }).click();
    assert.ok(await of.locator(".flame-box").count() > 3);
    await shot(of, `window-flame-${kind}`);
    await of.getByRole("radio", { name: "Call tree" }).click();
    await of.getByRole("radio", { name: "Whole run" }).click();
    await of.waitForFunction((old) => document.querySelector("#pane-metrics .row .number")
      .textContent !== old, await root());
    assert.equal(secondsOf(await root()), before);
    await close(of);
  });

  test(`${kind}: a task has its creator and all of its pieces`, async () => {
    const of = await page(kind);
    const { ticks_per_second: rate, processes, locations } = await opened(of);
    const { window, all: [[loc, start, stop, thread, number]] } = await fragments(of);
    const { process } = locations[loc];
    const place = loc - processes[process].first;
    const seconds = (ticks) => (ticks / rate).toFixed(9);
    const words = `view=timeline&t=${seconds(Math.max(0, window[0]))}-${seconds(window[1])}`
      + `&sel=${process}.${place}@${seconds((start + stop) / 2)}`;
    await of.goto(`${(await address(of)).replace(/#.*/, "")}#${words}`);
    await shows(of, ".time-side h2", `task_${thread}_${number}`);
    await shows(of, ".time-side", "The task was created by");
    await shows(of, ".time-side", "It ran");
    await of.locator(".time-stage").focus();
    await of.keyboard.press("p");
    await of.waitForFunction((old) => !location.hash.includes(old),
      `@${seconds((start + stop) / 2)}`.slice(0, 9));
    await close(of);
  });

  test(`${kind}: rows open and fold, and tables say the same`, async () => {
    const of = await page(kind);
    await of.mouse.click(...await middle(of, 0.6));
    await shows(of, ".time-side", "Master thread");
    await of.keyboard.press("o");
    assert.match(await address(of), /stacks=0\.0/);
    await of.keyboard.press("O");
    await of.keyboard.press("O");
    assert.match(decodeURIComponent(await address(of)), /stacks=0\.0,0\.1,1\.0,1\.1/);
    await of.locator("button.process").first().click();
    assert.match(await address(of), /folded=0/);
    await of.keyboard.press("t");
    await of.locator(".time-twin tbody tr").nth(3).waitFor();
    await checkAxe(of);
    await close(of);
  });
}

test("served: a source has values at its lines", async () => {
  const of = await page("served", "view=trees");
  await of.locator("[data-find=calls]").fill("critical");
  await of.locator("[data-find=calls]").press("Enter");
  await of.getByRole("button", { name: "Show source" }).click();
  await shows(of, "#panel-source .text", "#pragma omp critical");
  const [, line] = /line=(\d+)/.exec(await address(of));
  const mark = of.locator(`.mark[aria-current=true]`);
  assert.match(await mark.getAttribute("aria-label"), new RegExp(`^Line ${line}: .*critical`));
  await shot(of, "source");
  await checkAxe(of);
  await close(of);
});
