import assert from "node:assert/strict";
import { test } from "node:test";
import { Outbox } from "../../frontend/static/frontend/js/workspace/saving/outbox.js";
import { Sender } from "../../frontend/static/frontend/js/workspace/saving/sender.js";
import { memoryStore } from "../../frontend/static/frontend/js/workspace/saving/storage.js";

const durableStore = () => /** @type {const} */ ({ ...memoryStore(), kind: "indexeddb" });

/** A sender with a server of its own: `replies` are given out in order, then everything is stored. */
function bench({ store = durableStore(), replies = [], entries = [] } = {}) {
  const log = [];
  const timers = [];
  const state = { clock: 0, made: 0 };
  const outbox = new Outbox(entries, () => `new-${(state.made += 1)}`);
  const sender = new Sender(outbox, {
    store, round: "1/1", tab: "tab",
    now: () => state.clock,
    random: () => 1,
    later: (act, milliseconds) => timers.push({ act, milliseconds }),
    cancel: (timer) => { timers[timer - 1].act = () => {}; },
    send: async (entry) => {
      log.push(`send ${entry.id} against ${entry.base}; kept: ${(await store.entries()).map(({ id }) => id).join(" ")}`);
      return replies.shift() ?? { kind: "stored", row: { revision: (entry.base ?? 0) + 1 }, replayed: false };
    },
    onReply: (entry, reply) => log.push(`${reply.kind} ${entry.id}`),
    onChange: () => {},
  });
  return { sender, store, log, timers, state, outbox };
}

const entry = (id, unit = id, seq = Number(id.slice(1))) => ({ id, seq, unit, target: { assignment: 1, type: "LE" }, answer: { applicable: false }, activeSeconds: 0 });
const settled = () => new Promise((resolve) => { setImmediate(() => setImmediate(() => setImmediate(resolve))); });

test("a decision is in the durable store before it is sent, and leaves it only once it is stored", async () => {
  const { sender, store, log } = bench();
  await sender.decide(entry("e1"), 3);
  await settled();
  assert.deepEqual(log, ["send e1 against 3; kept: e1", "stored e1"]);
  assert.deepEqual(await store.entries(), []);
});

test("what is kept says which round and window it belongs to", async () => {
  const { sender, store } = bench({ replies: [{ kind: "network" }] });
  await sender.decide(entry("e1"), 0);
  await settled();
  const [kept] = await store.entries();
  assert.deepEqual([kept.id, kept.round, kept.tab, kept.base], ["e1", "1/1", "tab", 0]);
});

test("the next decision of a unit is kept with its new base before it is sent", async () => {
  const { sender, store, log } = bench();
  const kept = [];
  const write = store.write;
  store.write = async (entries, remove) => {
    kept.push([entries.map(({ id, base }) => `${id}@${base}`), remove]);
    await write(entries, remove);
  };
  await Promise.all([sender.decide(entry("e1", "u", 1), 0), sender.decide(entry("e2", "u", 2), 0)]);
  await settled();
  assert.deepEqual(kept, [[["e1@0"], []], [["e2@null"], []], [["e2@1"], ["e1"]], [[], ["e2"]]]);
  assert.deepEqual(log.filter((line) => line.startsWith("send")).map((line) => line.split(";")[0]), ["send e1 against 0", "send e2 against 1"]);
});

test("without a network it tries again when the wait is over, with the same event id", async () => {
  const { sender, log, timers, state } = bench({ replies: [{ kind: "network" }, { kind: "server" }] });
  await sender.decide(entry("e1"), 0);
  await settled();
  assert.deepEqual(timers.filter(({ milliseconds }) => milliseconds === 1000).length > 0, true);
  state.clock = 1000;
  timers.at(-1).act();
  await settled();
  assert.equal(timers.at(-1).milliseconds, 2000);
  state.clock = 3000;
  timers.at(-1).act();
  await settled();
  assert.deepEqual(log.filter((line) => !line.startsWith("send")), ["network e1", "server e1", "stored e1"]);
});

test("a full disk does not stop the sending, and is known until a write succeeds", async () => {
  const { sender, store, outbox } = bench({ replies: [{ kind: "network" }] });
  const write = store.write;
  store.write = async () => { throw new Error("quota"); };
  await sender.decide(entry("e1"), 0);
  await settled();
  assert.equal(sender.storeFailed, true);
  store.write = write;
  sender.resume();
  await settled();
  assert.equal(sender.storeFailed, false);
  assert.equal(outbox.waiting, 0);
});

test("what an earlier page left behind is sent before what comes now", async () => {
  const { sender, log } = bench({ entries: [{ ...entry("e1", "u", 1), base: 0 }] });
  await sender.decide(entry("e2", "u", 2), 0);
  await settled();
  assert.deepEqual(log.filter((line) => line.startsWith("send")).map((line) => line.split(";")[0]), ["send e1 against 0", "send e2 against 1"]);
});

test("picking my version sends it against the stored revision; picking the stored one sends nothing", async () => {
  for (const [pick, sent] of [["mine", ["send e1 against 0", "send new-1 against 5"]], ["stored", ["send e1 against 0"]]]) {
    const { sender, log, store } = bench({ replies: [{ kind: "stale", row: { revision: 5, applicable: true } }] });
    await sender.decide(entry("e1"), 0);
    await settled();
    await sender.pick("e1", pick);
    await settled();
    assert.deepEqual(log.filter((line) => line.startsWith("send")).map((line) => line.split(";")[0]), sent);
    assert.deepEqual(await store.entries(), []);
  }
});

test("what a closed round refused can be forgotten, and only then leaves the browser", async () => {
  const { sender, store, outbox } = bench({ replies: [{ kind: "closed", message: "closed", errors: {} }] });
  await sender.decide(entry("e1"), 0);
  await sender.decide(entry("e2"), 0);
  await settled();
  assert.equal((await store.entries()).length, 2);
  await sender.forget();
  assert.deepEqual([await store.entries(), outbox.waiting, outbox.refused, outbox.pause], [[], 0, [], null]);
});

test("a paused round is asked again by a timer, and once it goes on all is sent in order", async () => {
  const { sender, store, log, timers, state, outbox } = bench({ replies: [{ kind: "paused" }, { kind: "paused" }] });
  await sender.decide(entry("e1"), 0);
  await settled();
  await sender.decide(entry("e2"), 0);
  await settled();
  assert.deepEqual((await store.entries()).map(({ id }) => id), ["e1", "e2"]);
  for (const wait of [1000, 2000]) {
    assert.deepEqual([outbox.pause, timers.at(-1).milliseconds], ["paused", wait]);
    state.clock += wait;
    timers.at(-1).act();
    await settled();
  }
  await settled();
  assert.deepEqual(log.filter((line) => !line.startsWith("send")), ["paused e1", "paused e1", "stored e1", "stored e2"]);
  assert.deepEqual([outbox.pause, await store.entries()], [null, []]);
});

test("in a browser that keeps nothing, what waits is said to be kept nowhere", async () => {
  const { sender } = bench({ store: memoryStore(), replies: [{ kind: "network" }] });
  await sender.decide(entry("e1"), 0);
  await settled();
  assert.equal(sender.storeFailed, true);
});
