/** How many keys a round costs: fifteen units of the sample texts, five of them "yes" with the spans that its annotator Ada chose. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { actOf } from "../../frontend/static/frontend/js/workspace/keys.js";
import { shownRange } from "../../frontend/static/frontend/js/lib/offsets.js";
import { NOTHING, selectedRange } from "../../frontend/static/frontend/js/workspace/text/selection.js";
import { moved } from "../../frontend/static/frontend/js/workspace/focus/span_keys.js";
import { cutOf } from "../../frontend/static/frontend/js/workspace/text/segmentation.js";

const sample = (name) => readFileSync(new URL(`../../annotation/sample/${name}`, import.meta.url), "utf-8").trim().split("\n");
const texts = new Map(sample("arguments.jsonl").map((line) => JSON.parse(line)).map(({ id, text }) => [id, { text }]));
// The columns up to the offsets have no quotation marks.
const ada = sample("focus_judgements.csv").map((line) => line.split(",")).filter(([, , who]) => who === "Ada");
const yes = ada.filter(([, , , applicable, start]) => applicable === "yes" && start).slice(0, 5);
const units = [...yes, ...ada.filter(([, , , applicable]) => applicable === "no").slice(0, 10)];

const press = (key, shiftKey = false) => ({ key, code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : "", shiftKey });
const view = { lineEdge: () => 0, wordBeside: () => 0, linesInSight: () => 1 };

/** The range that keys choose, by the very modules of the page. */
function chosen(item, keys) {
  let selection = NOTHING;
  for (const key of keys) selection = moved(actOf(key, "span", { latin: true }), selection, cutOf(item), item.text, view) ?? selection;
  return selectedRange(selection, cutOf(item));
}

const same = (one, other) => one?.start === other.start && one?.end === other.end;

/** What a person does: the first letter of the first word until it is there, then Shift and that of the last, whatever is nearer. */
function byLetters(item, wanted) {
  const { words } = cutOf(item);
  const first = words.findIndex(({ start }) => start === wanted.start);
  const last = words.findIndex(({ end }) => end === wanted.end);
  const letterOf = (word) => item.text[words[word].start].toLowerCase();
  const keys = [];
  const until = (key, end) => {
    while (chosen(item, keys)?.[end] !== words[end === "start" ? first : last][end]) {
      keys.push(key);
      assert.ok(keys.length < 60, item.text);
    }
  };
  until(press(letterOf(first)), "start");
  const jumps = words.slice(first + 1, last + 1).filter((_, index) => letterOf(first + 1 + index) === letterOf(last)).length;
  if (first !== last) until(jumps < last - first ? press(letterOf(last), true) : press("ArrowRight", true), "end");
  return keys;
}

/** The fewest keys by words and sentences, as it was before letters jumped; lines would need a screen. */
function byArrows(item, wanted) {
  const all = ["ArrowRight", "ArrowLeft"].flatMap((key) => [press(key), press(key, true), { ...press(key), ctrlKey: true }, { ...press(key, true), ctrlKey: true }]);
  const seen = new Set();
  let states = [NOTHING];
  for (let keys = 0; ; keys += 1) {
    if (states.some((state) => same(selectedRange(state, cutOf(item)), wanted))) return keys;
    states = states.flatMap((state) => all.map((key) => moved(actOf(key, "span"), state, cutOf(item), item.text, view))).filter((state) => {
      const name = `${state.anchor} ${state.focus}`;
      return !seen.has(name) && seen.add(name);
    });
    assert.ok(states.length, "no keys lead there");
  }
}

test("fifteen units with five spans take at most 45 keys", (t) => {
  assert.equal(units.length, 15);
  let after = 0;
  let before = 0;
  for (const [id, , , , start, end] of yes) {
    const item = texts.get(id);
    const wanted = shownRange(item.text, { start: Number(start), end: Number(end) });
    const keys = byLetters(item, wanted);
    assert.ok(same(chosen(item, keys), wanted), `${id}: ${item.text.slice(wanted.start, wanted.end)}`);
    t.diagnostic(`${item.text.slice(wanted.start, wanted.end)}: ${keys.length} keys, ${byArrows(item, wanted)} by arrows alone`);
    after += keys.length + 2;
    before += byArrows(item, wanted) + 2;
  }
  t.diagnostic(`${after + 10} keys for all fifteen, ${before + 10} by arrows alone`);
  assert.ok(after + 10 <= 45, `${after + 10} keys`);
});
