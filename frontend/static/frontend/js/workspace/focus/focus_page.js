/** The page of FOCUS: yes or no for one type of one text, and on yes the span. */

import { element, part, replaceChildren } from "../../lib/dialogs.js";
import { gettext, interpolate } from "../../lib/i18n.js";
import { askComment, toggleUnsure } from "../comment_flag.js";
import { chip, mineSoFar } from "../unit_list.js";
import { Note } from "../note_form.js";
import { shownRange, storedSpan } from "../../lib/offsets.js";
import { Pointing } from "./pointing.js";
import { filledParts } from "./exemplar.js";
import { showSuggestion } from "../suggestion.js";
import { showRule } from "./type_card.js";
import { NOTHING, dragged, fromRange, selectedRange } from "../text/selection.js";
import { keepInSight, moved } from "./span_keys.js";
import { TextView } from "../text/text_view.js";
import { cutOf } from "../text/segmentation.js";
import { answerKind, answerText } from "../answer_text.js";

/**
 * @typedef {import("../units.js").Unit} Unit
 * @typedef {import("../keys.js").Act} Act
 */

const TOUCH = window.matchMedia("(pointer: coarse)");
const OTHERS = "elenchus:others";
const FOREIGN = () => gettext("Another program changed the text on this page (a translation, an extension). It is put back: switch that program off here, and check the span.");
/** More would push the question out of its place. */
const SAME_SHOWN = 4;

export class FocusPage {
  /** @param {import("../shell.js").Shell} shell @param {import("../session.js").Session} session */
  constructor(shell, session) {
    this.shell = shell;
    this.session = session;
    /** @type {Unit | null} */
    this.unit = null;
    this.step = 1;
    this.selection = NOTHING;
    /** What was selected while reading: Y makes the span of it. */
    this.chosen = NOTHING;
    this.wrong = "";
    this.begunTimer = 0;
    this.showsOthers = false;
    try {
      this.showsOthers = localStorage.getItem(OTHERS) === "on";
    } catch { /* then they are not shown */ }
    this.view = new TextView(part("ws-text-box"), part("ws-text"), part("ws-overlay"), () => this.shell.tell(FOREIGN()));
    this.note = new Note(session, () => this.closeNote());
    document.addEventListener("copy", (event) => {
      const range = this.unit && selectedRange(this.chosen, cutOf(this.unit.item));
      if (!range || !this.unit || !document.getSelection()?.isCollapsed) return;
      event.clipboardData?.setData("text/plain", this.unit.item.text.slice(range.start, range.end));
      event.preventDefault();
    });
    this.pointing = new Pointing(this.view, document.querySelectorAll(".ws-handle"), {
      active: () => this.step === 2,
      before: () => this.step === 1 && this.unit !== null && this.typeOf(this.unit).span && !this.session.refusal(this.unit),
      cut: () => cutOf(/** @type {Unit} */ (this.unit).item),
      get: () => (this.step === 2 ? this.selection : this.chosen),
      set: (selection) => (this.step === 2 ? this.select(selection) : this.choose(selection)),
    });
  }

  get context() {
    if (!this.unit) return "over";
    if (this.session.isLocked(this.unit)) return "feedback";
    return this.step === 2 ? "span" : "ask";
  }

  get rtl() {
    return Boolean(this.unit && cutOf(this.unit.item).rtl);
  }

  get latin() {
    return !this.unit || cutOf(this.unit.item).latin;
  }

  /** @param {Unit} unit */
  typeOf(unit) {
    return this.session.spec.types.find((/** @type {any} */ type) => type.code === unit.type);
  }

  /** @param {Unit} unit */
  show(unit) {
    this.keepBegun();
    const before = this.unit;
    this.unit = unit;
    this.step = 1;
    this.choose(NOTHING);
    this.note.purpose = "";
    this.shell.root.dataset.step = "1";
    const { item, row } = unit;
    if (before?.item !== item) {
      this.view.show(item.text);
      for (const pane of document.querySelectorAll(".ws-read, .ws-columns")) pane.scrollTo(0, 0);
      part("ws-item").textContent = item.id;
      part("ws-topic").textContent = item.topic;
    }
    const stored = row?.applicable && row.quote ? shownRange(item.text, /** @type {any} */ (row)) : null;
    // A span begun here before comes back with the next "yes".
    const begun = stored ?? this.session.draft(unit).span;
    this.selection = begun ? fromRange(cutOf(item), begun) : NOTHING;
    this.view.draw("ws-span", stored ? [stored] : []);
    this.view.draw("ws-cursor", []);
    this.pointing.placeHandles();
    const type = this.typeOf(unit);
    if (before?.type !== unit.type) showRule(this.session.spec, type);
    const key = row?.feedback?.key;
    this.view.draw("ws-other", key?.quote ? [shownRange(item.text, key)] : []);
    this.shell.panel("ask");
    this.refresh(unit);
    if (document.activeElement?.closest(".ws-note, [data-act]")) part("ws-text-box").focus({ preventScroll: true });
    this.shell.say(`${before?.item !== item ? `${item.id}. ` : ""}${type.name}. ${answerKind(row) ? answerText(row, this.session.spec) : gettext("Yes or no?")}`);
  }

