import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Clock } from "../../frontend/static/frontend/js/workspace/clock.js";
import { Outbox } from "../../frontend/static/frontend/js/workspace/saving/outbox.js";
import { Session } from "../../frontend/static/frontend/js/workspace/session.js";
import { Units } from "../../frontend/static/frontend/js/workspace/units.js";

const rules = JSON.parse(readFileSync(new URL("../reference/answer_rules.json", import.meta.url), "utf8"));
const SPEC = { types: [{ code: "LE", span: true }, { code: "WE", span: true }], groups: [], labels: [], reasons: [], answer: rules.focus };
const no = { applicable: false, cannot_judge: false, start: null, end: null, quote: null, comment: "", unsure: false };
const yes = { ...no, applicable: true, start: 0, end: 4, quote: "Text" };

function opened(types = {}, left = []) {
  const units = new Units({ types: SPEC.types, order: "by_argument", itemsTotal: 1, unitsTotal: 2, unitsDecided: 0 });
  units.add({ results: [{ assignment: 1, position: 1, item: { id: "A", text: "Text here", topic: "" }, types }], next: null });
  const state = { now: 0, made: 0, shown: [], sent: [], drafts: [] };
  const outbox = new Outbox(left, () => "again");
  const sender = { outbox, decide: async (entry, seen) => { state.sent.push([entry.unit, entry.answer, seen, entry.activeSeconds]); outbox.add(entry, seen); } };
  const session = new Session({
    spec: SPEC, units, sender, clock: new Clock(0), drafts: {},
    now: () => state.now, today: () => new Date(1_700_000_000_000 + state.now), newId: () => `id-${(state.made += 1)}`,
    keepDrafts: (drafts) => state.drafts.push(JSON.stringify(drafts)),
    onShow: (unit) => state.shown.push(unit?.key ?? unit), onRow: () => {},
  });
  session.start();
  return { session, state, units, le: units.byKey.get("1:LE"), we: units.byKey.get("1:WE") };
}

test("a decision is sent against the revision seen, with its active seconds, and the next open unit is shown", () => {
  const { session, state, le } = opened({ LE: { ...no, applicable: null, revision: 2 } });
  state.now = 7000;
  assert.deepEqual(session.decide(le, yes), {});
  assert.deepEqual(state.sent, [["1:LE", yes, 2, 7]]);
  assert.deepEqual(state.shown, ["1:LE", "1:WE"]);
  assert.equal(le.row.quote, "Text");
});

test("an error while the page is drawn loses no decision", () => {
  const { session, state, le } = opened();
  session.onRow = () => { throw new Error("drawing"); };
  assert.throws(() => session.decide(le, yes), /drawing/);
  assert.deepEqual(state.sent, [["1:LE", yes, 0, 0]]);
});

test("a word why does not pass to another answer; a comment does, and one written for it", () => {
  const why = { ...no, applicable: null, cannot_judge: true, comment: "cut off", revision: 1 };
  const { session, le, we } = opened({ LE: why, WE: { ...no, comment: "who is meant?", revision: 1 } });
  assert.equal(session.commentFor(le, { applicable: true }), "");
  assert.equal(session.commentFor(le, { cannot_judge: true }), "cut off");
  assert.equal(session.commentFor(we, { applicable: true }), "who is meant?");
  session.setDraft(le, { comment: "now whole" });
  assert.equal(session.commentFor(le, { applicable: true }), "now whole");
  const un = { key: "q", row: { label: "UN", comment: "common sense" } };
  assert.deepEqual([session.commentFor(un, { label: "USE" }), session.commentFor(un, { label: "UN" })], ["", "common sense"]);
});

test("what was typed and not kept is a draft of its own, and no comment", () => {
  const { session, state, le } = opened();
  session.setTyped(le, "cannot", "half");
  assert.deepEqual([session.typed(le, "cannot"), session.typed(le, "comment"), session.draft(le).comment], ["half", undefined, ""]);
  session.setTyped(le, "cannot", null);
  assert.equal(session.typed(le, "cannot"), undefined);
  session.decide(le, no);
  assert.equal(state.sent[0][1].comment, "");
});

