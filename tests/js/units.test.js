import assert from "node:assert/strict";
import { test } from "node:test";
import { Units, isDecided, isSameQuestion, resultOf } from "../../frontend/static/frontend/js/workspace/units.js";

const TYPES = [{ code: "LE" }, { code: "WE" }];
const no = { applicable: false, cannot_judge: false, revision: 1, updated_at: "2020-01-01T10:00:00Z" };
const yes = { ...no, applicable: true, quote: "x", updated_at: "2020-01-02T10:00:00Z" };
const undone = { ...no, applicable: null, revision: 2 };
const text = (position, types = {}) => ({ assignment: 100 + position, position, item: { id: `I-${position}`, text: `Text ${position}`, topic: "" }, types });
const units = (order, more = {}) => new Units({ types: TYPES, order, itemsTotal: 3, unitsTotal: 6, unitsDecided: 0, ...more });
const keys = (all) => Array.from({ length: all.length }, (_, place) => all.at(place)?.key ?? null);

test("by argument all types of a text come before the next text", () => {
  const all = units("by_argument");
  all.add({ results: [text(1), text(2)], next: 2 });
  assert.deepEqual(keys(all), ["101:LE", "101:WE", "102:LE", "102:WE", null, null]);
});

test("by type one type goes through all texts, and texts not there yet keep their places", () => {
  const all = units("by_type");
  all.add({ results: [text(1), text(2)], next: 2 });
  assert.deepEqual(keys(all), ["101:LE", "102:LE", null, "101:WE", "102:WE", null]);
  all.add({ results: [text(3)], next: null });
  assert.deepEqual(keys(all), ["101:LE", "102:LE", "103:LE", "101:WE", "102:WE", "103:WE"]);
  assert.equal(all.placeOf(all.byKey.get("102:WE")), 4);
});

test("the next open unit skips decided ones, wraps round, and waits for a page still to come", () => {
  const all = units("by_argument");
  all.add({ results: [text(1, { LE: no, WE: undone }), text(2, { LE: yes, WE: no })], next: 2 });
  assert.equal(all.nextOpen(0).key, "101:WE");
  assert.equal(all.nextOpen(2), "loading");
  all.add({ results: [text(3, { LE: no, WE: no })], next: null });
  assert.equal(all.nextOpen(2).key, "101:WE");
  all.byKey.get("101:WE").row = yes;
  assert.equal(all.nextOpen(0), null);
});

test("a page that comes twice changes nothing", () => {
  const all = units("by_argument");
  all.add({ results: [text(1), text(2)], next: 2 });
  all.byKey.get("101:LE").row = yes;
  all.add({ results: [text(1), text(2), text(3)], next: null });
  assert.deepEqual(all.items.map(({ id }) => id), ["I-1", "I-2", "I-3"]);
  assert.equal(all.byKey.get("101:LE").row, yes);
});

test("progress counts what the server knew, then what changed here, and is exact once all is there", () => {
  const all = units("by_argument", { unitsDecided: 3 });
  all.add({ results: [text(1, { LE: no })], next: 1 });
  assert.equal(all.decided, 3);
  all.byKey.get("101:WE").row = yes;
  assert.equal(all.decided, 4);
  all.byKey.get("101:LE").row = null;
  assert.equal(all.decided, 3);
  all.add({ results: [text(2, { LE: yes, WE: no }), text(3)], next: null });
  assert.equal(all.decided, 3);
});

test("texts taken away meanwhile leave no gap at the end", () => {
  const all = units("by_type");
  all.add({ results: [text(1), text(2)], next: null });
  assert.deepEqual(keys(all), ["101:LE", "102:LE", "101:WE", "102:WE"]);
});

test("none of the above holds when every type is no, and not before", () => {
  const all = units("by_argument");
  all.add({ results: [text(1, { LE: no })], next: null });
  const [item] = all.items;
  assert.equal(all.isNoneOfTheAbove(item), false);
  item.units[1].row = no;
  assert.equal(all.isNoneOfTheAbove(item), true);
  item.units[1].row = yes;
  assert.equal(all.isNoneOfTheAbove(item), false);
});

