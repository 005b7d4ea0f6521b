// The state and its address, without a browser.

import assert from "node:assert/strict";
import test from "node:test";

import { State, choiceField, flagField, listField, textField } from "../../web/state.js";

/** An address bar with a history. */
function bar(hash = "") {
  const entries = [hash];
  let back = () => {};
  return {
    time: 0,
    entries,
    hash: () => entries.at(-1),
    push: (next) => entries.push(next),
    replace: (next) => entries.splice(-1, 1, next),
    onBack: (act) => { back = act; },
    clock() { return this.time; },
    back() { entries.pop(); back(); },
  };
}

const FIELDS = {
  view: choiceField(["overview", "trees"]), find: textField(), calls: listField(), on: flagField(),
};

test("the address has what is not as usual", () => {
  const at = bar();
  const state = new State(FIELDS, at);
  state.set({ view: "trees", find: "a&b = 50 %+", calls: ["x,y", "main/for"] });
  assert.equal(at.hash(), "#view=trees&find=a%26b+=+50+%25%2B&calls=x%252Cy,main%252Ffor");
  const same = new State(FIELDS, bar(at.hash()));
  assert.deepEqual(same.now, state.now);
});

test("a damaged address shows what is usual", () => {
  const { now } = new State(FIELDS, bar("#view=nosuch&find=%E0%A4%A&on=1&other=3&"));
  assert.deepEqual(now, { view: "overview", find: "%E0%A4%A", calls: [], on: true });
});

test("back undoes a step, and tells those who draw", () => {
  const at = bar();
  const state = new State(FIELDS, at);
  const seen = [];
  state.subscribe(["view"], (now, before) => seen.push([before.view, now.view]));
  state.set({ view: "trees" });
  state.set({ find: "x" });
  at.back();
  at.back();
  assert.deepEqual(seen, [["overview", "trees"], ["trees", "overview"]]);
  assert.equal(state.now.find, "");
});

test("turns of the wheel are one step", () => {
  const at = bar();
  const state = new State(FIELDS, at);
  state.set({ find: "1" }, { kind: "zoom" });
  at.time = 500;
  state.set({ find: "2" }, { kind: "zoom" });
  at.time = 2000;
  state.set({ find: "3" }, { kind: "zoom" });
  state.set({ find: "3" }, { kind: "zoom" });
  assert.deepEqual(at.entries, ["", "#find=2", "#find=3"]);
});

test("an address that the browser has not told of yet is not written over", () => {
  const at = bar("#view=trees");
  const state = new State(FIELDS, at);
  const seen = [];
  state.subscribe(["view"], (now) => seen.push(now.view));
  at.push("#find=link");
  state.set({ on: true }, { replace: true });
  assert.deepEqual(state.now, { view: "overview", find: "link", calls: [], on: true });
  assert.deepEqual(at.entries, ["#view=trees", "#find=link&on=1"]);
  assert.deepEqual(seen, ["overview"]);
});