  /** A span that was begun and not kept stays with its unit, whatever takes the annotator elsewhere; only Esc gives it up. */
  keepBegun() {
    if (!this.unit || this.step !== 2 || answerKind(this.unit.row)) return;
    const span = selectedRange(this.selection, cutOf(this.unit.item));
    if (span || this.session.draft(this.unit).span) this.session.setDraft(this.unit, { span });
  }

  /** A row, a draft or the order changed. @param {Unit} unit */
  refresh(unit) {
    if (!this.unit || (unit !== this.unit && unit.item !== this.unit.item)) return;
    const { row, item } = this.unit;
    const kind = answerKind(row);
    part("ws-answer").textContent = kind ? interpolate(gettext("You said %(answer)s"), { answer: answerText(row, this.session.spec) }) : "";
    part("ws-yes").setAttribute("aria-pressed", String(kind === "yes"));
    part("ws-no").setAttribute("aria-pressed", String(kind === "no"));
    showSuggestion(this.shell, this.session, this.unit);
    this.shell.beside(this.session.draft(this.unit));
    replaceChildren(
      part("ws-chips"),
      item.units.map((other) => {
        const made = chip(this.session, other, other.type ?? "");
        if (other === this.unit) made.setAttribute("aria-current", "true");
        return made;
      }));
    if (this.session.isLocked(this.unit)) this.showFeedback(this.unit);
    this.drawOthers(this.unit);
    if (!part("ws-mine").hidden) replaceChildren(part("ws-mine"), mineSoFar(this.session, this.unit));
    const { units } = this.session;
    const codes = units.byType ? units.types.map(({ code }) => code) : item.units.map((one) => one.type);
    const values = { argument: item.index + 1, arguments: units.itemsTotal, type: codes.indexOf(this.unit.type ?? "") + 1, types: codes.length };
    const long = units.byType ? gettext("Type %(type)s of %(types)s · argument %(argument)s of %(arguments)s") : gettext("Argument %(argument)s of %(arguments)s · type %(type)s of %(types)s");
    this.shell.position(interpolate(long, values), `${values.argument}/${values.arguments} · ${values.type}/${values.types}`);
  }

  /** The key's answer, and its span beside mine. @param {Unit} unit */
  showFeedback(unit) {
    const key = unit.row?.feedback?.key;
    this.view.draw("ws-other", key?.quote ? [shownRange(unit.item.text, key)] : []);
    this.shell.panel("feedback");
    this.shell.feedback(this.session, unit);
  }

  /** @param {Act} asked @returns {boolean} whether it was for this page */
  act(asked) {
    const { unit } = this;
    const { act } = asked;
    if (!unit) return false;
    if (act === "onward") {
      this.session.advance();
      return true;
    }
    if (this.session.isLocked(unit) && ["yes", "no", "keep", "take", "cannot", "comment", "unsure"].includes(act)) return true;
    if (act === "yes" || act === "back") this.session.setTaken(unit, false);
    switch (act) {
      case "take": return this.take(unit);
      case "yes": return this.yes(unit);
      case "no": return this.decide(unit, { applicable: false });
      case "keep": return this.keep(unit);
      case "back": return this.back();
      case "cannot": return this.askWhy(unit);
      case "comment": return askComment(this, unit, gettext("Comment on this decision"), () => this.closeNote());
      case "unsure": return toggleUnsure(this, unit);
      case "note-cancel": this.closeNote(); return true;
      case "mine": return this.toggleMine();
      case "same": return this.step === 2 && this.takeSame(unit, asked.index);
      case "others": return this.toggleOthers();
      default:
    }
    if (this.step !== 2) return false;
    const selection = moved(asked, this.selection, cutOf(unit.item), unit.item.text, this.view);
    if (selection && selection === this.selection && act === "jump") this.shell.tell(interpolate(gettext("No word begins with “%(letter)s” there."), { letter: asked.letter ?? "" }));
    else if (selection) this.select(selection);
    return selection !== null;
  }

