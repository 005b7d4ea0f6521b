// The timeline in a browser, with a program that the test knows exactly: every interaction, and the
// numbers that it shows.

import assert from "node:assert/strict";
import test, { after, before } from "node:test";

import { address, checkAxe, close, end, open, shot } from "./browser.mjs";
import { ANSWERS, INTERVALS, LENGTH, sums } from "./program.mjs";
import { TOKEN, serve } from "./serve.mjs";

let server;
before(async () => { server = await serve(); });
after(async () => {
  await end();
  server.stop();
});

/** The timeline, when its first picture is drawn. */
async function timeline(words = "", options = {}) {
  const page = await open(`${server.url}#token=${TOKEN}${words && `&${words}`}`, options);
  await page.waitForFunction(() => {
    const canvas = document.querySelector("canvas.pixels");
    if (!canvas?.width) return false;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, 60);
    const [r, g, b] = data;
    return data.some((value, at) => value !== [r, g, b, 255][at % 4]);
  });
  return page;
}

/** The window in microseconds, which are the ticks of this program. */
const windowOf = async (page) => {
  const [, text] = /[#&]t=([\d.-]+)/.exec(await address(page)) ?? [];
  return text ? text.split("-").map((part) => Math.round(Number(part) * 1e6)) : [0, LENGTH];
};

/** Where a time is on the screen, in the row with a name. */
async function place(page, key, time, window = windowOf(page)) {
  const [t0, t1] = await window;
  const stage = await page.locator(".time-stage").boundingBox();
  const names = page.locator(".row-name", { hasText: key.name });
  const row = await names.nth(key.nth ?? 0).boundingBox();
  return [stage.x + ((time - t0) / (t1 - t0)) * stage.width, row.y + row.height / 2];
}

/** Waits until the address has a window that a condition holds for. */
async function until(page, condition) {
  for (let tries = 0; tries < 100; tries++) {
    if (condition(await windowOf(page))) return;
    await page.waitForTimeout(30);
  }
  assert.fail(`the window is ${await windowOf(page)}`);
}

/** Waits until an element has a text. */
async function shows(page, selector, text) {
  await page.locator(selector, { hasText: text }).first().waitFor({ timeout: 5000 });
}

const MASTER = { name: "Master thread" };
const THREAD = { name: "thread 1", nth: 0 };

test("the token is not in the address, and the sums are exact", async () => {
  const page = await timeline("t=0.1-0.2");
  assert.ok(!(await address(page)).includes(TOKEN));
  await shows(page, ".time-side", "exact, 4 × 100 ms");
  const shown = await page.locator(".sums tbody tr").allTextContents();
  const query = new URLSearchParams({ t0: 100000, t1: 200000, by: "region" });
  const expected = sums(query).rows.sort((a, b) => b.ticks - a.ticks);
  assert.equal(shown.length, expected.length);
  assert.match(shown[0], new RegExp(`task.*${(expected[0].ticks / 1000).toFixed(0)} ms.*20×`));
  await page.getByRole("radio", { name: "States" }).click();
  await shows(page, ".sums", "runtime overhead");
  await page.getByRole("radio", { name: "Threads" }).click();
  await shows(page, ".sums", "Rank 1, thread 1");
  await close(page);
});

test("wheel and keys zoom and move, Back undoes", async () => {
  const page = await timeline();
  const [x, y] = await place(page, MASTER, LENGTH / 4);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -600);
  await until(page, ([t0, t1]) => t1 - t0 < LENGTH * 0.4 && t0 < LENGTH / 4 && t1 > LENGTH / 4);
  const zoomed = await windowOf(page);
  await page.keyboard.press("d");
  await until(page, ([t0]) => t0 > zoomed[0]);
  await page.keyboard.press("a");
  await until(page, ([t0]) => Math.abs(t0 - zoomed[0]) < 5);
  await page.waitForTimeout(900);
  await page.keyboard.press("s");
  await until(page, ([t0, t1]) => t1 - t0 > 1.3 * (zoomed[1] - zoomed[0]));
  await page.keyboard.press("Backspace");
  await until(page, ([t0, t1]) => t1 - t0 < 1.1 * (zoomed[1] - zoomed[0]));
  await page.keyboard.press("0");
  await until(page, ([t0, t1]) => t1 - t0 === LENGTH);
  await close(page);
});