test("a row without an answer is undecided, cannot judge is a decision", () => {
  assert.deepEqual([null, undone, no, { cannot_judge: true }, { label: null }, { label: "UN" }].map(isDecided), [false, false, true, true, false, true]);
});

test("questions come in the order of their texts, each with its row", () => {
  const all = new Units({ types: [], order: "by_argument", itemsTotal: 1, unitsTotal: 2, unitsDecided: 1 });
  const questions = [{ id: 7, position: 1, text: "Why?", row: { label: "USE", revision: 1 } }, { id: 5, position: 2, text: "How?", row: null }];
  all.add({ results: [{ assignment: 9, position: 1, item: { id: "D", text: "t", topic: "" }, questions }], next: null });
  assert.deepEqual(keys(all), ["9:7", "9:5"]);
  assert.equal(all.nextOpen(0).question.text, "How?");
  assert.deepEqual(resultOf(all.items[0]).questions, questions);
});

test("what is kept for working offline comes back as the same units", () => {
  const all = units("by_argument");
  all.add({ results: [text(1, { LE: yes })], next: null });
  const again = units("by_argument");
  again.add({ results: [resultOf(all.items[0])], next: null });
  assert.deepEqual(again.byKey.get("101:LE").row, yes);
  assert.equal(again.byKey.get("101:WE").row, null);
});

test("my decisions for a type are the newest first, of that type alone", () => {
  const all = units("by_argument");
  all.add({ results: [text(1, { LE: no, WE: yes }), text(2, { LE: yes }), text(3)], next: null });
  assert.deepEqual(all.decisionsFor("LE").map(({ key }) => key), ["102:LE", "101:LE"]);
  assert.equal(all.lastDecided()?.row, yes);
});

test("a text that comes again asks the same, whichever place it has; another type, text or question does not", () => {
  const all = units("by_argument");
  const again = { ...text(3), item: text(1).item };
  all.add({ results: [text(1), text(2), again], next: null });
  const [first, other, second] = ["101:LE", "102:LE", "103:LE"].map((key) => all.byKey.get(key));
  assert.equal(isSameQuestion(first, second), true);
  assert.equal(isSameQuestion(second, other), false);
  assert.equal(isSameQuestion(second, all.byKey.get("101:WE")), false);
  assert.equal(isSameQuestion({ ...first, type: null, question: { id: 1 } }, { ...first, type: null, question: { id: 2 } }), false);
});

test("a text asks only the types it is asked for, in both orders", () => {
  const some = [{ ...text(1), asked: ["WE"] }, { ...text(2), asked: ["LE", "WE"] }, { ...text(3), asked: ["LE"] }];
  const argument = units("by_argument", { unitsTotal: 4 });
  argument.add({ results: some, next: null });
  const met = [];
  for (let unit = argument.nextOpen(0); unit; unit = argument.neighbour(argument.placeOf(unit), 1)) met.push(unit.key);
  assert.deepEqual(met, ["101:WE", "102:LE", "102:WE", "103:LE"]);
  const type = units("by_type", { unitsTotal: 4 });
  type.add({ results: some.slice(0, 2), next: 2 });
  assert.equal(type.length, 4);
  assert.equal(type.nextOpen(0).key, "102:LE");
  assert.equal(type.nextOpen(2), "loading");
  type.add({ results: some.slice(2), next: null });
  const walked = [];
  for (let unit = type.nextOpen(0); unit; unit = type.neighbour(type.placeOf(unit), 1)) walked.push(unit.key);
  assert.deepEqual(walked, ["102:LE", "103:LE", "101:WE", "102:WE"]);
  assert.equal(type.neighbour(type.placeOf(type.byKey.get("101:WE")), -1).key, "103:LE");
  assert.equal(type.neighbour(type.placeOf(type.byKey.get("102:LE")), -1), null);
  assert.deepEqual(resultOf(type.items[0]).asked, ["WE"]);
});

