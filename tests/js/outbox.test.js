import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox, backoff } from "../../frontend/static/frontend/js/workspace/saving/outbox.js";

const NO = { message: "", errors: {} };
let seq = 0;
const entry = (id, unit, answer = { applicable: false }) => ({ id, seq: (seq += 1), unit, target: { assignment: 1, type: unit }, answer, activeSeconds: 1 });
const box = (entries = []) => {
  let made = 0;
  return new Outbox(entries, () => `new-${(made += 1)}`);
};
const stored = (revision, replayed = false, more = {}) => ({ kind: "stored", replayed, row: { revision, ...more } });
const ids = (entries) => entries.map(({ id }) => id);

test("one decision is under way at a time, in the order in which they were made", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  outbox.add(entry("a2", "a"), 0);
  outbox.add(entry("b1", "b"), 0);
  const order = [outbox.take(0)];
  assert.equal(outbox.take(0), null);
  outbox.settle(first, stored(1), 0, 0);
  for (let next = outbox.take(0); next; next = outbox.take(0)) {
    order.push(next);
    outbox.settle(next, stored(2), 0, 0);
  }
  assert.deepEqual(ids(order), ["a1", "a2", "b1"]);
});

test("each later decision of a unit is sent against the revision of the acknowledgement before it", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 4);
  const second = outbox.add(entry("a2", "a"), 4);
  assert.equal(first.base, 4);
  assert.equal(second.base, null);
  outbox.take(0);
  assert.deepEqual(outbox.settle(first, stored(5), 0, 0), { remove: ["a1"], keep: [second] });
  assert.equal(second.base, 5);
  assert.equal(outbox.take(0).id, "a2");
});

test("after a replay the next decision is not sent against what somebody else wrote meanwhile", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  const second = outbox.add(entry("a2", "a"), 0);
  outbox.take(0);
  outbox.settle(first, stored(3, true), 0, 0);
  assert.equal(second.base, 1);
});

test("without a network everything stays, and is tried again later and later", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  outbox.add(entry("b1", "b"), 0);
  outbox.take(0);
  outbox.settle(first, { kind: "network" }, 1000, 1);
  assert.equal(outbox.waiting, 2);
  assert.equal(outbox.pause, "network");
  assert.equal(outbox.take(1999), null);
  assert.equal(outbox.take(2000).id, "a1");
  assert.deepEqual([1, 2, 3, 6, 20].map((attempts) => backoff(attempts, 1)), [1000, 2000, 4000, 30000, 30000]);
  assert.equal(backoff(3, 0), 2000);
});

test("while the round is paused everything stays, and is tried again by itself until it goes on", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  outbox.add(entry("b1", "b"), 0);
  outbox.take(0);
  assert.deepEqual(outbox.settle(first, { kind: "paused" }, 1000, 1), { remove: [], keep: [] });
  assert.deepEqual([outbox.pause, outbox.waiting, outbox.refused], ["paused", 2, []]);
  assert.equal(outbox.take(1999), null);
  assert.equal(outbox.take(2000), first);
  outbox.settle(first, stored(1), 2000, 1);
  assert.equal(outbox.pause, null);
  assert.equal(outbox.take(2000).id, "b1");
});

test("coming back to the page asks at once whether a paused round goes on, and believes only the server", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  outbox.take(0);
  outbox.settle(first, { kind: "paused" }, 0, 1);
  outbox.resume();
  assert.equal(outbox.pause, "paused");
  assert.equal(outbox.take(0), first);
});

test("an ended session stops everything until someone logs in", () => {
  const outbox = box();
  const first = outbox.add(entry("a1", "a"), 0);
  outbox.take(0);
  outbox.settle(first, { kind: "session" }, 0, 0);
  assert.equal(outbox.take(1e9), null);
  outbox.resume();
  assert.equal(outbox.take(1e9).id, "a1");
});

test("a stale revision stops its unit alone, and keeping mine sends it against the stored revision", () => {
  const outbox = box();
  const mine = outbox.add(entry("a1", "a", { applicable: true, quote: "x" }), 1);
  outbox.add(entry("b1", "b"), 0);
  outbox.take(0);
  outbox.settle(mine, { kind: "stale", row: { revision: 7, applicable: false } }, 0, 0);
  assert.equal(outbox.conflicts.get("a").stored.revision, 7);
  const other = outbox.take(0);
  assert.equal(other.id, "b1");
  outbox.settle(other, stored(1), 0, 0);
  assert.equal(outbox.take(0), null);
  const { remove, keep } = outbox.pick("a", "mine");
  assert.deepEqual(remove, ["a1"]);
  assert.deepEqual(keep.map(({ id, base, answer }) => [id, base, answer.quote]), [["new-1", 7, "x"]]);
  assert.equal(outbox.take(0).id, "new-1");
});

test("keeping mine keeps the last of what was decided here, keeping the stored one drops all of it", () => {
  for (const pick of ["mine", "stored"]) {
    const outbox = box();
    const first = outbox.add(entry("a1", "a", { applicable: true }), 1);
    outbox.add(entry("a2", "a", { applicable: false, comment: "last" }), 1);
    outbox.take(0);
    outbox.settle(first, { kind: "stale", row: { revision: 2, applicable: null, cannot_judge: true } }, 0, 0);
    const { remove, keep } = outbox.pick("a", pick);
    assert.deepEqual(remove, ["a1", "a2"]);
    assert.deepEqual(keep.map(({ answer }) => answer.comment), pick === "mine" ? ["last"] : []);
    assert.equal(outbox.waiting, pick === "mine" ? 1 : 0);
  }
});