test("an answer that breaks a rule is neither sent nor shown as decided, and nobody moves on", () => {
  const { session, state, le } = opened();
  assert.deepEqual(Object.keys(session.decide(le, { ...yes, quote: null })), ["quote"]);
  assert.deepEqual(state.sent, []);
  assert.equal(le.row, null);
  assert.deepEqual(state.shown, ["1:LE"]);
});

test("undo goes back decision by decision, to what was said before or to undecided", () => {
  const { session, state, le, we } = opened({ WE: { ...no, revision: 1 } });
  session.decide(le, yes);
  session.decide(we, yes);
  assert.equal(session.undo(), we);
  assert.deepEqual(state.sent.at(-1).slice(0, 2), ["1:WE", no]);
  assert.equal(session.undo(), le);
  assert.deepEqual(state.sent.at(-1).slice(0, 2), ["1:LE", null]);
  assert.equal(le.row, null);
});

test("a decision taken back leaves its words for the next one", () => {
  const { session, le, we } = opened();
  session.decide(le, { ...yes, comment: "who is meant?", unsure: true });
  session.decide(we, { ...no, applicable: null, cannot_judge: true, comment: "cut off" });
  session.undo();
  assert.deepEqual([session.typed(we, "cannot"), session.commentFor(we, no)], ["cut off", ""]);
  session.undo();
  assert.deepEqual(session.draft(le), { comment: "who is meant?", unsure: true, span: { start: 0, end: 4 } });
});

test("after a reload undo takes back what waits first, also where the clock was set back meanwhile", () => {
  const entry = { id: "left", seq: 2_000_000_000_000_000, unit: "1:LE", target: { assignment: 1, type: "LE" }, answer: no, base: 0, activeSeconds: 0 };
  const { session, state, le } = opened({ WE: { ...no, revision: 1, updated_at: "2100-01-01" } }, [entry]);
  session.overlay();
  assert.equal(session.undo(), le);
  assert.equal(session.sender.outbox.latest("1:LE").answer, null);
  assert.ok(session.sender.outbox.latest("1:LE").seq > entry.seq);
  assert.deepEqual(new Outbox(session.sender.outbox.entries, () => "").latest("1:LE").id, "id-1");
  assert.deepEqual(state.shown.at(-1), "1:LE");
});

test("after a reload undo takes back what was decided last", () => {
  const { session, we } = opened({ LE: { ...no, revision: 1, updated_at: "2020-01-01" }, WE: { ...no, revision: 1, updated_at: "2020-01-02" } });
  assert.equal(session.undo(), we);
  assert.equal(we.row, null);
});

test("nothing decided: nothing to take back", () => {
  const { session, state } = opened();
  assert.equal(session.undo(), null);
  assert.deepEqual(state.sent, []);
});

test("an acknowledgement sets the row, unless a later decision is on its way: that one stays on the screen", () => {
  const { session, le } = opened();
  session.decide(le, yes);
  session.decide(le, no);
  const [first, second] = session.sender.outbox.entries;
  session.sender.outbox.drop(first);
  session.replied(first, { kind: "stored", row: { ...yes, revision: 1 }, replayed: false });
  assert.equal(le.row.applicable, false);
  session.sender.outbox.drop(second);
  session.replied(second, { kind: "stored", row: { ...no, revision: 2 }, replayed: false });
  assert.deepEqual([le.row.applicable, le.revision], [false, 2]);
});

test("what the server refused is shown as undecided again, with what was said as its draft", () => {
  const { session, le } = opened();
  session.decide(le, { ...yes, comment: "see there" });
  const [entry] = session.sender.outbox.entries;
  session.sender.outbox.drop(entry);
  session.replied(entry, { kind: "invalid", message: "", errors: {} });
  assert.equal(le.row, null);
  assert.equal(session.draft(le).comment, "see there");
});

