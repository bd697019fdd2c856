/**
 * Decisions on their way to the server: what may be sent now, in which order, against which revision, and what to do with each reply.
 * Nothing here reads a clock, a network or a database; the caller gives those.
 *
 * The rules
 *   - One decision is under way at a time, so that the server has them in the order in which they were made: undo after a reload
 *     goes by that order, and a database with a single writer gains nothing from more.
 *   - The first decision of a unit is sent against the revision its annotator saw. Each later one waits and is sent against the
 *     revision that the acknowledgement before it implies, never against one that somebody else's write caused.
 *   - A reply that never came is no reply: the same event id is sent again until one comes, and the server answers a replay with
 *     the row it has.
 *   - A stale revision stops that unit alone until the annotator has picked.
 *
 * @typedef {import("../units.js").Row} Row
 * @typedef {object} Entry
 * @property {string} id          event id
 * @property {number} seq         order in this browser
 * @property {string} unit        key of the unit
 * @property {{assignment: number, type?: string, question?: number}} target
 * @property {Record<string, unknown> | null} answer  null takes the decision back
 * @property {number | null} base  revision seen; null waits for the acknowledgement before it
 * @property {number} activeSeconds
 * @property {{id: number, taken: boolean}} [suggestion]  what a language model suggested here, where something was shown
 * @typedef {"network" | "server" | "paused" | "session" | "csrf"} Pause   why nothing goes at the moment; "paused": a lead paused the round
 * @typedef {"invalid" | "closed" | "gone"} Refusal   why a decision will not be stored
 * @typedef {{unit: string, mine: Entry, stored: Row}} Conflict
 * @typedef {{entry: Entry, why: Refusal, message: string, errors: Record<string, string>}} Refused
 * @typedef {{kind: "stored", row: Row, replayed: boolean} | {kind: Pause} | {kind: Refusal, message: string, errors: Record<string, string>, member?: number}
 *   | {kind: "stale", row: Row} | {kind: "reused"} | {kind: "locked"}} Reply   "locked": another window answered first in a training round
 */

import { isDecided } from "../units.js";

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/** @param {number} attempts @param {number} random 0 to 1 @returns {number} milliseconds to wait before trying again */
export function backoff(attempts, random) {
  const ceiling = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.max(0, attempts - 1));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** @param {unknown} a @param {unknown} b @returns {boolean} whether two answers say the same */
function sameAnswer(a, b) {
  const left = /** @type {Record<string, unknown>} */ (a ?? {});
  const right = /** @type {Record<string, unknown>} */ (b ?? {});
  return Object.keys(left).every((name) => (left[name] || null) === (right[name] || null));
}

/** Waiting helps: it is tried again by itself. @param {Pause | "closed" | null} pause @returns {boolean} */
export function passes(pause) {
  return pause === "network" || pause === "server" || pause === "paused";
}

export class Outbox {
  /**
   * @param {Entry[]} entries  what an earlier page left behind, in any order
   * @param {() => string} newId
   */
  constructor(entries, newId) {
    this.entries = [...entries].sort((a, b) => a.seq - b.seq);
    this.newId = newId;
    /** @type {Entry | null} */
    this.underWay = null;
    /** @type {Map<string, Conflict>} */
    this.conflicts = new Map();
    /** @type {Refused[]} */
    this.refused = [];
    /** @type {Pause | "closed" | null} */
    this.pause = null;
    this.attempts = 0;
    this.retryAt = 0;
  }

  /** @returns {number} decisions that the server does not have yet */
  get waiting() {
    return this.entries.length;
  }

  /** @param {string} unit @returns {Entry | undefined} the last decision on its way for this unit */
  latest(unit) {
    return this.entries.findLast((entry) => entry.unit === unit);
  }

  /**
   * @param {Omit<Entry, "base">} entry
   * @param {number} seenRevision
   * @returns {Entry} as it is to be kept
   */
  add(entry, seenRevision) {
    const kept = { ...entry, base: this.latest(entry.unit) ? null : seenRevision };
    this.entries.push(kept);
    return kept;
  }

  /** Take over what a window that is gone left behind. @param {Entry[]} left */
  adopt(left) {
    const known = new Set(this.entries.map(({ id }) => id));
    this.entries = [...this.entries, ...left.filter(({ id }) => !known.has(id))].sort((a, b) => a.seq - b.seq);
  }

  /** @param {number} now @returns {Entry | null} what may be sent now; it counts as under way from here on */
  take(now) {
    if (this.underWay || (this.pause && (!passes(this.pause) || now < this.retryAt))) return null;
    this.underWay = this.entries.find((entry) => !this.conflicts.has(entry.unit) && entry.base !== null) ?? null;
    return this.underWay;
  }