  /** Select words before the decision. @param {import("../text/selection.js").Selection} selection */
  choose(selection) {
    this.chosen = selection;
    const range = this.unit && selectedRange(selection, cutOf(this.unit.item));
    this.view.draw("ws-chosen", range ? [range] : []);
    this.view.forgetSelected();
  }

  /** @param {import("../text/selection.js").Selection} selection */
  select(selection) {
    this.selection = selection;
    const { unit } = this;
    if (!unit) return;
    const pieces = cutOf(unit.item);
    const range = selectedRange(selection, pieces);
    this.view.draw("ws-span", range ? [range] : []);
    this.view.draw("ws-cursor", selection.focus >= 0 && !selection.exact ? [pieces.words[selection.focus]] : []);
    this.pointing.placeHandles();
    this.live(unit, range ? unit.item.text.slice(range.start, range.end) : "");
    if (selection.focus >= 0) keepInSight(this.view, pieces.words[selection.focus]);
    clearTimeout(this.begunTimer);
    this.begunTimer = setTimeout(() => this.keepBegun(), 400);
  }

  /** @param {Unit} unit @param {string} quote */
  live(unit, quote) {
    const { exemplar } = this.typeOf(unit);
    const { before, span, after } = quote ? filledParts(exemplar ?? "_____", quote) : { before: TOUCH.matches ? gettext("Tap the first word, then the last.") : gettext("Drag over the words. Or type the first letter of a word to go to it, and Shift with a letter to extend to another."), span: "", after: "" };
    part("ws-live").classList.toggle("nothing", !quote);
    part("ws-live-before").textContent = before;
    part("ws-live-span").textContent = span;
    part("ws-live-after").textContent = after;
    part("ws-keep").setAttribute("aria-disabled", String(!quote));
    if (quote) this.shell.say(quote, 250);
  }

  /** @param {Unit} unit */
  yes(unit) {
    if (!this.typeOf(unit).span) return this.decide(unit, { applicable: true });
    // What was selected while reading is the span that was meant.
    const byFinger = this.view.selected();
    if (this.chosen.focus >= 0) this.selection = this.chosen;
    else if (byFinger && this.step === 1) this.selection = dragged(cutOf(unit.item), byFinger.start, byFinger.end, false);
    this.choose(NOTHING);
    this.step = 2;
    this.note.purpose = "";
    this.shell.root.dataset.step = "2";
    this.shell.panel("live");
    this.offerSame(unit);
    this.select(this.selection);
    part("ws-text-box").focus({ preventScroll: true });
    this.shell.say(gettext("Choose the span. A letter goes to the next word that begins with it, arrow keys move by words, Shift extends, Enter keeps it, Escape goes back."));
    return true;
  }

  /** What the language model suggests, as if its keys had been pressed: no is decided, a yes comes with its span, to be kept or moved. @param {Unit} unit */
  take(unit) {
    const { suggestion } = unit;
    if (!suggestion) return false;
    this.session.setTaken(unit, true);
    if (!suggestion.applicable) return this.decide(unit, { applicable: false });
    this.chosen = suggestion.quote ? fromRange(cutOf(unit.item), shownRange(unit.item.text, /** @type {any} */ (suggestion))) : NOTHING;
    return this.yes(unit);
  }

  /** What was highlighted in this text for other types, newest first, each span once. @param {Unit} unit @returns {{range: import("../../lib/offsets.js").Range, types: string[]}[]} */
  otherSpans(unit) {
    /** @type {Map<string, {range: import("../../lib/offsets.js").Range, types: string[]}>} */
    const found = new Map();
    const made = unit.item.units.filter(({ row, type }) => row?.quote && type !== unit.type);
    for (const { row, type } of made.sort((a, b) => String(b.row?.updated_at).localeCompare(String(a.row?.updated_at)))) {
      const range = shownRange(unit.item.text, /** @type {any} */ (row));
      const key = `${range.start}-${range.end}`;
      found.set(key, { range, types: [...(found.get(key)?.types ?? []), type ?? ""] });
    }
    return [...found.values()];
  }

  /** @param {Unit} unit */
  offerSame(unit) {
    const others = this.otherSpans(unit).slice(0, SAME_SHOWN);
    part("ws-same").hidden = !others.length;
    part("ws-same-spans").replaceChildren(
      ...others.map(({ range, types }, index) =>
        element("button", { type: "button", className: "ws-chip", title: unit.item.text.slice(range.start, range.end), data: { act: "same", index } }, types.join(" "))));
  }

