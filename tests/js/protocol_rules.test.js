import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { brokenRules, isBlank, storable } from "../../frontend/static/frontend/js/workspace/protocol_rules.js";

/** The tables of annotation/protocols, as the API sends them; tests/annotation keeps this file equal to them. */
const { focus, cqs_gen: cqsGen } = JSON.parse(readFileSync(new URL("../reference/answer_rules.json", import.meta.url), "utf8"));

const type = (answer, span = true) =>
  Object.keys(brokenRules(focus, { applicable: null, cannot_judge: false, start: null, end: null, quote: null, comment: "", unsure: false, ...answer }, { span }));
const question = (answer, edits = false) =>
  Object.keys(brokenRules(cqsGen, { label: null, cannot_judge: false, reason: "", comment: "", edited_question: "", unsure: false, ...answer }, { reason_edits: edits }));

test("yes needs exactly a span, no and cannot judge need none", () => {
  assert.deepEqual(type({ applicable: true, start: 0, end: 3, quote: "The" }), []);
  assert.deepEqual(type({ applicable: true }), ["start", "end", "quote"]);
  assert.deepEqual(type({ applicable: false }), []);
  assert.deepEqual(type({ applicable: false, start: 0, end: 3, quote: "The" }), ["start", "end", "quote"]);
  assert.deepEqual(type({}), ["applicable"]);
  assert.deepEqual(type({ cannot_judge: true, comment: "broken" }), []);
  assert.deepEqual(type({ cannot_judge: true }), ["comment"]);
  assert.deepEqual(type({ cannot_judge: true, applicable: false, comment: "broken" }), ["applicable"]);
});

test("a type without a span takes yes alone and refuses one", () => {
  assert.deepEqual(type({ applicable: true }, false), []);
  assert.deepEqual(type({ applicable: true, start: 0, end: 3, quote: "The" }, false), ["start", "end", "quote"]);
});

test("unhelpful needs a comment that is not blank, invalid exactly one reason, useful neither", () => {
  assert.deepEqual(question({ label: "USE" }), []);
  assert.deepEqual(question({ label: "USE", reason: "BR" }), ["reason"]);
  assert.deepEqual(question({ label: "UN", comment: "well known" }), []);
  assert.deepEqual(question({ label: "UN", comment: " \u00a0\u200b\n" }), ["comment"]);
  assert.deepEqual(question({ label: "IN" }), ["reason"]);
  assert.deepEqual(question({ label: "IN", reason: "BR" }), []);
  assert.deepEqual(question({}), ["label"]);
});

test("an edited question goes with a reason that allows one, and is not blank", () => {
  assert.deepEqual(question({ label: "IN", reason: "NC", edited_question: "What of shops?" }, true), []);
  assert.deepEqual(question({ label: "IN", reason: "NC" }, true), []);
  assert.deepEqual(question({ label: "IN", reason: "NC", edited_question: "  " }, true), ["edited_question"]);
  assert.deepEqual(question({ label: "IN", reason: "BR", edited_question: "What of shops?" }), ["edited_question"]);
  assert.deepEqual(question({ label: "USE", edited_question: "What of shops?" }), ["edited_question"]);
});

test("blank is what the server calls blank, also without width", () => {
  assert.equal(isBlank("\u3000\ufeff\t", focus.blank_characters), true);
  assert.equal(isBlank(" a ", focus.blank_characters), false);
  assert.equal(isBlank("", focus.blank_characters), true);
});

test("what no database stores is left out of a comment, whole emoji stay", () => {
  assert.equal(storable("a\u0000b\ud83c c 🎉 \udf89"), "ab c 🎉 ");
});

test("a comment and an edited question have a limit in characters, of which an emoji is one", () => {
  assert.deepEqual(type({ applicable: false, comment: "🎉".repeat(10_000) }), []);
  assert.deepEqual(brokenRules(cqsGen, { label: "IN", reason: "NC", comment: "x".repeat(10_001), edited_question: "y".repeat(5_001) }, { reason_edits: true }), {
    comment: "10001 characters, at most 10000 are kept.",
    edited_question: "5001 characters, at most 5000 are kept.",
  });
});
