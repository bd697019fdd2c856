import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeMoved, firstSpan } from "../../frontend/static/frontend/js/lib/span_move.js";

const WORDS = [
  { start: 0, end: 3 },
  { start: 4, end: 9 },
  { start: 10, end: 14 },
];

test("an edge moves to the next word's edge in its direction", () => {
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 9 }, "end", 1), { start: 4, end: 14 });
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 9 }, "start", -1), { start: 0, end: 9 });
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 14 }, "end", -1), { start: 4, end: 9 });
});

test("an edge inside a word snaps to a word's edge", () => {
  assert.deepEqual(edgeMoved(WORDS, { start: 5, end: 9 }, "start", -1), { start: 4, end: 9 });
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 7 }, "end", 1), { start: 4, end: 9 });
});

test("a span never becomes empty nor leaves the text", () => {
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 9 }, "start", 1), { start: 4, end: 9 });
  assert.deepEqual(edgeMoved(WORDS, { start: 4, end: 9 }, "end", -1), { start: 4, end: 9 });
  assert.deepEqual(edgeMoved(WORDS, { start: 0, end: 14 }, "end", 1), { start: 0, end: 14 });
});

test("a side tells its first span in code points", () => {
  assert.deepEqual(firstSpan("yes:10-31,40-52"), { start: 10, end: 31 });
  assert.equal(firstSpan("no"), null);
  assert.equal(firstSpan("yes"), null);
});
