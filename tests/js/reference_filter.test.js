import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting } from "../../frontend/static/frontend/js/workspace/questions/reference_filter.js";

const references = [{ text: "Who pays for the café?" }, { text: "Who pays for the road?" }, { text: "Why now?" }];

test("each typed word must occur, whatever its case and accents", () => {
  assert.deepEqual(fitting(references, "CAFE who"), [references[0]]);
  assert.deepEqual(fitting(references, "pay"), references.slice(0, 2));
  assert.deepEqual(fitting(references, "pays now"), []);
});

test("nothing typed leaves all, in their order", () => {
  assert.deepEqual(fitting(references, "  "), references);
});
