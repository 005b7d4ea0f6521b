// Numbers as the page shows them.

import assert from "node:assert/strict";
import test from "node:test";

import { count } from "../../web/format.js";

test("counts have at most three digits and a word from a million on", () => {
  const values = [999_999, 1_234_567, 99_949_999, 129_200_000, 999_500_000, -7_000_000_000];
  const shown = ["999,999", "1.2 m", "99.9 m", "129 m", "1.0 bn", "-7.0 bn"];
  assert.deepEqual(values.map(count), shown);
});
