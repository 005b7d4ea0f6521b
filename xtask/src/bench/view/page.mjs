// Opens a page in Chromium without a GPU and writes what it measured as JSON: times of the browser's
// own marks, elements, transferred bytes, and the work of the main thread for each frame while a user
// zooms and moves.
//
//   POMPEII_WEB=FOLDER node page.mjs ADDRESS trace      a trace without a report
//   POMPEII_WEB=FOLDER node page.mjs ADDRESS report     a report without a trace

import fs from "node:fs";
import { createRequire } from "node:module";

const [address, kind] = process.argv.slice(2);
const require = createRequire(`${process.env.POMPEII_WEB}/`);
const { chromium } = require("playwright-core");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
// The timeline has about 2000 columns, and 64 rows of 20 pixels.
const VIEWPORT = { width: 2320, height: 1500 };
const FRAMES = 60;
const QUIET_MS = 1000;

const browser = await chromium.launch({
  executablePath: BROWSERS.find((place) => fs.existsSync(place)),
  args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-sandbox"],
});
try {
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: "reduce" });
  const page = await context.newPage();
  const figures = kind === "trace" ? await timeline(page) : await report(page);
  process.stdout.write(JSON.stringify(figures));
} finally {
  await browser.close();
}

/** A trace without a report is shown as a timeline. */
async function timeline(page) {
  await page.goto(address);
  await page.locator(".sums tbody tr").first().waitFor();
  return { ...await opened(page), frame_ms: await frame(page) };
}

/** A report begins with its overview. */
async function report(page) {
  await page.goto(address);
  await page.locator("#views:not([aria-busy])").waitFor({ state: "attached" });
  return opened(page);
}

/** What opening the page took until now. */
async function opened(page) {
  const shown_ms = await page.evaluate(() => performance.now());
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(QUIET_MS);
  const figures = await page.evaluate(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const loaded = performance.getEntriesByType("resource");
    const page = performance.getEntriesByType("navigation")[0];
    const bytes = loaded.reduce((sum, of) => sum + of.transferSize, page.transferSize);
    return {
      paint_ms: paint?.startTime ?? 0,
      elements: document.getElementsByTagName("*").length,
      transferred_kb: bytes / 1000,
    };
  });
  return { ...figures, shown_ms };
}

/** Milliseconds of the main thread for a frame, on average. */
async function frame(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  };
  const box = await page.locator(".time-stage").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
  const before = await busy();
  for (let step = 0; step < FRAMES; step++) {
    // Zooms in for some frames, then moves along.
    const isZoom = step < FRAMES / 4;
    await page.mouse.wheel(isZoom ? 0 : 40, isZoom ? -60 : 0);
    await page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
  }
  return (await busy() - before) / FRAMES;
}
