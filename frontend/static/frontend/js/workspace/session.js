/**
 * One annotator in one round: which unit is on the screen, what was decided, what comes next. No page and no network in here.
 * See docs/decisions/workspace.md.
 *
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {import("./units.js").Row} Row
 * @typedef {import("./saving/outbox.js").Entry} Entry
 * @typedef {import("./saving/outbox.js").Reply} Reply
 * @typedef {Record<string, any>} Draft  what was begun and is not decided: comment, unsure, none, label, reason, edited_question, span, typed, taken
 */

import { gettext } from "../lib/i18n.js";
import { shownRange } from "../lib/offsets.js";
import { brokenRules } from "./protocol_rules.js";
import { isDecided } from "./units.js";

/** Fields of an answer, apart from what the server adds to a row. @param {Row} row @returns {Record<string, any>} */
function answerOf(row) {
  const { revision: _revision, active_seconds: _seconds, updated_at: _at, feedback: _feedback, suggestion: _seen, suggestion_taken: _taken, ...answer } = row;
  return answer;
}

export class Session {
  /**
   * @param {object} parts
   * @param {any} parts.spec
   * @param {boolean} [parts.training]  the first answer counts: it locks, and its feedback is shown before the next unit
   * @param {string} [parts.closed]  why nothing can be stored
   * @param {import("./units.js").Units} parts.units
   * @param {import("./saving/sender.js").Sender} parts.sender
   * @param {import("./clock.js").Clock} parts.clock
   * @param {() => number} parts.now       steady milliseconds
   * @param {() => Date} parts.today
   * @param {() => string} parts.newId
   * @param {Record<string, Draft>} parts.drafts
   * @param {(drafts: Record<string, Draft>, key: string) => void} parts.keepDrafts  with the unit whose draft changed
   * @param {(unit: Unit | "loading" | null) => void} parts.onShow
   * @param {(unit: Unit) => void} parts.onRow
   */
  constructor(parts) {
    this.spec = parts.spec;
    this.training = parts.training ?? false;
    /** Whether what is shown may be older than what the server has. */
    this.unsure = false;
    /** Decisions on their way in other windows, by window. @type {Map<string, number>} */
    this.others = new Map();
    /** Why nothing can be changed any more; empty while the round takes decisions. */
    this.closed = parts.closed ?? "";
    this.units = parts.units;
    this.sender = parts.sender;
    this.clock = parts.clock;
    this.now = parts.now;
    this.today = parts.today;
    this.newId = parts.newId;
    this.drafts = parts.drafts;
    this.keepDrafts = parts.keepDrafts;
    this.onShow = parts.onShow;
    this.onRow = parts.onRow;
    /** @type {Unit | null} */
    this.current = null;
    /** The unit that is shown once its text has come. @type {Unit | null} */
    this.awaited = null;
    /** Brings texts that are not here. @type {import("./supply.js").Supply | null} */
    this.supply = null;
    /** @type {{unit: Unit, before: Record<string, any> | null, taken?: boolean}[]} */
    this.history = [];
    // The clock may have been set back since the last page: what is decided now still comes after what waits.
    this.seq = Math.max(0, ...parts.sender.outbox.entries.map(({ seq }) => seq));
  }

  /** Show the first unit without a decision. @param {number} [place] from which on nothing is known to be left before */
  start(place = 0) {
    this.show(this.units.nextOpen(place));
  }

  /** A unit whose text has not come yet is shown once it has. @param {Unit | "loading" | null} unit */
  show(unit) {
    this.awaited = unit && unit !== "loading" && !unit.item.loaded ? unit : null;
    this.current = unit === "loading" || this.awaited ? null : unit;
    this.clock.restart(this.now());
    this.onShow(this.awaited ? "loading" : unit);
  }

  /** @param {1 | -1} step */
  step(step) {
    if (!this.current) return;
    const unit = this.units.neighbour(this.units.placeOf(this.current), step);
    if (unit) this.show(unit);
  }

  /** The next unit without a decision after the one on the screen. */
  advance() {
    this.show(this.units.nextOpen(this.current ? this.units.placeOf(this.current) + 1 : 0));
  }

  /** @param {Unit} unit @returns {Draft} */
  draft(unit) {
    const { comment = "", unsure = false } = unit.row ?? {};
    return { comment, unsure, ...this.drafts[unit.key] };
  }

  /** @param {Unit} unit @param {Draft} change */
  setDraft(unit, change) {
    this.drafts[unit.key] = { ...this.drafts[unit.key], ...change };
    this.keepDrafts(this.drafts, unit.key);
    this.onRow(unit);
  }

  /** What stands in a field and was not kept yet. @param {Unit} unit @param {string} purpose @returns {string | undefined} */
  typed(unit, purpose) {
    return this.drafts[unit.key]?.typed?.[purpose] ?? undefined;
  }