  /** The span of another type; pressed again the one before it. @param {Unit} unit @param {number} [index] */
  takeSame(unit, index) {
    const others = this.otherSpans(unit);
    if (!others.length) {
      this.shell.tell(gettext("No other type of this text has a span yet."));
      return true;
    }
    const now = selectedRange(this.selection, cutOf(unit.item));
    const at = others.findIndex(({ range }) => range.start === now?.start && range.end === now?.end);
    this.select(fromRange(cutOf(unit.item), others[index ?? (at + 1) % others.length].range));
    return true;
  }

  /** Faintly under the text, for who wants it: what one highlighted for its other types. @param {Unit} unit */
  drawOthers(unit) {
    this.view.draw("ws-mine", this.showsOthers ? this.otherSpans(unit).map(({ range }) => range) : []);
  }

  toggleOthers() {
    this.showsOthers = !this.showsOthers;
    try {
      localStorage.setItem(OTHERS, this.showsOthers ? "on" : "off");
    } catch { /* it then lasts as long as the page */ }
    if (this.unit) this.drawOthers(this.unit);
    this.shell.tell(this.showsOthers ? gettext("Spans of the other types are underlined.") : gettext("Spans of the other types are hidden."));
    return true;
  }

  /** @param {Unit} unit */
  keep(unit) {
    if (this.view.mend()) {
      this.shell.tell(FOREIGN());
      return true;
    }
    const range = this.step === 2 ? selectedRange(this.selection, cutOf(unit.item)) : null;
    if (!range) {
      this.shell.say(gettext("Nothing is chosen yet."));
      return true;
    }
    return this.decide(unit, { applicable: true, ...storedSpan(unit.item.text, range) });
  }

  back() {
    if (this.note.purpose) this.closeNote();
    else if (this.step === 2 && this.unit) {
      this.selection = NOTHING;
      this.show(this.unit);
    } else if (this.chosen.focus >= 0) this.choose(NOTHING);
    else if (!part("ws-mine").hidden) this.toggleMine();
    else return false;
    return true;
  }

  /**
   * @param {Unit} unit
   * @param {Record<string, any>} answer
   * @param {boolean} [advance]
   * @returns {boolean}
   */
  decide(unit, answer, advance = true) {
    const { unsure } = this.session.draft(unit);
    const comment = this.session.commentFor(unit, answer);
    const whole = { applicable: null, cannot_judge: false, start: null, end: null, quote: null, comment, unsure, ...answer };
    this.wrong = Object.values(this.session.decide(unit, whole, { advance })).join(" ");
    if (this.wrong) {
      part("ws-answer").textContent = this.wrong;
      this.shell.say(this.wrong);
    } else {
      this.shell.last(this.session, unit);
    }
    return true;
  }

  /** @param {Unit} unit */
  askWhy(unit) {
    this.openNote("cannot", gettext("Why can this not be judged?"), unit, (comment) => {
      this.decide(unit, { cannot_judge: true, comment });
      return this.wrong;
    });
    return true;
  }

  /** What stands beside an answer: with a decision it is stored at once, before one it waits for it. @param {Unit} unit @param {Record<string, any>} change */
  change(unit, change) {
    this.wrong = this.session.tooLong(change);
    if (this.wrong) return;
    if (!answerKind(unit.row)) {
      this.session.setDraft(unit, change);
      return;
    }
    const { applicable, cannot_judge, start, end, quote } = /** @type {any} */ (unit.row);
    const { comment, unsure } = this.session.draft(unit);
    this.decide(unit, { applicable, cannot_judge, start, end, quote, comment, unsure, ...change }, false);
  }

  /** @param {string} purpose @param {string} label @param {Unit} unit @param {(text: string) => string} onKeep */
  openNote(purpose, label, unit, onKeep) {
    this.shell.panel("note");
    this.note.open(unit, purpose, { label, onKeep });
  }

  closeNote() {
    if (this.unit) this.session.setTyped(this.unit, this.note.purpose, null);
    this.note.purpose = "";
    this.shell.panel(this.step === 2 ? "live" : "ask");
    (this.note.opener ?? part("ws-text-box")).focus({ preventScroll: true });
  }

  toggleMine() {
    const mine = part("ws-mine");
    mine.hidden = !mine.hidden;
    part("ws-mine-toggle").setAttribute("aria-expanded", String(!mine.hidden));
    if (this.unit) this.refresh(this.unit);
    if (!mine.hidden) mine.scrollIntoView({ block: "nearest" });
    return true;
  }
}
