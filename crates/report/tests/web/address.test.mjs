// Call paths in the address, without a browser.

import assert from "node:assert/strict";
import test from "node:test";

import { callOf } from "../../web/trees/address.js";

const labels = ["main", "work", "loop", "work"];
const parents = [-1, 0, 0, 2];
const data = {
  calls: parents.map((parent, id) => ({
    id, parent, children: parents.flatMap((of, child) => (of === id ? [child] : [])),
  })),
  region: (call) => ({ label: labels[call] }),
};

test("a call path is found by the names of its regions", () => {
  assert.equal(callOf(data, ["main", "loop", "work"]), 3);
  assert.equal(callOf(data, ["main", "work"]), 1);
  assert.equal(callOf(data, ["main", "loop", "gone", "work"]), 2, "the part that exists");
  assert.equal(callOf(data, ["nothing"]), -1);
});

test("a deep call path has a number, which is checked", () => {
  assert.equal(callOf(data, ["#3"]), 3);
  assert.equal(callOf(data, ["#4"]), -1);
});
