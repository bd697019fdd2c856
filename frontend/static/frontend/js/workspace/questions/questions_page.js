/** The page of CQs-Gen: all questions of a text beside it; the one that is asked is a card with its labels, their rules, and what a label asks for. */

import { element, keycap, part } from "../../lib/dialogs.js";
import { gettext, interpolate } from "../../lib/i18n.js";
import { askComment, toggleUnsure } from "../comment_flag.js";
import { watch } from "../text/given.js";
import { choiceKey } from "../keys.js";
import { Note } from "../note_form.js";
import { foldText, inSight, questionHead, rulesShown, settle, showRules } from "./question_card.js";
import { isDecided } from "../units.js";
import { TextView } from "../text/text_view.js";
import { answerText } from "../answer_text.js";
import { showSuggestion } from "../suggestion.js";

/**
 * @typedef {import("../units.js").Unit} Unit
 * @typedef {import("../keys.js").Act} Act
 */

const FOREIGN = () => gettext("Another program changed the text on this page (a translation, an extension). It is put back: switch that program off here.");

export class QuestionsPage {
  /** @param {import("../shell.js").Shell} shell @param {import("../session.js").Session} session */
  constructor(shell, session) {
    this.shell = shell;
    this.session = session;
    this.spec = session.spec;
    /** @type {Unit | null} */
    this.unit = null;
    this.wrong = "";
    this.rtl = false;
    this.card = part("ws-dock");
    this.view = new TextView(part("ws-text-box"), part("ws-text"), null, () => this.shell.tell(FOREIGN()));
    /** The folded questions and the heading of the card as they were made. @type {Map<Element, Node>} */
    this.made = new Map();
    this.trust = watch(part("ws-question-list"), () => this.mend(), () => this.shell.tell(FOREIGN()));
    this.note = new Note(session, () => this.leaveNote());
    this.starts = element("div", { className: "ws-starts", role: "group" });
    this.note.form.prepend(this.starts);
    for (const panel of this.card.querySelectorAll("[data-panel]")) panel.removeAttribute("hidden");
    part("ws-labels").replaceChildren(...this.spec.labels.map((/** @type {any} */ label, /** @type {number} */ index) => this.labelWithRule(label, index)));
    part("ws-labels-short").replaceChildren(
      ...this.spec.labels.map((/** @type {any} */ label, /** @type {number} */ index) =>
        element("button", { type: "button", className: `ws-label-short label-${label.code}`, data: { act: "label", index }, "aria-pressed": "false" }, label.name, " ", keycap(String(index + 1)))));
    part("ws-choices").replaceChildren(
      ...this.spec.reasons.map((/** @type {any} */ reason, /** @type {number} */ index) =>
        this.ruleButton("ws-reason", { act: "choice", index }, reason, choiceKey(index))));
    showRules(rulesShown());
    part("ws-question-list").addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-jump]"));
      const unit = this.session.units.byKey.get(button?.dataset.jump ?? "");
      if (!unit) return;
      const byKeyboard = button?.matches(":focus-visible");
      this.session.show(unit);
      if (byKeyboard) /** @type {HTMLElement | null} */ (part("ws-labels").querySelector(".ws-label"))?.focus();
    });
  }

  /** A name with its key, and what it means beside it. @param {string} className @param {Record<string, any>} data @param {any} entry @param {string} key */
  ruleButton(className, data, entry, key) {
    const id = `ws-means-${entry.code}`;
    const button = element("button", { type: "button", className, data, "aria-labelledby": `${id}-name`, "aria-describedby": id },
      element("span", { className: "ws-name" }, element("b", { id: `${id}-name` }, entry.name), " ", keycap(key)),
      element("span", { className: "ws-means", id, dir: "auto" }, entry.description));
    return button;
  }

  /** A label with its rule, and below it what is the usual answer to its next question, one press or click away. @param {any} label @param {number} index */
  labelWithRule(label, index) {
    const button = this.ruleButton(`ws-label label-${label.code}`, { act: "label", index }, label, String(index + 1));
    button.setAttribute("aria-pressed", "false");
    /** @type {HTMLElement[]} */
    let quick = [];
    if (label.code === "UN") quick = this.choiceButtons(this.spec.comment_starts, (start) => start.text);
    if (label.code === "IN") quick = this.spec.reasons.map((/** @type {any} */ reason, /** @type {number} */ at) => element("button", { type: "button", data: { act: "label", index: this.spec.labels.length + at } }, reason.name));
    return element("div", { className: `ws-label-row label-${label.code}` }, button, ...(quick.length ? [element("div", { className: "ws-quick", role: "group", "aria-label": label.name }, ...quick)] : []));
  }

  /** @returns {"match" | "question" | "unhelpful" | "invalid" | "feedback" | "over"} */
  get context() {
    if (!this.unit) return "over";
    if (this.session.isLocked(this.unit)) return "feedback";
    if (this.note.purpose && this.note.purpose !== "unhelpful") return "question";
    // The keys of the usual comments hold before a label is begun, too.
    return this.session.draft(this.unit).label === "IN" ? "invalid" : "unhelpful";
  }

  /** @param {Unit} unit */
  show(unit) {
    const newItem = this.unit?.item !== unit.item;
    this.unit = unit;
    this.note.purpose = "";
    if (document.activeElement?.closest(".ws-note, [data-act]")) /** @type {HTMLElement} */ (document.activeElement).blur();
    if (newItem) {
      this.view.show(unit.item.text);
      this.trust();
      document.querySelector(".ws-read")?.scrollTo(0, 0);
      part("ws-item").textContent = unit.item.id;
      part("ws-topic").textContent = unit.item.topic;
    }
    this.list(unit);
    this.dock(unit);
    this.refresh(unit);
    settle(this.card, newItem);
    const place = interpolate(gettext("Question %(n)s of %(all)s"), { n: unit.item.units.indexOf(unit) + 1, all: unit.item.units.length });
    this.shell.say(`${newItem ? `${unit.item.id}. ` : ""}${place}: ${unit.question?.text}`);
  }

  /** Every question of the text folded, but for the one that is asked: its card is moved below it, and moved by nothing else. @param {Unit} unit */
  list(unit) {
    const list = part("ws-question-list");
    const { units } = unit.item;
    if (list.dataset.assignment !== String(unit.assignment)) {
      list.dataset.assignment = String(unit.assignment);
      list.replaceChildren(...units.map(() => element("li", {}, element("div"))));
      this.made.clear();
    }
    for (const [index, other] of units.entries()) {
      const line = /** @type {HTMLElement} */ (list.children[index]);
      const before = /** @type {HTMLElement} */ (line.firstElementChild);
      const head = questionHead(this.session, other, index, other === unit);
      line.classList.toggle("now", other === unit);
      if (!before.isEqualNode(head)) {
        const focused = before.matches(":focus-visible");
        before.replaceWith(head);
        this.made.set(line, head.cloneNode(true));
        if (focused) head.focus({ preventScroll: true });
      }
      if (other === unit && this.card.parentElement !== line) line.append(this.card);
    }
  }

  /** Put the questions back where another program changed them. @returns {boolean} whether one had */
  mend() {
    const foreign = [...this.made].filter(([line, made]) => !line.firstElementChild?.isEqualNode(made));
    for (const [line, made] of foreign) line.firstElementChild?.replaceWith(made.cloneNode(true));
    return foreign.length > 0;
  }

  /** What the card shows for the label that was begun. @param {Unit} unit */
  dock(unit) {
    const { label, reason } = this.session.draft(unit);
    if (this.session.isLocked(unit)) {
      this.layer("feedback");
      this.shell.feedback(this.session, unit);
    } else if (label === "UN") this.unhelpful(unit);
    else if (label === "IN" && reason) this.edited(unit);
    else if (label === "IN") this.layer("choice");
    else this.layer("ask");
  }

  /** Nothing else moves: all layers have the same place. @param {"ask" | "choice" | "note" | "feedback" | "match"} shown @param {any} [meant]  label or reason whose rule stands above */
  layer(shown, meant = null) {
    this.card.dataset.shown = shown;
    for (const layer of /** @type {NodeListOf<HTMLElement>} */ (this.card.querySelectorAll("[data-layer]"))) layer.classList.toggle("off", !layer.dataset.layer?.split(" ").includes(shown));
    part("ws-why").replaceChildren(...(meant ? [element("b", {}, meant.name), ` ${meant.description}`] : []));
    if (shown !== "ask" && shown !== "match") inSight(this.card);
  }

  /** @param {any[]} entries @param {string} code */
  named(entries, code) {
    return entries.find((entry) => entry.code === code) ?? null;
  }

  /** @param {any[]} entries @param {(entry: any) => string} name */
  choiceButtons(entries, name) {
    return entries.map((entry, index) => element("button", { type: "button", data: { act: "choice", index } }, `${name(entry)} `, keycap(choiceKey(index))));
  }

  /** @param {Unit} unit */
  unhelpful(unit) {
    this.layer("note", this.named(this.spec.labels, "UN"));
    this.starts.replaceChildren(...this.choiceButtons(this.spec.comment_starts, (start) => start.text));
    this.note.open(unit, "unhelpful", {
      label: gettext("Why is it unhelpful?"), hint: gettext("C: in your own words"), focus: false,
      onKeep: (text) => this.decide(unit, { label: "UN", comment: text }),
    });
  }

  /** @param {Unit} unit */
  edited(unit) {
    const { reason, edited_question: edited } = this.session.draft(unit);
    const original = unit.question?.text ?? "";
    this.layer("note", this.named(this.spec.reasons, reason));
    this.starts.replaceChildren(
      ...this.spec.reasons.map((/** @type {any} */ entry, /** @type {number} */ index) =>
        element("button", { type: "button", data: { act: "choice", index }, "aria-pressed": String(entry.code === reason) }, entry.name)));
    this.note.open(unit, "edit", {
      label: gettext("Optional: the same idea without the new concept"),
      value: edited || original,
      onInput: (text) => this.session.setDraft(unit, { edited_question: text }),
      onKeep: (text) => this.decide(unit, { label: "IN", reason, edited_question: text === original ? "" : text }),
    });
  }

  /** @param {Unit} unit */
  refresh(unit) {
    if (!this.unit || unit.item !== this.unit.item) return;
    this.list(this.unit);
    if (unit === this.unit && this.session.isLocked(unit)) this.dock(unit);
    const { row } = this.unit;
    const draft = this.session.draft(this.unit);
    const label = draft.label || row?.label;
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (this.card.querySelectorAll(".ws-label, .ws-label-short"))) {
      button.setAttribute("aria-pressed", String(this.spec.labels[Number(button.dataset.index)].code === label));
    }
    const said = isDecided(row) ? interpolate(gettext("You said %(answer)s"), { answer: answerText(row, this.spec) }) : "";
    part("ws-answer").textContent = said;
    part("ws-ask").classList.toggle("visually-hidden", Boolean(said));
    showSuggestion(this.shell, this.session, this.unit);
    this.shell.beside(draft);
    const values = { text: this.unit.item.index + 1, texts: this.session.units.itemsTotal, n: this.unit.item.units.indexOf(this.unit) + 1, all: this.unit.item.units.length };
    this.shell.position(interpolate(gettext("Text %(text)s of %(texts)s · question %(n)s of %(all)s"), values), `${values.text}/${values.texts} · ${values.n}/${values.all}`);
  }

  /** @param {Act} act @returns {boolean} */
  act({ act, index = 0 }) {
    const { unit } = this;
    if (!unit) return false;
    if (act === "onward") {
      this.session.advance();
      return true;
    }
    if (this.session.isLocked(unit) && ["label", "choice", "keep", "take", "cannot", "comment", "unsure"].includes(act)) return true;
    if (act === "label" || act === "back") this.session.setTaken(unit, false);
    switch (act) {
      case "take": return this.take(unit);
      case "rules": showRules(!rulesShown(), true); return true;
      case "fold": return foldText();
      // Behind the labels stand the reasons: Invalid with a reason is one click.
      case "label": return index < this.spec.labels.length ? this.label(unit, this.spec.labels[index].code) : this.reason(unit, this.spec.reasons[index - this.spec.labels.length]);
      case "choice": return this.choose(unit, index);
      case "keep": if (this.note.purpose) this.note.keep(); return Boolean(this.note.purpose);
      case "back": return this.back(unit);
      case "note-cancel": this.leaveNote(); return true;
      case "cannot": return this.askWhy(unit);
      case "comment": return this.comment(unit);
      case "unsure": return toggleUnsure(this, unit);
      default: return false;
    }
  }

  /** What the language model suggests, as if its key had been pressed: what the label asks for is asked. @param {Unit} unit @returns {boolean} */
  take(unit) {
    if (!unit.suggestion) return false;
    this.session.setTaken(unit, true);
    return this.label(unit, unit.suggestion.label ?? "");
  }

  /** @param {Unit} unit @param {string} code @returns {boolean} */
  label(unit, code) {
    if (code === "USE") {
      this.decide(unit, { label: "USE" });
      return true;
    }
    const same = unit.row?.label === code ? unit.row : null;
    const byKeyboard = document.activeElement?.matches(".ws-label:focus-visible");
    this.session.setDraft(unit, { label: code, reason: "", edited_question: same?.edited_question ?? "" });
    this.note.purpose = "";
    this.dock(unit);
    this.refresh(unit);
    if (byKeyboard) /** @type {HTMLElement | null} */ (part("ws-labels-short").querySelector("[aria-pressed=true]"))?.focus({ preventScroll: true });
    this.shell.say(code === "UN" ? gettext("Unhelpful: say why.") : gettext("Invalid: choose a reason."));
    return true;
  }

  /** @param {Unit} unit @param {number} index @returns {boolean} */
  choose(unit, index) {
    const { label } = this.session.draft(unit);
    if (label === "IN") return this.reason(unit, this.spec.reasons[index]);
    if (label !== "UN") return this.usual(unit, index);
    const start = this.spec.comment_starts[index];
    if (!start) return false;
    this.session.setTyped(unit, "unhelpful", start.text);
    this.note.field.value = start.text;
    this.note.focus();
    return true;
  }

  /** Unhelpful for a usual reason is one key or one click. @param {Unit} unit @param {number} index @returns {boolean} */
  usual(unit, index) {
    const start = this.spec.comment_starts[index];
    if (start) this.decide(unit, { label: "UN", comment: start.text });
    return Boolean(start);
  }

  /** @param {Unit} unit @param {any} reason @returns {boolean} */
  reason(unit, reason) {
    if (!reason) return false;
    if (!reason.edited_question) {
      this.decide(unit, { label: "IN", reason: reason.code });
      return true;
    }
    const same = unit.row?.reason === reason.code ? unit.row : null;
    const { label, edited_question: begun } = this.session.draft(unit);
    this.session.setDraft(unit, { label: "IN", reason: reason.code, edited_question: (label === "IN" && begun) || same?.edited_question || "" });
    this.dock(unit);
    this.refresh(unit);
    return true;
  }

  /** Esc in the note: the field is left, and from an edited question it goes back to the reasons. */
  leaveNote() {
    const { unit } = this;
    this.note.field.blur();
    if (!unit) return;
    if (this.note.purpose === "edit") this.session.setDraft(unit, { reason: "" });
    else if (this.note.purpose === "unhelpful") this.session.setDraft(unit, { label: "" });
    else this.session.setTyped(unit, this.note.purpose, null);
    this.note.purpose = "";
    this.dock(unit);
    this.refresh(unit);
    this.note.opener?.focus();
  }

  /** @param {Unit} unit */
  back(unit) {
    if (this.note.purpose) this.leaveNote();
    else if (this.session.draft(unit).label) {
      this.session.setDraft(unit, { label: "", reason: "" });
      this.dock(unit);
      this.refresh(unit);
    } else return false;
    return true;
  }

  /**
   * @param {Unit} unit
   * @param {Record<string, any>} answer
   * @param {boolean} [advance]
   * @returns {string} what is wrong, or ""
   */
  decide(unit, answer, advance = true) {
    // Nothing is decided about a question that is not the one on the page.
    if (this.mend() || this.view.mend()) {
      this.shell.tell(FOREIGN());
      return "";
    }
    const { unsure } = this.session.draft(unit);
    const comment = this.session.commentFor(unit, answer);
    const whole = { label: null, cannot_judge: false, reason: "", comment, edited_question: "", unsure, ...answer };
    this.wrong = Object.values(this.session.decide(unit, whole, { advance })).join(" ");
    if (this.wrong) this.shell.say(this.wrong);
    else this.shell.last(this.session, unit);
    return this.wrong;
  }

  /** @param {Unit} unit */
  askWhy(unit) {
    this.openNote("cannot", gettext("Why can this not be judged?"), unit, (comment) => this.decide(unit, { cannot_judge: true, comment }));
    return true;
  }

  /** The note that an unhelpful question needs is its comment. @param {Unit} unit */
  comment(unit) {
    if (this.note.purpose !== "unhelpful") return askComment(this, unit, gettext("Comment on this question"), () => this.leaveNote());
    this.note.focus();
    return true;
  }

  /** @param {Unit} unit @param {Record<string, any>} change */
  change(unit, change) {
    this.wrong = this.session.tooLong(change);
    if (this.wrong) return;
    if (!isDecided(unit.row) || this.session.isIncomplete(unit)) {
      this.session.setDraft(unit, change);
      return;
    }
    const { label, cannot_judge, reason, edited_question } = /** @type {any} */ (unit.row);
    const { comment, unsure } = this.session.draft(unit);
    this.decide(unit, { label, cannot_judge, reason, edited_question, comment, unsure, ...change }, false);
  }

  /** @param {string} purpose @param {string} label @param {Unit} unit @param {(text: string) => string} onKeep */
  openNote(purpose, label, unit, onKeep) {
    this.starts.replaceChildren();
    this.layer("note");
    this.note.open(unit, purpose, { label, onKeep });
  }
}
