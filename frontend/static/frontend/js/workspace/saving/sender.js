/**
 * Drives the outbox: keeps each decision in the durable store first, then sends what may go, and tries again when it may help. Network,
 * store, clock and timer are given by the caller, so that all of it runs in a test without a browser.
 *
 * @typedef {import("./outbox.js").Entry} Entry
 * @typedef {import("./outbox.js").Reply} Reply
 * @typedef {import("./storage.js").Store} Store
 * @typedef {object} Surroundings
 * @property {Store} store
 * @property {(entry: Entry) => Promise<Reply>} send  never rejects
 * @property {() => number} now
 * @property {() => number} random
 * @property {(act: () => void, milliseconds: number) => unknown} later
 * @property {(timer: any) => void} cancel
 * @property {string} round  key of the round: entries of another round stay untouched
 * @property {string} tab
 * @property {(entry: Entry, reply: Reply) => void} onReply
 * @property {() => void} onChange
 * @property {(entry: Entry) => void} [onDecide]
 */

import { Outbox, passes } from "./outbox.js";

export class Sender {
  /** @param {Outbox} outbox @param {Surroundings} surroundings */
  constructor(outbox, surroundings) {
    this.outbox = outbox;
    this.surroundings = surroundings;
    /** Decisions that are not in the durable store yet. */
    this.unkept = 0;
    /** Nothing would survive a reload. */
    this.storeFailed = surroundings.store.kind === "memory";
    /** @type {any} */
    this.timer = null;
  }

  /**
   * @param {Omit<Entry, "base">} entry
   * @param {number} seenRevision
   */
  async decide(entry, seenRevision) {
    const kept = this.outbox.add(entry, seenRevision);
    this.unkept += 1;
    this.surroundings.onDecide?.(kept);
    this.surroundings.onChange();
    await this.keep([kept], []);
    this.unkept -= 1;
    this.pump();
  }

  /** Send what may go now, and set the timer for the rest. */
  pump() {
    const { now, send } = this.surroundings;
    const entry = this.outbox.take(now());
    if (entry) void send(entry).then((reply) => this.settle(entry, reply));
    this.surroundings.onChange();
    this.watch();
  }

  /** @param {Entry} entry @param {Reply} reply */
  async settle(entry, reply) {
    const { now, random, onReply } = this.surroundings;
    const { remove, keep } = this.outbox.settle(entry, reply, now(), random());
    onReply(entry, reply);
    // The next one is kept with its new base before it is sent: a crash in between must not send it against the old one.
    if (remove.length || keep.length) await this.keep(keep, remove);
    this.pump();
  }

  /** A window is gone: what it left is sent by this one. @param {Entry[]} left */
  async adopt(left) {
    this.outbox.adopt(left);
    await this.keep(left, []);
    this.pump();
  }

  /** @param {string} unit @param {"mine" | "stored"} pick */
  async pick(unit, pick) {
    const { remove, keep } = this.outbox.pick(unit, pick);
    await this.keep(keep, remove);
    this.pump();
  }

  /** Nothing of what was refused, or waits for a closed round, will be stored: drop it here too. */
  async forget() {
    const { refused, entries } = this.outbox;
    const ids = [...refused.map(({ entry }) => entry.id), ...(this.outbox.pause === "closed" ? entries.map(({ id }) => id) : [])];
    this.outbox.refused = [];
    if (this.outbox.pause === "closed") {
      this.outbox.entries = [];
      this.outbox.pause = null;
    }
    await this.keep([], ids);
    this.pump();
  }

  /** Something changed for the better: try at once. */
  resume() {
    this.outbox.resume();
    this.pump();
  }

  /** @param {Entry[]} entries @param {string[]} remove */
  async keep(entries, remove) {
    const { store, round, tab } = this.surroundings;
    try {
      await store.write(entries.map((entry) => ({ ...entry, round, tab })), remove);
      this.storeFailed = store.kind === "memory";
    } catch {
      // A full disk must not stop the sending; the page then says that this browser keeps nothing.
      this.storeFailed = true;
    }
  }

  watch() {
    const { cancel, later, now } = this.surroundings;
    if (this.timer !== null) cancel(this.timer);
    this.timer = null;
    const { pause, retryAt, waiting } = this.outbox;
    if (!waiting || !passes(pause)) return;
    this.timer = later(() => {
      this.timer = null;
      this.pump();
    }, Math.max(50, retryAt - now()));
  }
}
