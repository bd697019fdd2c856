import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, direction, letterStep, sentenceEnd, sentenceStep, wordAt } from "../../frontend/static/frontend/js/workspace/text/segmentation.js";

const shown = (text) => cut(text).words.map(({ start, end }) => text.slice(start, end));

test("words are what people call words, with apostrophes and numbers whole and punctuation left out", () => {
  assert.deepEqual(shown("Everyone's grades fell by 3,000 points (really)."), ["Everyone's", "grades", "fell", "by", "3,000", "points", "really"]);
});

test("Japanese and Chinese have words although no space stands between them", () => {
  assert.deepEqual(shown("図書館は開いている。"), ["図書館", "は", "開", "い", "て", "いる"]);
  assert.ok(shown("图书馆应该整夜开放").length > 3);
});

test("an emoji can be chosen, with its joiners as one", () => {
  assert.deepEqual(shown("happy 👩‍👩‍👧 families 🎉!"), ["happy", "👩‍👩‍👧", "families", "🎉"]);
});

test("in a text of marks alone each run of marks can be chosen; in an empty one nothing breaks", () => {
  assert.deepEqual(cut("… —!").words, [{ start: 0, end: 1 }, { start: 2, end: 4 }]);
  assert.deepEqual(cut(" \n"), { words: [], sentences: [] });
  assert.equal(wordAt([], 3), -1);
});

test("sentences begin at their first word", () => {
  const text = "One two. Three four! “Five” six?\nSeven";
  const pieces = cut(text);
  assert.deepEqual(pieces.sentences.map((word) => text.slice(pieces.words[word].start, pieces.words[word].end)), ["One", "Three", "Five", "Seven"]);
});

test("a step by sentence goes to the next beginning, and back to this one's before the one before", () => {
  const pieces = cut("One two. Three four. Five six.");
  assert.equal(sentenceStep(pieces, 0, 1), 2);
  assert.equal(sentenceStep(pieces, 3, -1), 2);
  assert.equal(sentenceStep(pieces, 2, -1), 0);
  assert.equal(sentenceStep(pieces, 5, 1), 5);
  assert.equal(sentenceStep(pieces, 0, -1), 0);
});

test("extending by sentence ends at its last word, and then at the next one's", () => {
  const pieces = cut("One two. Three four. Five six.");
  assert.equal(sentenceEnd(pieces, 0), 1);
  assert.equal(sentenceEnd(pieces, 1), 3);
  assert.equal(sentenceEnd(pieces, 5), 5);
});

test("a point belongs to the word it is in, else to the nearest", () => {
  const { words } = cut("one  two");
  assert.deepEqual([0, 2, 3, 4, 5, 7, 8].map((offset) => wordAt(words, offset)), [0, 0, 0, 1, 1, 1, 1]);
});

test("a letter with accents and an emoji with joiners are one step each", () => {
  const text = "e\u0301👩‍👩‍👧x";
  const family = "👩‍👩‍👧".length;
  assert.equal(letterStep(text, 0, 1), 2);
  assert.equal(letterStep(text, 2, 1), 2 + family);
  assert.equal(letterStep(text, 2 + family, -1), 2);
  assert.equal(letterStep(text, 0, -1), 0);
  assert.equal(letterStep(text, text.length, 1), text.length);
});

test("direction is that of the first letter, and a text that has both says so", () => {
  assert.deepEqual(direction("12: المكتبة"), { rtl: true, mixed: false });
  assert.deepEqual(direction("المكتبة in Cambridge"), { rtl: true, mixed: true });
  assert.deepEqual(direction("the word שלום"), { rtl: false, mixed: true });
  assert.deepEqual(direction("only Latin"), { rtl: false, mixed: false });
});
