import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { filledParts } from "../../frontend/static/frontend/js/workspace/focus/exemplar.js";

const { cases } = JSON.parse(readFileSync(new URL("../reference/question_joints.json", import.meta.url), "utf8"));

test("the live question is, word for word, the one that a release prints", () => {
  assert.ok(cases.length > 60);
  for (const [exemplar, quote, expected] of cases) {
    const { before, span, after } = filledParts(exemplar, quote);
    assert.equal(before + span + after, expected, JSON.stringify([exemplar, quote]));
  }
});

test("the page gets the span apart from the exemplar, to set it off", () => {
  assert.deepEqual(filledParts("Why is _____ so?", "The sea."), { before: "Why is ", span: "the sea", after: " so?" });
});
