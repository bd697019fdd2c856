import assert from "node:assert/strict";
import { test } from "node:test";
import { actOf, edgeOf, isShortcut, letterOf } from "../../frontend/static/frontend/js/workspace/keys.js";

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

test("in step 2 letters and digits are the text's: they jump, with Shift they extend, and decide nothing", () => {
  assert.deepEqual(actOf(pressed("n"), "span"), { act: "jump", letter: "n", extend: false });
  assert.deepEqual(actOf(pressed("N"), "span"), { act: "jump", letter: "n", extend: false });
  assert.deepEqual(actOf(pressed("N", { shiftKey: true }), "span"), { act: "jump", letter: "n", extend: true });
  assert.deepEqual(actOf(pressed("é", { code: "Digit2" }), "span"), { act: "jump", letter: "é", extend: false });
  assert.deepEqual(actOf(pressed("2", { code: "Digit2", shiftKey: true }), "span"), { act: "jump", letter: "2", extend: false });
  assert.deepEqual(actOf(pressed("ж", { code: "Semicolon" }), "span", { latin: false }), { act: "jump", letter: "ж", extend: false });
  assert.deepEqual(actOf(pressed("н", { code: "KeyY" }), "span", { latin: true }), { act: "jump", letter: "y", extend: false });
  assert.deepEqual(actOf(pressed(" "), "span"), { act: "same" });
  assert.deepEqual(actOf(pressed("?", { shiftKey: true }), "span"), { act: "keys" });
  assert.deepEqual(actOf(pressed("Backspace"), "span"), { act: "undo" });
  for (const key of "gmlfcxjks") assert.equal(actOf(pressed(key), "span").act, "jump", key);
});

/**
 * What keys of these layouts print: place, plain, with Shift. `?` is where the question mark is printed; digits stand for the whole row.
 */