test("a drag chooses a range, and with Shift it measures", async () => {
  const page = await timeline();
  const from = await place(page, MASTER, 200000);
  const to = await place(page, MASTER, 300000);
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 4 });
  await page.mouse.up();
  await until(page, ([t0, t1]) => Math.abs(t0 - 200000) < 2000 && Math.abs(t1 - 300000) < 2000);
  const window = await windowOf(page);
  const [a, b] = [await place(page, MASTER, 220000), await place(page, MASTER, 260000)];
  await page.keyboard.down("Shift");
  await page.mouse.move(a[0] + 2, a[1]);
  await page.mouse.down();
  await page.mouse.move(b[0] - 2, b[1], { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await shot(page, "measure");
  assert.deepEqual(await windowOf(page), window, "measuring does not zoom");
  await close(page);
});

test("a click selects an interval and says what it is", async () => {
  const page = await timeline("t=0.1-0.2");
  const [, , start, stop] = INTERVALS[1].find((of) => of[1] === 2 && of[2] > 120000);
  await page.mouse.click(...await place(page, THREAD, (start + stop) / 2));
  await shows(page, ".time-side", "task_1_6");
  await shows(page, ".time-side", `for ${((stop - start) / 1000).toFixed(2)} ms`);
  await shows(page, ".time-side", "was created by Rank 0, Master thread");
  assert.match(await page.locator(".time-live").textContent(), /Rank 0, thread 1, task main/);
  await page.keyboard.press("]");
  await shows(page, ".time-side", "task_1_7");
  await page.keyboard.press("[");
  await shows(page, ".time-side", "task_1_6");
  await page.keyboard.press(".");
  await until(page, ([t0, t1]) => t0 < start && t1 > stop && t1 - t0 < 1.3 * (stop - start));
  await page.keyboard.press("p");
  await shows(page, ".time-side", "create task main");
  await page.keyboard.press("Escape");
  assert.ok(!(await address(page)).includes("sel="));
  await close(page);
});

test("waiting has its cause, and a message its partner", async () => {
  const page = await timeline("t=0.1-0.12");
  await page.mouse.click(...await place(page, THREAD, 118000));
  await shows(page, ".time-side", "Why it waits");
  await shows(page, ".time-side", "came last, with 3.00 ms more work");
  await page.mouse.click(...await place(page, MASTER, 100200));
  await shows(page, ".time-side", "MPI_Sendrecv");
  await shot(page, "message");
  await page.mouse.click(...await place(page, THREAD, 102150));
  await shows(page, ".time-side h2", "Startup");
  await shows(page, ".time-side", "Rank 0, thread 1 begins its part of the parallel region 300 µs");
  const colour = await page.evaluate(() => {
    const canvas = document.querySelector("canvas.ink");
    const { offsetTop, offsetHeight } = document.querySelectorAll("button.flat")[1];
    const scale = canvas.width / canvas.clientWidth;
    const [x, y] = [canvas.width * 0.1075, (offsetTop + offsetHeight / 4) * scale];
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3);
  });
  assert.deepEqual(colour, [0xd9, 0xa1, 0x3a], "startup has its colour");
  await close(page);
});

test("the keyboard selects, opens call stacks, and shows a table", async () => {
  const page = await timeline("t=0.1-0.12");
  await page.locator(".time-stage").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /sel=0\.1@/.test(location.hash));
  await page.keyboard.press("o");
  assert.match(await address(page), /stacks=0\.1/);
  await page.keyboard.press("O");
  assert.ok(!(await address(page)).includes("stacks="));
  await page.keyboard.press("t");
  await shows(page, ".time-twin", "Rank 1, thread 1");
  const cells = await page.locator(".time-twin tbody tr").nth(1).locator("td").allTextContents();
  const [row] = sums(new URLSearchParams({ t0: 100000, t1: 120000, by: "location" })).rows
    .filter(({ key }) => key === 1);
  assert.equal(cells[1], `${Math.round((100 * row.states[2]) / 20000)} %`);
  await page.keyboard.press("t");
  await page.keyboard.press("?");
  await shows(page, "dialog.help", "zoom to what is selected");
  await page.keyboard.press("Escape");
  await close(page);
});