test("a draft is kept at once and dropped by the decision", () => {
  const { session, state, le } = opened();
  session.setDraft(le, { comment: "half" });
  session.setDraft(le, { unsure: true });
  assert.deepEqual(session.draft(le), { comment: "half", unsure: true });
  session.decide(le, no);
  assert.deepEqual(state.drafts, ['{"1:LE":{"comment":"half"}}', '{"1:LE":{"comment":"half","unsure":true}}', "{}"]);
});

test("a label that was begun is incomplete until it is the stored one", () => {
  const { session, le } = opened();
  assert.equal(session.isIncomplete(le), false);
  session.setDraft(le, { label: "UN" });
  assert.equal(session.isIncomplete(le), true);
  le.row = { label: "UN", revision: 1 };
  assert.equal(session.isIncomplete(le), false);
});

test("decisions that an earlier page left waiting lie over the server's rows", () => {
  const { session, le } = opened({ LE: { ...no, revision: 1 } });
  session.sender.outbox.add({ id: "x", seq: 1_700_000_000_000_000, unit: "1:LE", target: {}, answer: yes, activeSeconds: 0 }, 1);
  session.overlay();
  assert.equal(le.row.applicable, true);
});

test("when all is decided the round is done", () => {
  const { session, state, le, we } = opened();
  session.decide(le, no);
  session.decide(we, no);
  assert.equal(state.shown.at(-1), null);
});

test("what another window decided or stored is shown, unless something of one's own is on its way", () => {
  const { session, state, le, we } = opened();
  session.heard("1:LE", yes);
  assert.deepEqual([le.row.quote, le.revision, state.sent], ["Text", 0, []]);
  session.learn("1:LE", { ...yes, revision: 1 });
  assert.equal(le.revision, 1);
  session.learn("1:LE", { ...no, revision: 0 });
  assert.equal(le.row.applicable, true);
  session.decide(we, no);
  session.heard("1:WE", yes);
  session.learn("1:WE", { ...yes, revision: 3 });
  assert.deepEqual([we.row.applicable, we.revision], [false, 0]);
});

test("a closed round takes no decision and nothing back, and says why", () => {
  const { session, state, le } = opened({ LE: { ...no, revision: 1 } });
  session.closed = "Round 1 is closed.";
  assert.deepEqual(session.decide(le, yes), { answer: "Round 1 is closed." });
  assert.equal(session.undo(), null);
  assert.deepEqual([session.refusal(null), state.sent], ["Round 1 is closed.", []]);
});

test("a suggestion goes with each decision of its unit, taken only where the answer is the suggestion's by its key", () => {
  const { session, state, le, we } = opened();
  const sent = [];
  session.sender.decide = async (entry, seen) => { sent.push(entry.suggestion ?? null); session.sender.outbox.add(entry, seen); };
  le.suggestion = { id: 7, applicable: true, start: 0, end: 4, quote: "Text" };
  session.decide(we, no);
  session.decide(le, yes);
  session.setTaken(le, true);
  assert.equal(JSON.parse(state.drafts.at(-1))["1:LE"].taken, true);
  session.decide(le, { ...yes, end: 9, quote: "Text here" });
  assert.equal(le.row.suggestion_taken, true);
  session.decide(le, { ...yes, unsure: true });
  session.setTaken(le, true);
  session.decide(le, no);
  session.undo();
  assert.deepEqual(sent, [null, { id: 7, taken: false }, { id: 7, taken: true }, { id: 7, taken: true }, { id: 7, taken: false }, { id: 7, taken: true }]);
  assert.equal("suggestion_taken" in session.sender.outbox.entries.at(-1).answer, false);
});

test("what was taken and given up again is not taken", () => {
  const { session, le } = opened();
  le.suggestion = { id: 7, applicable: true };
  session.setTaken(le, true);
  session.setTaken(le, false);
  assert.equal(session.isTaken(le, yes), false);
});
