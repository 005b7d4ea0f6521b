// The timelines of the papers, with our own programs: Vampir's view of an application on two processes
// of two threads (Mohr et al. 2002, Figure 5), and a task that is suspended (Schmidl et al. 2012,
// Figures 3 and 4).

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { address, checkAxe, close, end, shot } from "./browser.mjs";
import { states, timeline } from "./timelines.mjs";

after(end);

const shows = (page, selector, text) =>
  page.locator(selector, { hasText: text }).first().waitFor({ timeout: 25000 });

test("Vampir, Figure 5: OpenMP and MPI of an application overlap", async () => {
  const page = await timeline("OCEAN", "links=message,collective");
  const all = await states(page);
  assert.equal(all.length, 4);
  const [first, other, second, last] = all;
  assert.ok(first[3] > 0 && second[3] > 0, "both masters are in MPI");
  assert.ok(other[3] === 0 && last[3] === 0, "and no other thread is");
  assert.ok(other[0] > 0 && last[0] > 0, "which compute");
  // One of the steps, from near on.
  const finder = page.locator("input.find");
  await finder.fill("MPI_Allreduce");
  for (let step = 0; step < 8; step++) {
    await finder.press("Enter");
    await page.waitForTimeout(150);
  }
  await shows(page, ".time-side h2", "MPI_Allreduce");
  await page.locator(".time-stage").focus();
  await page.keyboard.press(".");
  for (let out = 0; out < 12; out++) {
    await page.waitForTimeout(250);
    const [, begin, stop] = /t=([\d.]+)-([\d.]+)/.exec(await address(page));
    if (stop - begin > 0.0005) break;
    await page.keyboard.press("s");
  }
  await page.keyboard.press("Escape");
  await page.locator("input.find").fill("");
  await page.locator("input.find").blur();
  await page.waitForTimeout(500);
  const [near, inTeam] = await states(page);
  assert.ok(near[3] > 0 && inTeam[0] > 0, "MPI and OpenMP lie near each other");
  await page.locator(".time-stage").blur();
  await page.waitForTimeout(300);
  await shot(page, "vampir-figure-5");
  await checkAxe(page);
  await close(page);
});

test("tasks, Figures 3 and 4: a suspended task, as recorded and cut", async () => {
  const page = await timeline("SUSPENDED", "stacks=0.0&recorded=1");
  await page.waitForTimeout(500);
  await shot(page, "tasks-figure-3");
  await page.getByRole("button", { name: "As recorded" }).click();
  await page.waitForTimeout(500);
  await shot(page, "tasks-figure-4");
  // Each sleeps for 100 ms at least. If the suspension was not cut out, the time of the inner one
  // would count twice, and the shares of both would have a sum of about 150 %.
  const sums = async (place) => {
    const row = page.locator(".sums tbody tr", { hasText: place }).filter({ hasText: /^task/ });
    const texts = await row.first().locator(".number").allTextContents();
    return texts.slice(0, 2).map(Number.parseFloat);
  };
  const [outer, inner] = [await sums("suspended.c:18"), await sums("suspended.c:7")];
  assert.ok(outer[0] >= 99 && inner[0] >= 99, `${outer[0]} and ${inner[0]} ms`);
  assert.ok(outer[1] + inner[1] <= 101, `${outer[1]} % and ${inner[1]} %`);
  await page.locator("input.find").fill("suspended.c:18");
  // The line has the creation of the task, too.
  for (let tries = 0; tries < 4 && !await page.getByText("It ran").first().isVisible(); tries++) {
    await page.locator("input.find").press("Enter");
    await page.waitForTimeout(400);
  }
  await shows(page, ".time-side", "in 2 pieces");
  await close(page);
});
