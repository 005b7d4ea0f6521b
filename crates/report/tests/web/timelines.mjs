// What tests of timelines in a browser share: a page at its timeline, and the shares of states that its
// table has.

import { open } from "./browser.mjs";

const LARGE = { width: 1280, height: 760 };

/** The timeline of a page, when its sums are there. */
export async function timeline(name, words = "") {
  const mark = process.env[`PAGE_${name}`].includes("#") ? "&" : "#";
  const page = await open(`${process.env[`PAGE_${name}`]}${mark}view=timeline${words && `&${words}`}`,
    LARGE);
  await page.locator(".sums tbody tr").first().waitFor();
  return page;
}

/** Shares of the window by thread: computing, waiting, overhead, MPI, idle, in percent. */
export async function states(page) {
  await page.locator(".time-stage").focus();
  await page.keyboard.press("t");
  await page.locator(".time-twin tbody tr").first().waitFor();
  const rows = await page.locator(".time-twin tbody tr").evaluateAll((all) => all.map((row) =>
    [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
  await page.keyboard.press("t");
  // `<0.1 %` is little, but not nothing.
  const share = (text) => Number.parseFloat(text.replace("<", "")) / (text.startsWith("<") ? 2 : 1);
  return rows.map((row) => row.map(share));
}