  /** @param {Unit} unit @param {string} purpose @param {string | null} text */
  setTyped(unit, purpose, text) {
    const { typed } = this.drafts[unit.key] ?? {};
    if (text !== null || typed?.[purpose]) this.setDraft(unit, { typed: { ...typed, [purpose]: text } });
  }

  /**
   * The comment that goes with a new answer. A word why explains the answer it was given for and does not pass on to another.
   *
   * @param {Unit} unit @param {Record<string, any>} answer @returns {string}
   */
  commentFor({ key, row }, answer) {
    const written = this.drafts[key]?.comment;
    if (written !== undefined) return written;
    const wasWhy = row?.cannot_judge ? !answer.cannot_judge : row?.label === "UN" && answer.label !== "UN";
    return wasWhy ? "" : row?.comment ?? "";
  }

  /** @param {Unit} unit */
  dropDraft(unit) {
    if (!(unit.key in this.drafts)) return;
    delete this.drafts[unit.key];
    this.keepDrafts(this.drafts, unit.key);
  }

  /** @param {Unit} unit @returns {boolean} begun, and neither decided nor given up */
  isIncomplete(unit) {
    const draft = this.drafts[unit.key];
    return Boolean(draft?.span) || Boolean(draft?.none) || (Boolean(draft?.label) && draft.label !== unit.row?.label);
  }

  /**
   * Decide a unit, if the protocol allows the answer.
   *
   * @param {Unit} unit
   * @param {Record<string, any>} answer
   * @param {{advance?: boolean}} [options]
   * @returns {Record<string, string>} the broken rules; empty when it is decided
   */
  decide(unit, answer, { advance = true } = {}) {
    const refused = this.refusal(unit);
    if (refused) return { answer: refused };
    const errors = brokenRules(this.spec.answer, answer, this.facts(unit, answer));
    if (Object.keys(errors).length) return errors;
    this.history.push({ unit, before: isDecided(unit.row) ? answerOf(/** @type {Row} */ (unit.row)) : null, taken: unit.row?.suggestion_taken });
    const taken = this.isTaken(unit, answer);
    this.dropDraft(unit);
    this.record(unit, answer, taken);
    if (this.training) this.show(unit);
    else if (advance) this.advance();
    return {};
  }

  /** The suggestion of a unit was taken, or what was taken is given up again. @param {Unit} unit @param {boolean} taken */
  setTaken(unit, taken) {
    if (Boolean(this.drafts[unit.key]?.taken) !== taken) this.setDraft(unit, { taken });
  }

  /** @param {Unit} unit @param {Record<string, any>} answer @returns {boolean} whether the answer is the unit's suggestion, taken; the span may be another */
  isTaken({ key, type, suggestion, row }, answer) {
    if (!suggestion || !(this.drafts[key]?.taken ?? row?.suggestion_taken)) return false;
    return type ? answer.applicable === suggestion.applicable : answer.label === suggestion.label;
  }

  /** What is too long in a part of an answer, which may wait for the rest of it. @param {Record<string, any>} part @returns {string} */
  tooLong(part) {
    return Object.values(brokenRules({ ...this.spec.answer, rules: [] }, part, {})).join(" ");
  }

  /** @param {Unit} unit @returns {boolean} */
  isLocked(unit) {
    return this.training && isDecided(unit.row);
  }

  /** @param {Unit | null} unit @returns {string} why nothing about it can be changed; empty where it can */
  refusal(unit) {
    return this.closed || (unit && this.isLocked(unit) ? gettext("In a training round the first answer counts.") : "");
  }

  /** @param {Unit} unit @param {Record<string, any>} answer @returns {Record<string, unknown>} */
  facts(unit, answer) {
    if (unit.type) return { span: this.spec.types.find((/** @type {any} */ type) => type.code === unit.type)?.span ?? false };
    const reason = this.spec.reasons.find((/** @type {any} */ entry) => entry.code === answer.reason);
    return { reason_edits: reason?.edited_question ?? false };
  }

  /**
   * Take back the last decision and show its unit again. After a reload that is the one decided last.
   *
   * @returns {Unit | null}
   */
  undo() {
    if (this.training || this.closed) return null;
    const last = this.history.pop() ?? this.lastBeforeThisPage();
    if (!last) return null;
    const { row } = last.unit;
    this.record(last.unit, last.before, Boolean(last.before && last.taken));
    if (row && !last.before) this.keepWords(last.unit, row);
    this.show(last.unit);
    return last.unit;
  }

