// The offline page in a browser: tabs, the address, the theme, accessibility.

import assert from "node:assert/strict";
import test, { after } from "node:test";

import { address, checkAxe, close, end, open, shot } from "./browser.mjs";

const url = process.env.PAGE_OCEAN;
after(end);

test("tabs follow the address and the keyboard", async () => {
  const page = await open(url);
  await page.getByRole("tab", { name: "Trees" }).click();
  assert.equal(new URL(await address(page)).hash, "#view=trees");
  assert.ok(await page.locator("#pane-calls").isVisible());
  await page.keyboard.press("ArrowLeft");
  assert.ok(await page.locator("#summary").isVisible());
  await page.goBack();
  assert.ok(await page.locator("#pane-calls").isVisible());
  await close(page);
});

for (const theme of ["light", "dark"]) {
  test(`pages are accessible in ${theme} colours`, async () => {
    const page = await open(url, { theme });
    for (const tab of await page.getByRole("tab").all()) {
      await tab.click();
      await shot(page, `${await tab.textContent()}-${theme}`.toLowerCase());
      await checkAxe(page);
    }
    await close(page);
  });
}