test("find by task, place and length", async () => {
  const page = await timeline();
  await page.keyboard.press("/");
  await page.keyboard.type("task_1_33");
  await page.keyboard.press("Enter");
  await shows(page, ".time-side h2", "task_1_33");
  await page.locator("input.find").fill(">13ms implicit");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Enter");
  await shows(page, ".time-side h2", "implicit barrier main steps.c:20");
  await page.locator("input.find").fill("nosuch");
  await page.keyboard.press("Enter");
  await shows(page, ".time-live", "There is no other one.");
  await close(page);
});

test("the strip moves and resizes the window", async () => {
  const page = await timeline("t=0.4-0.6");
  const strip = page.locator("canvas.strip");
  const drag = async (from, to) => {
    // The strip may still move and get wider while the page is filled: `hover` waits until it rests.
    await strip.hover({ position: { x: 1, y: 20 } });
    const { x, y, width } = await strip.boundingBox();
    await page.mouse.move(x + width * from, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + width * to, y + 20, { steps: 3 });
    await page.mouse.up();
  };
  await drag(0.5, 0.6);
  await until(page, ([t0, t1]) => Math.abs(t0 - 500000) < 4000 && Math.abs(t1 - 700000) < 4000);
  await drag(0.7, 0.9);
  await until(page, ([t0, t1]) => Math.abs(t0 - 500000) < 4000 && Math.abs(t1 - 900000) < 6000);
  await drag(0.1, 0.2);
  await until(page, ([t0, t1]) => Math.abs(t0 - 100000) < 4000 && Math.abs(t1 - 200000) < 4000);
  await close(page);
});

test("processes fold, regions stand out, levels and lines are chosen", async () => {
  const page = await timeline("t=0.1-0.2");
  await page.locator("button.process", { hasText: "Rank 0" }).click();
  assert.match(await address(page), /folded=0/);
  await page.waitForFunction(() => document.querySelectorAll("button.flat").length === 2);
  await page.locator(".sums button.link", { hasText: "task" }).first().click();
  assert.match(decodeURIComponent(await address(page)), /region=!\$omp\+task/);
  await shows(page, ".histogram", "20 visits");
  const pressed = page.locator(".sums button.link[aria-pressed=true]");
  assert.match(await pressed.textContent(), /^task/);
  await shot(page, "highlight");
  await page.getByLabel("Colours by").selectOption("parallel");
  await shows(page, ".time-tools .legend", "startup");
  await shot(page, "parallel");
  await page.locator("details.lines summary").click();
  await page.getByLabel("Messages").check();
  await page.getByLabel("threads waiting").check();
  assert.match(await address(page), /links=message/);
  await shows(page, ".row-name.curve", "max 2");
  await page.keyboard.press("h");
  assert.match(await address(page), /hatch=1/);
  await shot(page, "levels");
  await close(page);
});

test("the drawing of tasks can be as recorded", async () => {
  const page = await timeline("t=0.1-0.12&stacks=0.1");
  await page.getByRole("button", { name: "As recorded" }).click();
  assert.match(await address(page), /recorded=1/);
  for (let tries = 0; !server.asked.some((of) => of.includes("r1.0")); tries++) {
    assert.ok(tries < 100, "the rows are not asked for");
    await page.waitForTimeout(30);
  }
  await page.mouse.click(...await place(page, THREAD, 118000));
  await shows(page, ".time-side", "Why it waits");
  await close(page);
});