test("two devices that said the same are no conflict", () => {
  const outbox = box();
  const mine = outbox.add(entry("a1", "a", { applicable: false, cannot_judge: false, comment: "", start: null }), 0);
  outbox.take(0);
  const result = outbox.settle(mine, { kind: "stale", row: { revision: 1, applicable: false, cannot_judge: false, comment: "", start: null, active_seconds: 9 } }, 0, 0);
  assert.deepEqual(result, { remove: ["a1"], keep: [] });
  assert.equal(outbox.conflicts.size, 0);
});

test("what breaks a rule is put aside with its messages, and the unit's later decision goes on", () => {
  const outbox = box();
  const wrong = outbox.add(entry("a1", "a"), 2);
  const later = outbox.add(entry("a2", "a"), 2);
  outbox.take(0);
  outbox.settle(wrong, { kind: "invalid", message: "broken", errors: { quote: "no" } }, 0, 0);
  assert.deepEqual(outbox.refused.map(({ entry: { id }, errors }) => [id, errors.quote]), [["a1", "no"]]);
  assert.equal(later.base, 2);
  assert.equal(outbox.take(0).id, "a2");
  assert.deepEqual(outbox.settle(later, stored(3), 0, 0), { remove: ["a2", "a1"], keep: [] });
  assert.deepEqual(outbox.refused, []);
});

test("a closed round stops everything and loses nothing: reopened, all of it goes in its order", () => {
  const outbox = box();
  for (const unit of "abcd") outbox.add(entry(unit, unit), 0);
  assert.deepEqual(outbox.settle(outbox.take(0), { kind: "closed", ...NO }, 0, 0).remove, []);
  assert.equal(outbox.pause, "closed");
  assert.equal(outbox.take(1e9), null);
  assert.equal(outbox.refused.length + outbox.waiting, 4);
  outbox.resume();
  assert.deepEqual(ids(outbox.entries), ["a", "b", "c", "d"]);
  assert.deepEqual(outbox.refused, []);
});

test("an id that stands for another decision is exchanged, the decision stays", () => {
  const outbox = box();
  const mine = outbox.add(entry("a1", "a"), 0);
  outbox.take(0);
  const { remove, keep } = outbox.settle(mine, { kind: "reused" }, 0, 0);
  assert.deepEqual([remove, ids(keep)], [["a1"], ["new-1"]]);
  assert.equal(outbox.take(0).id, "new-1");
});

test("what an earlier page left is sent in its order", () => {
  const first = { ...entry("a1", "a"), base: 0 };
  const second = { ...entry("a2", "a"), base: null };
  const outbox = box([second, first]);
  assert.equal(outbox.take(0).id, "a1");
  assert.deepEqual(ids(outbox.entries), ["a1", "a2"]);
});

test("whatever gets lost, it ends with the last decision of each unit stored once", () => {
  let state = 12345;
  const random = () => ((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648);
  for (let run = 0; run < 200; run += 1) {
    const outbox = box();
    const server = new Map();
    const seen = new Map();
    const last = new Map();
    let decisions = 0;
    let clock = 0;
    for (let turn = 0; turn < 400 && (decisions < 25 || outbox.waiting); turn += 1) {
      clock += 100_000;
      if (decisions < 25 && random() < 0.5) {
        decisions += 1;
        const unit = "abcd"[Math.floor(random() * 4)];
        outbox.add(entry(`e${decisions}`, unit, { value: decisions }), server.get(unit)?.revision ?? 0);
        last.set(unit, decisions);
      }
      const sent = outbox.take(clock);
      if (!sent) continue;
      const chance = random();
      if (chance < 0.2) {
        outbox.settle(sent, { kind: "network" }, clock, random());
        continue;
      }
      const row = server.get(sent.unit) ?? { revision: 0 };
      let reply;
      if (seen.has(sent.id)) reply = stored(row.revision, true, row);
      else if (row.revision !== sent.base) reply = { kind: "stale", row };
      else {
        const next = { ...sent.answer, revision: row.revision + 1 };
        server.set(sent.unit, next);
        seen.set(sent.id, true);
        reply = stored(next.revision, false, next);
      }
      assert.notEqual(reply.kind, "stale");
      outbox.settle(sent, chance < 0.4 ? { kind: "server" } : reply, clock, random());
    }
    assert.equal(outbox.waiting, 0);
    assert.equal(seen.size, 25);
    for (const [unit, value] of last) assert.equal(server.get(unit).value, value);
  }
});

test("an answer that came second in a training round is dropped and holds nothing up", () => {
  const outbox = box();
  const second = outbox.add(entry("a1", "a"), 0);
  outbox.add(entry("b1", "b"), 0);
  outbox.take(0);
  assert.deepEqual(outbox.settle(second, { kind: "locked" }, 0, 0), { remove: ["a1"], keep: [] });
  assert.deepEqual([outbox.pause, outbox.take(0).id], [null, "b1"]);
});

test("what a window left that is gone is sent in its place in the order, each once", () => {
  const left = [{ ...entry("a1", "a"), base: 0 }, { ...entry("a2", "a"), base: null }];
  const outbox = box();
  outbox.add(entry("b1", "b"), 0);
  outbox.adopt(left);
  outbox.adopt(left);
  assert.deepEqual(ids(outbox.entries), ["a1", "a2", "b1"]);
  outbox.settle(outbox.take(0), stored(1), 0, 0);
  assert.deepEqual([outbox.take(0).id, outbox.entries[0].base], ["a2", 1]);
});
