import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf } from "../../frontend/static/frontend/js/keys.js";

const pressed = (key, more = {}) => ({ key, ...more });

test("step 1 takes Y and N, and the letters that are open everywhere", () => {
  assert.deepEqual(actOf(pressed("y"), "ask"), { act: "yes" });
  assert.deepEqual(actOf(pressed("N", { shiftKey: true }), "ask"), { act: "no" });
  assert.deepEqual(actOf(pressed("Backspace"), "ask"), { act: "undo" });
  assert.deepEqual(actOf(pressed("?", { shiftKey: true }), "ask"), { act: "keys" });
  assert.deepEqual(["g", "l", "m", "f", "c", "x"].map((key) => actOf(pressed(key), "ask")?.act), ["guideline", "list", "mine", "unsure", "comment", "cannot"]);
  assert.equal(actOf(pressed("Enter"), "ask"), null);
});

test("step 2 takes arrows: words, with Ctrl or Alt sentences, with Shift extending, with both letters", () => {
  assert.deepEqual(actOf(pressed("ArrowRight"), "span"), { act: "word", step: 1, extend: false });
  assert.deepEqual(actOf(pressed("ArrowLeft", { shiftKey: true }), "span"), { act: "word", step: -1, extend: true });
  assert.deepEqual(actOf(pressed("ArrowRight", { ctrlKey: true }), "span"), { act: "sentence", step: 1, extend: false });
  assert.deepEqual(actOf(pressed("ArrowRight", { altKey: true, shiftKey: true }), "span"), { act: "sentence", step: 1, extend: true });
  assert.deepEqual(actOf(pressed("ArrowLeft", { ctrlKey: true, altKey: true }), "span"), { act: "letter", step: -1, edge: "end" });
  assert.deepEqual(actOf(pressed("ArrowRight", { ctrlKey: true, altKey: true, shiftKey: true }), "span"), { act: "letter", step: 1, edge: "start" });
  assert.deepEqual(actOf(pressed("Enter"), "span"), { act: "keep" });
  assert.deepEqual(actOf(pressed("Escape"), "span"), { act: "back" });
  assert.equal(actOf(pressed("n"), "span"), null);
});

test("a key held down moves on but decides nothing more", () => {
  const held = { repeat: true };
  for (const [key, context] of [["y", "ask"], ["n", "ask"], ["Enter", "span"], ["1", "question"], ["q", "invalid"], ["Enter", "feedback"], ["Backspace", "ask"], ["f", "ask"]]) {
    assert.equal(actOf(pressed(key, held), context), null, `${key} in ${context}`);
  }
  assert.equal(actOf(pressed("ArrowRight", held), "span")?.act, "word");
  assert.equal(actOf(pressed("j", held), "ask")?.act, "next");
});

test("in a right-to-left text the arrows follow what is seen", () => {
  assert.equal(actOf(pressed("ArrowLeft"), "span", { rtl: true })?.step, 1);
  assert.equal(actOf(pressed("ArrowRight", { shiftKey: true }), "span", { rtl: true })?.step, -1);
  assert.equal(actOf(pressed("ArrowDown"), "span", { rtl: true })?.step, 1);
});

test("a keyboard of another script acts by the place of its keys, a Latin one by what is printed on them", () => {
  assert.deepEqual(actOf(pressed("н", { code: "KeyY" }), "ask"), { act: "yes" });
  assert.deepEqual(actOf(pressed("غ", { code: "KeyY" }), "ask"), { act: "yes" });
  assert.deepEqual(actOf(pressed("y", { code: "KeyZ" }), "ask"), { act: "yes" });
  assert.equal(actOf(pressed("z", { code: "KeyY" }), "ask"), null);
});

test("questions take digits for labels, and letters for what the label asks for", () => {
  assert.deepEqual(["1", "2", "3"].map((key) => actOf(pressed(key), "question")?.index), [0, 1, 2]);
  assert.equal(actOf(pressed("q"), "question"), null);
  assert.deepEqual(actOf(pressed("q"), "unhelpful"), { act: "choice", index: 0 });
  assert.deepEqual(actOf(pressed("t"), "invalid"), { act: "choice", index: 4 });
  assert.deepEqual(actOf(pressed("2"), "invalid"), { act: "label", index: 1 });
});

test("an input method at work and the system's own shortcuts are left alone", () => {
  assert.equal(actOf(pressed("y", { isComposing: true }), "ask"), null);
  assert.equal(actOf(pressed("y", { metaKey: true }), "ask"), null);
  assert.equal(actOf(pressed("f", { ctrlKey: true }), "ask"), null);
});

test("single characters can be switched off; keys with a name still act", () => {
  assert.equal(actOf(pressed("y"), "ask", { letters: false }), null);
  assert.equal(actOf(pressed("."), "span", { letters: false }), null);
  assert.deepEqual(actOf(pressed("ArrowRight"), "span", { letters: false }), { act: "word", step: 1, extend: false });
  assert.deepEqual(actOf(pressed("Backspace"), "ask", { letters: false }), { act: "undo" });
});