test("lines that are too many are drawn as bundles", async () => {
  const { links } = ANSWERS;
  ANSWERS.links = () => ({ counts: [[0, 0, 2, 3000], [400000, 0, 3, 500]], bin_log2: 14, left_out: 12 });
  const page = await timeline("links=message");
  await shows(page, ".time-note", "3,512 lines: each one that is drawn stands for several");
  await shot(page, "bundles");
  const ink = () => page.evaluate(() => {
    const canvas = document.querySelector("canvas.ink");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.reduce((sum, value, at) => (at % 4 === 3 ? sum + value : sum), 0);
  });
  const drawn = await ink();
  await page.locator("details.lines summary").click();
  await page.getByLabel("Messages").uncheck();
  await page.locator(".time-note").waitFor({ state: "hidden" });
  await page.waitForTimeout(200);
  assert.ok(await ink() < drawn, "the bundles are gone");
  ANSWERS.links = links;
  await page.getByLabel("Messages").check();
  await page.waitForTimeout(400);
  assert.equal(await page.locator(".time-note:not([hidden])").count(), 0);
  await close(page);
});

test("counters of any thread stand below it", async () => {
  const page = await timeline("t=0.1-0.2");
  await page.locator("details.lines summary").click();
  await page.getByLabel("Thread of the counters").selectOption({ label: "Rank 1, thread 1" });
  await page.getByLabel("PAPI_TOT_INS").check();
  assert.match(await address(page), /counters=PAPI_TOT_INS%25401\.1/);
  await shows(page, ".row-name .name", "PAPI_TOT_INS");
  const names = await page.locator(".row-name").evaluateAll((all) => all
    .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
    .map((of) => of.querySelector(".name").textContent));
  assert.equal(names.indexOf("PAPI_TOT_INS"), names.lastIndexOf("thread 1") + 1);
  await close(page);
});

test("few rows leave room for what else is known", async () => {
  const page = await timeline("folded=0,1&curves=waiting,idle");
  await page.locator(".time-below", { hasText: "Worst moments" }).waitFor();
  await page.locator("button.process").first().click();
  await page.locator("button.process", { hasText: "Rank 1" }).click();
  await page.keyboard.press("O");
  await page.locator(".time-side", { hasText: "Worst moments" }).waitFor();
  await close(page);
});

test("a source has its regions at their lines", async () => {
  const page = await timeline();
  await page.getByRole("tab", { name: "Source" }).click();
  await shows(page, "#panel-source .text", "#pragma omp parallel");
  assert.equal(await page.locator(".mark").count(), 4, "two regions stand in one line");
  await page.locator(".mark").nth(2).click();
  assert.match(decodeURIComponent(await address(page)), /file=\/src\/steps\.c&line=20/);
  assert.ok(await page.locator(".band").isVisible());
  await checkAxe(page);
  await close(page);
});

test("the same address shows the same", async () => {
  const words = "t=0.1-0.2&sel=0.1@0.118&stacks=0.1&folded=1&level=worksharing";
  const page = await timeline(words);
  await shows(page, ".time-side", "Why it waits");
  const hash = new URL(await address(page)).hash.slice(1).split("&").sort();
  assert.deepEqual(hash, words.split("&").sort());
  await close(page);
});

test("the worst moment is shown with some of its surroundings", async () => {
  const page = await timeline();
  await page.locator("button.worst").click();
  await until(page, ([t0, t1]) => t0 < 7300 && t1 > 20000 && t1 - t0 < 20000);
  await shows(page, ".time-side", "Why it waits");
  await close(page);
});

for (const theme of ["light", "dark"]) {
  test(`the timeline is accessible in ${theme} colours`, async () => {
    const words = "t=0.1-0.2&sel=0.1@0.118&stacks=0.1&curves=ready,waiting&links=message";
    const page = await timeline(words, { theme });
    await shows(page, ".time-side", "Why it waits");
    await shot(page, `timeline-${theme}`);
    await checkAxe(page);
    const colour = () => page.locator(".sums .swatch i").first().evaluate((box) => box.style.background);
    const before = await colour();
    await page.getByRole("button", { name: "Distinct colours" }).click();
    assert.notEqual(await colour(), before, "the sums have the colours of the rows");
    await shot(page, `timeline-${theme}-distinct`);
    await checkAxe(page);
    await page.keyboard.press("t");
    await shows(page, ".time-twin", "Rank 1, thread 1");
    await checkAxe(page);
    await close(page);
  });
}

test("a wrong token is said in a sentence", async () => {
  const page = await open(`${server.url}#token=0`);
  await shows(page, "#top", "the token is wrong");
  await close(page);
});
