import assert from "node:assert/strict";
import { test } from "node:test";
import { codePointsBefore, drawn, shownRange, storedSpan, utf16Index } from "../../frontend/static/frontend/js/lib/offsets.js";

/** Texts that are counted differently by UTF-16 units, code points and letters. */
const TEXTS = [
  "plain words",
  "parks 🎉 make 👩‍👩‍👧 happy",
  "e\u0301cole, cafe\u0301 and é",
  "line\r\nbreak\rand\u2028separator\u0085next",
  "المكتبة يجب أن تبقى 🌙 مفتوحة",
  "שָׁלוֹם hello",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
  "",
];

test("every code point of every text maps to the UTF-16 index that Array.from would give, and back", () => {
  for (const text of TEXTS) {
    const letters = Array.from(text);
    for (let count = 0; count <= letters.length; count += 1) {
      const index = letters.slice(0, count).join("").length;
      assert.equal(utf16Index(text, count), index, `${text} ${count}`);
      assert.equal(codePointsBefore(text, index), count, `${text} ${index}`);
    }
  }
});

test("a stored span slices, in code points, to exactly its quote", () => {
  for (const text of TEXTS) {
    const letters = Array.from(text);
    for (let start = 0; start < text.length; start += 1) {
      for (let end = start + 1; end <= text.length; end += 3) {
        const span = storedSpan(text, { start, end });
        assert.equal(letters.slice(span.start, span.end).join(""), span.quote);
      }
    }
  }
});

test("an edge inside a surrogate pair moves outwards, so that the whole letter is kept", () => {
  assert.deepEqual(storedSpan("a🎉b", { start: 2, end: 3 }), { start: 1, end: 2, quote: "🎉" });
  assert.deepEqual(storedSpan("a🎉b", { start: 0, end: 2 }), { start: 0, end: 2, quote: "a🎉" });
});

test("a stored span is shown at the place it was taken from", () => {
  const text = "parks 🎉 make 👩‍👩‍👧 happy";
  const start = text.indexOf("make");
  const range = { start, end: start + "make 👩‍👩‍👧".length };
  assert.deepEqual(shownRange(text, storedSpan(text, range)), range);
});

test("an offset behind the text means its end", () => {
  assert.equal(utf16Index("a🎉", 9), 3);
  assert.equal(codePointsBefore("a🎉", 9), 2);
});

test("a carriage return alone is drawn as a line break, and no offset moves", () => {
  assert.equal(drawn("line\r\nbreak\rand\r\rlast\r"), "line\r\nbreak\nand\n\nlast\n");
  for (const text of TEXTS) {
    assert.equal(drawn(text).length, text.length);
    assert.deepEqual(drawn(text).split(/[\r\n]/), text.split(/[\r\n]/));
  }
});