  /** The person is back, the network is back, or someone logged in: try at once. */
  resume() {
    if (this.pause === "closed") this.restoreRefused("closed");
    // Only the server knows whether the lead has let the round go on.
    if (this.pause !== "paused") this.pause = null;
    this.attempts = 0;
    this.retryAt = 0;
  }

  /**
   * Take in what the server said to one entry.
   *
   * @param {Entry} entry
   * @param {Reply} reply
   * @param {number} now
   * @param {number} random
   * @returns {{remove: string[], keep: Entry[]}} what the durable copy has to drop and to write
   */
  settle(entry, reply, now, random) {
    this.underWay = null;
    if (!this.entries.includes(entry)) return { remove: [entry.id], keep: [] };
    switch (reply.kind) {
      case "stored":
        return this.stored(entry, reply);
      case "stale":
        return this.stale(entry, reply.row);
      case "reused":
        return this.renew(entry);
      case "locked":
        return { remove: this.dropUnit(entry.unit), keep: [] };
      case "invalid":
      case "gone":
        return this.refuse(entry, reply);
      case "closed":
        this.pause = "closed";
        return this.refuse(entry, reply);
      default:
        this.pause = reply.kind;
        this.attempts += 1;
        this.retryAt = now + backoff(this.attempts, random);
        return { remove: [], keep: [] };
    }
  }

  /** @param {Entry} entry @param {{row: Row, replayed: boolean}} reply */
  stored(entry, { row, replayed }) {
    this.pause = null;
    this.attempts = 0;
    this.drop(entry);
    // A replay answers with the row of now. What someone wrote after this decision must meet the next one as stale.
    const implied = replayed ? Math.min(row.revision, (entry.base ?? 0) + 1) : row.revision;
    const next = this.entries.find((other) => other.unit === entry.unit);
    if (next) next.base = implied;
    const answered = this.refused.filter((refused) => refused.entry.unit === entry.unit);
    this.refused = this.refused.filter((refused) => !answered.includes(refused));
    return { remove: [entry.id, ...answered.map((refused) => refused.entry.id)], keep: next ? [next] : [] };
  }

  /** @param {Entry} entry @param {Row} row */
  stale(entry, row) {
    const mine = /** @type {Entry} */ (this.latest(entry.unit));
    if (mine.answer ? sameAnswer(mine.answer, row) : !isDecided(row)) return { remove: this.dropUnit(entry.unit), keep: [] };
    this.conflicts.set(entry.unit, { unit: entry.unit, mine, stored: row });
    return { remove: [], keep: [] };
  }

  /** The id stands for another decision already: give this one a new id. @param {Entry} entry */
  renew(entry) {
    const old = entry.id;
    entry.id = this.newId();
    return { remove: [old], keep: [entry] };
  }

  /** @param {Entry} entry @param {{kind: Refusal, message: string, errors: Record<string, string>}} reply */
  refuse(entry, { kind, message, errors }) {
    this.refused.push({ entry, why: kind, message, errors });
    this.drop(entry);
    const next = this.entries.find((other) => other.unit === entry.unit);
    if (next && next.base === null) next.base = entry.base;
    // Only what breaks a rule is gone for good; the rest stays in the durable copy until someone looks at it.
    return { remove: kind === "invalid" ? [entry.id] : [], keep: next ? [next] : [] };
  }

  /**
   * The annotator picked between two versions.
   *
   * @param {string} unit
   * @param {"mine" | "stored"} pick
   * @returns {{remove: string[], keep: Entry[]}}
   */
  pick(unit, pick) {
    const conflict = this.conflicts.get(unit);
    if (!conflict) return { remove: [], keep: [] };
    this.conflicts.delete(unit);
    const mine = /** @type {Entry} */ (this.latest(unit));
    const removed = this.dropUnit(unit);
    if (pick === "stored") return { remove: removed, keep: [] };
    const again = { ...mine, id: this.newId(), base: /** @type {number} */ (conflict.stored.revision) };
    this.entries.push(again);
    return { remove: removed, keep: [again] };
  }

  /** @param {Refusal} why */
  restoreRefused(why) {
    const back = this.refused.filter((refused) => refused.why === why).map(({ entry }) => entry);
    this.refused = this.refused.filter((refused) => refused.why !== why);
    this.entries = [...this.entries, ...back].sort((a, b) => a.seq - b.seq);
  }

  /** @param {Entry} entry */
  drop(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
  }

  /** @param {string} unit @returns {string[]} ids of what was dropped */
  dropUnit(unit) {
    const dropped = this.entries.filter((entry) => entry.unit === unit).map(({ id }) => id);
    this.entries = this.entries.filter((entry) => entry.unit !== unit);
    return dropped;
  }
}