const LAYOUTS = {
  US: { letters: { y: "KeyY", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: "1!2@3#", comma: ",<", stop: ".>", left: "[{", right: "]}", question: ["Slash", "?"] },
  UK: { letters: { y: "KeyY", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: '1!2"3£', comma: ",<", stop: ".>", left: "[{", right: "]}", question: ["Slash", "?"] },
  German: { letters: { y: "KeyZ", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: '1!2"3§', comma: ",;", stop: ".:", left: "üÜ", right: "+*", question: ["Minus", "?"] },
  French: { letters: { y: "KeyY", n: "KeyN", m: "Semicolon", j: "KeyJ", w: "KeyZ" }, digits: "&1é2\"3", comma: ";.", stop: ":/", left: ["Dead", "Dead"], right: "$£", question: ["KeyM", "?"] },
  Spanish: { letters: { y: "KeyY", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: '1!2"3·', comma: ",;", stop: ".:", left: ["Dead", "Dead"], right: "+*", question: ["Minus", "?"] },
  Czech: { letters: { y: "KeyZ", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: "+1ě2š3", comma: ",?", stop: ".:", left: "ú/", right: ")(", question: ["Comma", "?"] },
  Nordic: { letters: { y: "KeyY", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: '1!2"3#', comma: ",;", stop: ".:", left: "åÅ", right: ["Dead", "Dead"], question: ["Minus", "?"] },
  Russian: { letters: { н: "KeyY", т: "KeyN", ь: "KeyM", о: "KeyJ", ц: "KeyW" }, digits: '1!2"3№', comma: "бБ", stop: "юЮ", left: "хХ", right: "ъЪ", question: ["Digit7", "?"] },
  Greek: { letters: { υ: "KeyY", ν: "KeyN", μ: "KeyM", ξ: "KeyJ", ς: "KeyW" }, digits: "1!2@3#", comma: ",<", stop: ".>", left: "[{", right: "]}", question: ["Slash", "?"] },
  Hebrew: { letters: { ט: "KeyY", מ: "KeyN", צ: "KeyM", ח: "KeyJ", "'": "KeyW" }, digits: "1!2@3#", comma: "ת>", stop: "ץ<", left: "]}", right: "[{", question: ["Slash", "?"] },
  Japanese: { letters: { y: "KeyY", n: "KeyN", m: "KeyM", j: "KeyJ", w: "KeyW" }, digits: '1!2"3#', comma: ",<", stop: ".>", left: "@`", right: "[{", question: ["Slash", "?"] },
  "Japanese, an input method at work": { letters: { Process: "KeyY" }, digits: ["Process", "Process", "Process", "Process", "Process", "Process"], comma: ["Process", "Process"], stop: ["Process", "Process"], left: ["Process", "Process"], right: ["Process", "Process"], question: ["Slash", "？"] },
};

for (const [name, { letters, digits, comma, stop, left, right, question }] of Object.entries(LAYOUTS)) {
  test(`a ${name} keyboard has every key where its own letters, the digits and the marks are`, () => {
    const wanted = ["y", "n", "m", "j", "w"];
    for (const [at, [key, code]] of Object.entries(letters).entries()) {
      const expected = wanted[at];
      assert.equal(letterOf({ key, code }), expected, `${key} at ${code}`);
      assert.equal(letterOf({ key: key.length === 1 ? key.toUpperCase() : key, code }), expected, `${key} with Caps Lock`);
    }
    const [yes, no] = Object.entries(letters);
    assert.equal(actOf({ key: yes[0], code: yes[1] }, "ask")?.act, "yes");
    if (no) assert.equal(actOf({ key: no[0].toUpperCase(), code: no[1], shiftKey: true }, "ask")?.act, "no");
    for (const index of [0, 1, 2]) {
      const code = `Digit${index + 1}`;
      assert.deepEqual(actOf({ key: digits[2 * index], code }, "question"), { act: "label", index }, `the key of ${index + 1}`);
      assert.deepEqual(actOf({ key: digits[2 * index + 1], code, shiftKey: true }, "question"), { act: "label", index }, `the key of ${index + 1} with Shift`);
      assert.equal(letterOf({ key: digits[2 * index], code }), String(index + 1));
    }
    const latin = { latin: true };
    assert.deepEqual(actOf({ key: comma[0], code: "Comma" }, "span", latin), { act: "letter", step: -1, edge: "end" });
    assert.deepEqual(actOf({ key: stop[0], code: "Period" }, "span", latin), { act: "letter", step: 1, edge: "end" });
    const shifted = actOf({ key: comma[1], code: "Comma", shiftKey: true }, "span", latin);
    assert.deepEqual(shifted, name === "French" ? { act: "letter", step: 1, edge: "end" } : { act: "letter", step: -1, edge: "start" });
    assert.deepEqual(actOf({ key: stop[1], code: "Period", shiftKey: true }, "span", latin), { act: "letter", step: 1, edge: "start" });
    const mirrored = name === "Hebrew" ? -1 : 1;
    assert.deepEqual(edgeOf({ key: left[0], code: "BracketLeft" }), ["start", -mirrored]);
    if (name !== "Japanese") assert.deepEqual(edgeOf({ key: right[0], code: "BracketRight" }), ["start", mirrored]);
    assert.deepEqual(edgeOf({ key: left[1], code: "BracketLeft", shiftKey: true }), ["end", -mirrored]);
    assert.equal(actOf({ key: question[1], code: question[0], shiftKey: true }, "ask")?.act, "keys");
  });
}

test("what another layout prints where the marks are meant is never taken for the mark's neighbour", () => {
  assert.deepEqual(actOf({ key: ",", code: "KeyM" }, "span"), { act: "letter", step: -1, edge: "end" }, "the comma of AZERTY");
  assert.deepEqual(actOf({ key: "?", code: "KeyM", shiftKey: true }, "span"), { act: "letter", step: -1, edge: "start" }, "with Shift");
  assert.equal(actOf({ key: ",", code: "KeyM" }, "ask"), null);
  assert.deepEqual(edgeOf({ key: "[", code: "BracketRight" }), ["start", -1], "Japan");
  assert.deepEqual(edgeOf({ key: "]", code: "Backslash" }), ["start", 1], "Japan");
  assert.equal(edgeOf({ key: "x", code: "KeyX" }), null);
});

test("AltGr and the Option key change nothing; Ctrl, Alt and Command with a letter are the browser's", () => {
  assert.equal(actOf({ key: "∆", code: "KeyJ", altKey: true }, "ask")?.act, "next");
  assert.equal(actOf({ key: "Dead", code: "KeyN", altKey: true }, "ask")?.act, "no");
  assert.equal(actOf({ key: "@", code: "KeyQ", altKey: true, ctrlKey: true }, "invalid")?.index, 0);
  assert.deepEqual(edgeOf({ key: "[", code: "Digit8", altKey: true, ctrlKey: true }), ["start", -1]);
  assert.deepEqual(edgeOf({ key: "{", code: "Digit5", altKey: true }), ["end", -1]);
  assert.deepEqual([{ key: "j", code: "KeyJ", altKey: true }, { key: "j", code: "KeyJ", ctrlKey: true }, { key: "[", code: "BracketLeft", metaKey: true }].map(isShortcut), [true, true, true]);
  assert.deepEqual([{ key: "[", code: "Digit8", altKey: true, ctrlKey: true }, { key: "∆", code: "KeyJ", altKey: true }, { key: "J", code: "KeyJ", shiftKey: true }].map(isShortcut), [false, false, false]);
});

test("in step one of a matching digits pick a reference, 0 none, arrows go through them and S searches", () => {
  assert.deepEqual(actOf(pressed("1"), "match"), { act: "reference", index: 0 });
  assert.deepEqual(actOf(pressed("9"), "match"), { act: "reference", index: 8 });
  assert.deepEqual(actOf(pressed("0"), "match"), { act: "none" });
  assert.deepEqual(actOf(pressed("ArrowDown"), "match"), { act: "move", step: 1 });
  assert.deepEqual(actOf(pressed("ArrowUp", { repeat: true }), "match"), { act: "move", step: -1 });
  assert.deepEqual(actOf(pressed("s"), "match"), { act: "filter" });
  assert.deepEqual(["x", "f", "c", "j"].map((key) => actOf(pressed(key), "match")?.act), ["cannot", "unsure", "comment", "next"]);
  assert.equal(actOf(pressed("1", { repeat: true }), "match"), null);
  assert.equal(actOf(pressed("q"), "match"), null);
});

test("A takes a suggestion where a unit is decided, and is a letter of the text where a span is chosen", () => {
  for (const context of ["ask", "question", "unhelpful", "invalid"]) assert.deepEqual(actOf({ key: "a" }, context), { act: "take" });
  assert.equal(actOf({ key: "a" }, "span").act, "jump");
  for (const context of ["match", "feedback", "over"]) assert.equal(actOf({ key: "a" }, context), null);
});