test("None of the Above is said only where all types of the codebook are asked", () => {
  const partly = { ...text(1, { WE: no }), asked: ["WE"] };
  const whole = text(2, { LE: no, WE: no });
  const all = units("by_argument");
  all.add({ results: [partly, whole], next: 2 });
  assert.deepEqual(all.items.map((item) => all.isNoneOfTheAbove(item)), [false, true]);
  const round = units("by_argument", { typesTotal: 10 });
  round.add({ results: [whole], next: 2 });
  assert.equal(round.isNoneOfTheAbove(round.items[0]), false);
});

test("Of a text that is asked some types only, no to all of these is None of the Above, offline too", () => {
  const asked = { ...text(1, { LE: no, WE: no }), asked: ["LE", "WE"], types_total: 2 };
  const handedOn = { ...text(2, { LE: no }), asked: ["LE"], types_total: 2 };
  const round = units("by_argument", { typesTotal: 10 });
  round.add({ results: [asked, handedOn], next: null });
  assert.deepEqual(round.items.map((item) => round.isNoneOfTheAbove(item)), [true, false]);
  const kept = units("by_argument", { typesTotal: 10 });
  kept.add({ results: round.items.map(resultOf), next: null });
  assert.deepEqual(kept.items.map((item) => kept.isNoneOfTheAbove(item)), [true, false]);
});

test("a text whose types change is counted with its new ones alone", () => {
  const all = units("by_argument");
  all.add({ results: [text(1, { LE: no, WE: no }), text(2), text(3)], next: null });
  assert.deepEqual([all.decided, all.length], [2, 6]);
  all.fill({ ...text(1, { WE: no }), asked: ["WE"] });
  assert.deepEqual([all.decided, all.length], [1, 5]);
  all.ask(all.items[0], [], []);
  assert.deepEqual([all.decided, all.length], [0, 4]);
  all.fill(text(1, { LE: no, WE: no }));
  assert.deepEqual([all.decided, all.length], [2, 6]);
});

test("undo after a reload takes back no decision of which only the mark is here", () => {
  const all = units("by_argument");
  all.outline([[101, 1, null, "n.", 1], [102, 2, null, "nn", 2], [103, 3, null, "..", 0]], 0);
  all.finish(3);
  assert.equal(all.lastDecided(), null);
  all.fill(text(2, { LE: yes, WE: no }));
  assert.equal(all.lastDecided().key, "102:LE");
});

test("a suggestion comes with its unit alone, and is kept for working offline", () => {
  const told = { id: 7, applicable: false, start: null, end: null, quote: "" };
  const result = { assignment: 1, position: 1, item: { id: "A", text: "Text", topic: "" }, asked: ["LE", "WE"], types: {}, suggestions: { LE: told } };
  const units = new Units({ types: [{ code: "LE" }, { code: "WE" }], order: "by_argument", itemsTotal: 1, unitsTotal: 2, unitsDecided: 0 });
  units.add({ results: [result], next: null });
  const [le, we] = units.flat;
  assert.deepEqual([le.suggestion, we.suggestion], [told, null]);
  assert.deepEqual(resultOf(le.item).suggestions, { LE: told });
  const asked = { assignment: 2, position: 1, item: { id: "B", text: "Text", topic: "" }, questions: [{ id: 5, position: 1, text: "Why?", row: null, suggestion: { id: 8, label: "UN" } }, { id: 6, position: 2, text: "Who?", row: null }] };
  const questions = new Units({ types: [], order: "by_argument", itemsTotal: 1, unitsTotal: 2, unitsDecided: 0 });
  questions.add({ results: [asked], next: null });
  const [first, second] = questions.flat;
  assert.deepEqual([first.suggestion, second.suggestion], [{ id: 8, label: "UN" }, null]);
  assert.deepEqual(resultOf(first.item).questions[0].suggestion, { id: 8, label: "UN" });
});