  /** What was written and highlighted for a decision taken back is kept for the next one. @param {Unit} unit @param {Row} row */
  keepWords(unit, { cannot_judge, label, comment, unsure, quote, start, end }) {
    /** @type {Draft} */
    const draft = {};
    if (quote) draft.span = shownRange(unit.item.text, { start, end });
    if (unsure) draft.unsure = true;
    if (comment && (cannot_judge || label === "UN")) draft.typed = { [cannot_judge ? "cannot" : "unhelpful"]: comment };
    else if (comment) draft.comment = comment;
    if (Object.keys(draft).length) this.setDraft(unit, draft);
  }

  /** What waits was decided after all that the server has, whatever this computer's clock says. @returns {{unit: Unit, before: null, taken?: boolean} | null} */
  lastBeforeThisPage() {
    const waiting = this.sender.outbox.entries.map((entry) => this.units.byKey.get(entry.unit) ?? null);
    const unit = waiting.findLast((one) => one && isDecided(one.row)) ?? this.units.lastDecided();
    return unit && { unit, before: null };
  }

  /** @param {Unit} unit @param {Record<string, any> | null} answer @param {boolean} [taken] */
  record(unit, answer, taken = false) {
    const seen = unit.revision;
    const seconds = unit === this.current ? this.clock.seconds(this.now()) : 0;
    if (unit === this.current) this.clock.restart(this.now());
    const revision = seen + 1;
    unit.row = answer ? { ...answer, ...(taken ? { suggestion_taken: true } : {}), revision, updated_at: this.today().toISOString() } : null;
    const suggestion = unit.suggestion ? { suggestion: { id: unit.suggestion.id, taken } } : {};
    const target = unit.type ? { assignment: unit.assignment, type: unit.type } : { assignment: unit.assignment, question: unit.question?.id };
    this.seq = Math.max(this.seq + 1, this.today().getTime() * 1000);
    void this.sender.decide({ id: this.newId(), seq: this.seq, unit: unit.key, target, answer, activeSeconds: Math.min(seconds, 86_400), ...suggestion }, seen);
    this.onRow(unit);
  }

  /**
   * What the server said about one decision.
   *
   * @param {Entry} entry @param {Reply} reply
   */
  replied(entry, reply) {
    const unit = this.units.byKey.get(entry.unit);
    if (!unit) return;
    const later = this.sender.outbox.latest(unit.key);
    if (reply.kind === "stored") {
      unit.revision = reply.row.revision;
      if (!later) unit.row = reply.row;
    } else if (reply.kind === "stale" && !later) {
      unit.revision = reply.row.revision;
      unit.row = reply.row;
    } else if (reply.kind === "invalid" && !later) {
      this.setDraft(unit, { ...entry.answer });
      unit.row = null;
    } else {
      return;
    }
    this.onRow(unit);
  }

  /** The stored version was picked over mine. @param {Unit} unit @param {Row} stored */
  takeStored(unit, stored) {
    unit.row = stored;
    unit.revision = stored.revision;
    this.onRow(unit);
  }

  /** @returns {number} decisions that wait in other windows */
  get elsewhere() {
    return [...this.others.values()].reduce((sum, n) => sum + n, 0);
  }

  /**
   * Lay what waits in this browser over the rows as the server gave them: what an earlier page left in the outbox, and what other windows
   * are sending.
   *
   * @param {Entry[]} [elsewhere]
   */
  overlay(elsewhere = []) {
    for (const entry of [...elsewhere, ...this.sender.outbox.entries].sort((a, b) => a.seq - b.seq)) this.lay(entry.unit, entry.answer, entry.seq);
  }

  /** @param {string} key @param {Record<string, any> | null} answer @param {number} seq */
  lay(key, answer, seq) {
    const unit = this.units.byKey.get(key);
    if (unit) unit.row = answer ? { ...answer, revision: unit.revision + 1, updated_at: new Date(seq / 1000).toISOString() } : null;
  }

  /** Another window decided. @param {string} key @param {Record<string, any> | null} answer */
  heard(key, answer) {
    const unit = this.units.byKey.get(key);
    if (!unit || this.sender.outbox.latest(key)) return;
    this.lay(key, answer, this.today().getTime() * 1000);
    this.onRow(unit);
  }

  /** The server has this row: another window stored it, or the round was read anew. @param {string} key @param {Row | null} row */
  learn(key, row) {
    const unit = this.units.byKey.get(key);
    if (!unit || this.sender.outbox.latest(key) || (row?.revision ?? 0) < unit.revision) return;
    unit.row = row;
    unit.revision = row?.revision ?? 0;
    this.onRow(unit);
  }

  /** Another window's draft, so that neither overwrites the other's. @param {string} key @param {Draft | null} draft */
  takeDraft(key, draft) {
    if (draft) this.drafts[key] = draft;
    else delete this.drafts[key];
    const unit = this.units.byKey.get(key);
    if (unit && unit !== this.current) this.onRow(unit);
  }
}
