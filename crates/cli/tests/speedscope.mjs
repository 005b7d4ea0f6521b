// Reads files with Speedscope in a browser, and writes what it has read, in Speedscope's own format,
// to FILE.read for each FILE. Speedscope and the control of the browser lie in a folder of packages.
//
//     speedscope.mjs FOLDER FILE...

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, ...files] = process.argv;
const { chromium } = createRequire(`${folder}/node_modules/`)("playwright-core");
const reader = `${folder}/node_modules/speedscope/dist/release/index.html`;
/** A machine may do other things, too. */
const PATIENCE_MS = 180_000;
const AGAIN_MS = 500;
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const browser = await chromium.launch({
  executablePath: BROWSERS.find((place) => fs.existsSync(place)),
  args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-sandbox"],
});
for (const file of files) {
  // As Speedscope's own command does it: a script gives the file to the page.
  const data = fs.readFileSync(file).toString("base64");
  const name = JSON.stringify(path.basename(file));
  fs.writeFileSync(`${file}.js`, `speedscope.loadFileFromBase64(${name}, "${data}")`);
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("pageerror", (error) => { throw error; });
  await page.goto(`${pathToFileURL(reader)}#localProfilePath=${file}.js`);
  // The title has the name of the file when it has been read.
  await page.waitForFunction(() => document.title !== "speedscope");
  const saved = page.waitForEvent("download");
  // The title may come before the page takes keys.
  const save = () => page.keyboard.press("Control+s").catch(() => {});
  const again = setInterval(save, AGAIN_MS);
  await (await saved).saveAs(`${file}.read`);
  clearInterval(again);
  await page.close();
}
await browser.close();
