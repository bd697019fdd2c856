import assert from "node:assert/strict";
import { test } from "node:test";
import { NOTHING, dragged, fromRange, goTo, jump, moveLetter, moveSentence, moveWord, pick, selectedRange, sentenceAround } from "../../frontend/static/frontend/js/workspace/text/selection.js";
import { cut } from "../../frontend/static/frontend/js/workspace/text/segmentation.js";

const TEXT = "One two three. Four five six. Seven.";
const pieces = cut(TEXT);
const textOf = (selection) => {
  const range = selectedRange(selection, pieces);
  return range && TEXT.slice(range.start, range.end);
};

test("from nothing the first step forward takes the first word and a step back the last", () => {
  assert.equal(textOf(NOTHING), null);
  assert.equal(textOf(moveWord(NOTHING, pieces, 1, false)), "One");
  assert.equal(textOf(moveWord(NOTHING, pieces, -1, false)), "Seven");
  assert.equal(textOf(moveWord(NOTHING, pieces, 1, true)), "One");
});

test("a step without Shift takes one word, with Shift it extends over punctuation", () => {
  let selection = moveWord(NOTHING, pieces, 1, false);
  selection = moveWord(selection, pieces, 1, false);
  assert.equal(textOf(selection), "two");
  selection = moveWord(selection, pieces, 1, true);
  selection = moveWord(selection, pieces, 1, true);
  assert.equal(textOf(selection), "two three. Four");
  assert.equal(textOf(moveWord(selection, pieces, -1, true)), "two three");
});

test("a selection can be extended backwards through its beginning", () => {
  let selection = goTo(NOTHING, 2, false);
  selection = moveWord(selection, pieces, -1, true);
  assert.equal(textOf(selection), "two three");
  assert.equal(textOf(moveWord(moveWord(selection, pieces, 1, true), pieces, 1, true)), "three. Four");
});

test("steps stop at the ends of the text", () => {
  const last = goTo(NOTHING, 6, false);
  assert.equal(textOf(moveWord(last, pieces, 1, false)), "Seven");
  assert.equal(textOf(moveWord(goTo(NOTHING, 0, false), pieces, -1, false)), "One");
});

test("sentence steps land on first words, and with Shift cover whole sentences", () => {
  const first = moveSentence(NOTHING, pieces, 1, false);
  assert.equal(textOf(first), "One");
  assert.equal(textOf(moveSentence(first, pieces, 1, false)), "Four");
  assert.equal(textOf(moveSentence(first, pieces, 1, true)), "One two three");
  assert.equal(textOf(moveSentence(goTo(NOTHING, 5, false), pieces, -1, true)), "Four five six");
});

test("a letter moves one edge and never past the other; a word step afterwards goes by words again", () => {
  const two = goTo(NOTHING, 1, false);
  assert.equal(textOf(moveLetter(two, pieces, TEXT, "end", 1)), "two ");
  assert.equal(textOf(moveLetter(two, pieces, TEXT, "end", -1)), "tw");
  assert.equal(textOf(moveLetter(two, pieces, TEXT, "start", 1)), "wo");
  let narrow = two;
  for (let times = 0; times < 9; times += 1) narrow = moveLetter(narrow, pieces, TEXT, "end", -1);
  assert.equal(textOf(narrow), "t");
  assert.equal(textOf(moveWord(narrow, pieces, 1, false)), "three");
  assert.equal(moveLetter(NOTHING, pieces, TEXT, "end", 1), NOTHING);
});

test("a first click takes a word, a second extends to it either way, a third starts anew", () => {
  const first = pick(NOTHING, 4);
  assert.equal(textOf(first), "five");
  const second = pick(first, 2);
  assert.equal(textOf(second), "three. Four five");
  assert.equal(textOf(pick(second, 0)), "One");
  assert.equal(textOf(pick(second, 0, true)), textOf(pick(first, 0)));
});

test("a drag snaps to the words it touches in either direction; exact it keeps its letters", () => {
  const from = TEXT.indexOf("wo");
  const to = TEXT.indexOf("ree");
  assert.equal(textOf(dragged(pieces, from, to, false)), "two three");
  assert.equal(textOf(dragged(pieces, to, from, false)), "two three");
  assert.equal(dragged(pieces, to, from, false).focus, 1);
  assert.equal(textOf(dragged(pieces, from, to, true)), "wo th");
  assert.equal(dragged(pieces, from, from, true), NOTHING);
});

test("a stored span is chosen again exactly, on words or not", () => {
  const onWords = fromRange(pieces, { start: 4, end: 13 });
  assert.equal(textOf(onWords), "two three");
  assert.equal(onWords.exact, null);
  assert.equal(textOf(fromRange(pieces, { start: 5, end: 12 })), "wo thre");
});

test("a letter goes to the next word that begins with it, round the end; with Shift it extends and never turns round", () => {
  let selection = jump(NOTHING, pieces, TEXT, "t", false);
  assert.equal(textOf(selection), "two");
  assert.equal(textOf(jump(selection, pieces, TEXT, "t", false)), "three");
  selection = jump(selection, pieces, TEXT, "s", true);
  assert.equal(textOf(selection), "two three. Four five six");
  assert.equal(textOf(jump(selection, pieces, TEXT, "o", false)), "One");
  assert.equal(jump(selection, pieces, TEXT, "o", true), null);
  assert.equal(jump(selection, pieces, TEXT, "x", false), null);
});

test("a plain letter finds words with any accent, one with an accent only its own, in every script", () => {
  const text = "Élan été emu über Ärger слово Ящик אחת 2019";
  const words = cut(text);
  const found = (letter, from = NOTHING) => {
    const range = selectedRange(jump(from, words, text, letter, false) ?? NOTHING, words);
    return range && text.slice(range.start, range.end);
  };
  assert.equal(found("e"), "Élan");
  assert.equal(found("e", jump(jump(NOTHING, words, text, "e", false), words, text, "e", false)), "emu");
  assert.equal(found("é", goTo(NOTHING, 0, false)), "été");
  assert.equal(found("ü"), "über");
  assert.equal(found("a"), "Ärger");
  assert.equal(found("я"), "Ящик");
  assert.equal(found("א"), "אחת");
  assert.equal(found("2"), "2019");
});

test("an exact drag leaves the blanks at its ends out, and blanks alone choose nothing", () => {
  const exact = (from, to) => textOf(dragged(pieces, from, to, true, TEXT));
  assert.equal(exact(3, 8), "two");
  assert.equal(exact(7, 8), null);
  assert.equal(exact(8, 10), "th");
});

test("a triple click takes the sentence around a word", () => {
  assert.equal(textOf(sentenceAround(pieces, 4)), "Four five six");
  assert.equal(textOf(sentenceAround(pieces, 6)), "Seven");
});
