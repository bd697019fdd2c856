/** The page of CQs-Gen: all questions of a text beside it, a label for each, and what the label asks for. */

import { element, keycap, part, replaceChildren } from "./dialogs.js";
import { gettext, interpolate } from "./i18n.js";
import { choiceKey } from "./keys.js";
import { Note } from "./note.js";
import { isDecided } from "./units.js";
import { TextView } from "./text_view.js";
import { answerText } from "./wording.js";

/**
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {import("./keys.js").Act} Act
 */

export class QuestionsPage {
  /** @param {import("./shell.js").Shell} shell @param {import("./session.js").Session} session */
  constructor(shell, session) {
    this.shell = shell;
    this.session = session;
    this.spec = session.spec;
    /** @type {Unit | null} */
    this.unit = null;
    this.wrong = "";
    this.rtl = false;
    this.view = new TextView(part("ws-text-box"), part("ws-text"), null);
    this.note = new Note(session, () => this.leaveNote());
    this.starts = element("div", { className: "ws-choices", role: "group" });
    this.note.form.prepend(this.starts);
    part("ws-labels").replaceChildren(
      ...this.spec.labels.map((/** @type {any} */ label, /** @type {number} */ index) =>
        element("button", { type: "button", className: `ws-label label-${label.code}`, title: label.description, data: { act: "label", index }, "aria-pressed": "false" },
          element("span", {}, label.name), " ", keycap(String(index + 1)))));
    part("ws-question-list").addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-jump]"));
      const unit = this.session.units.byKey.get(button?.dataset.jump ?? "");
      if (unit) this.session.show(unit);
    });
  }

  get context() {
    if (!this.unit) return "over";
    if (this.session.isLocked(this.unit)) return "feedback";
    const { label } = this.session.draft(this.unit);
    if (label === "UN") return "unhelpful";
    return label === "IN" && this.note.purpose !== "edit" ? "invalid" : "question";
  }

  /** @param {Unit} unit */
  show(unit) {
    const newItem = this.unit?.item !== unit.item;
    this.unit = unit;
    this.note.purpose = "";
    if (newItem) {
      this.view.show(unit.item.text);
      document.querySelector(".ws-read")?.scrollTo(0, 0);
      part("ws-item").textContent = unit.item.id;
      part("ws-topic").textContent = unit.item.topic;
    }
    this.list(unit);
    this.dock(unit);
    this.refresh(unit);
    if (document.activeElement?.closest(".ws-note, [data-act]")) /** @type {HTMLElement} */ (document.activeElement).blur();
    const place = interpolate(gettext("Question %(n)s of %(all)s"), { n: unit.item.units.indexOf(unit) + 1, all: unit.item.units.length });
    this.shell.say(`${newItem ? `${unit.item.id}. ` : ""}${place}: ${unit.question?.text}`);
  }

  /** @param {Unit} unit */
  list(unit) {
    const list = part("ws-question-list");
    replaceChildren(
      list,
      unit.item.units.map((other, index) => {
        const { row } = other;
        const draft = this.session.draft(other);
        const button = element("button", { type: "button", className: "ws-question", data: { jump: other.key } },
          element("span", { className: "n" }, String(index + 1)), element("span", { dir: "auto" }, other.question?.text ?? ""));
        if (other === unit) button.setAttribute("aria-current", "step");
        if (row?.label) button.append(element("span", { className: `tag label-${row.label}` }, row.reason ? `${row.label} · ${row.reason}` : row.label));
        else if (row?.cannot_judge) button.append(element("span", { className: "tag" }, "?"));
        const why = row?.edited_question || row?.comment || "";
        if (this.session.isIncomplete(other) && other !== unit) {
          button.dataset.incomplete = "yes";
          button.append(element("span", { className: "why" }, interpolate(gettext("begun as %(label)s, not stored yet"), { label: draft.label })));
        } else if (why) {
          button.append(element("span", { className: "why", dir: "auto" }, why));
        }
        return element("li", {}, button);
      }));
    const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
    if (current) list.scrollTo(0, Math.max(0, current.offsetTop - list.offsetTop - list.clientHeight / 3));
  }

  /** What the dock shows for the label that was begun. @param {Unit} unit */
  dock(unit) {
    const { label, reason } = this.session.draft(unit);
    this.starts.replaceChildren();
    if (this.session.isLocked(unit)) {
      this.shell.panel("feedback");
      this.shell.feedback(this.session, unit);
    } else if (label === "UN") this.unhelpful(unit);
    else if (label === "IN" && reason) this.edited(unit);
    else if (label === "IN") this.reasons(gettext("Why is it invalid?"));
    else this.shell.panel("ask");
  }

  /** @param {any[]} entries @param {(entry: any) => string} name */
  choiceButtons(entries, name) {
    return entries.map((entry, index) =>
      element("button", { type: "button", title: entry.description ?? "", data: { act: "choice", index } }, `${name(entry)} `, keycap(choiceKey(index))));
  }

  /** @param {Unit} unit */
  unhelpful(unit) {
    this.shell.panel("note");
    this.starts.replaceChildren(...this.choiceButtons(this.spec.comment_starts, (start) => start.text));
    this.note.open(unit, "unhelpful", {
      label: gettext("Why is it unhelpful?"), hint: gettext("C: in your own words"), focus: false,
      onKeep: (text) => this.decide(unit, { label: "UN", comment: text }),
    });
  }

  /** @param {string} label */
  reasons(label) {
    part("ws-choice-label").textContent = label;
    part("ws-choices").replaceChildren(...this.choiceButtons(this.spec.reasons, (reason) => reason.name));
    this.shell.panel("choice");
  }

  /** @param {Unit} unit */
  edited(unit) {
    const { reason, edited_question: edited } = this.session.draft(unit);
    const original = unit.question?.text ?? "";
    this.shell.panel("note");
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
    if (document.activeElement !== this.note.field) this.list(this.unit);
    if (unit === this.unit && this.session.isLocked(unit)) this.dock(unit);
    const { row } = this.unit;
    const draft = this.session.draft(this.unit);
    const label = draft.label ?? row?.label;
    for (const [index, button] of [...part("ws-labels").children].entries()) button.setAttribute("aria-pressed", String(this.spec.labels[index].code === label));
    part("ws-answer").textContent = isDecided(row) ? interpolate(gettext("You said %(answer)s"), { answer: answerText(row, this.spec) }) : "";
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
    if (this.session.isLocked(unit) && ["label", "choice", "keep", "cannot", "comment", "unsure"].includes(act)) return true;
    switch (act) {
      case "label": return this.label(unit, this.spec.labels[index]?.code);
      case "choice": return this.choose(unit, index);
      case "keep": if (this.note.purpose) this.note.keep(); return Boolean(this.note.purpose);
      case "back": return this.back(unit);
      case "note-cancel": this.leaveNote(); return true;
      case "cannot": return this.askWhy(unit);
      case "comment": return this.askComment(unit);
      case "unsure": return this.toggleUnsure(unit);
      default: return false;
    }
  }

  /** @param {Unit} unit @param {string | undefined} code @returns {boolean} */
  label(unit, code) {
    if (!code) return false;
    if (code === "USE") {
      this.decide(unit, { label: "USE" });
      return true;
    }
    const same = unit.row?.label === code ? unit.row : null;
    this.session.setDraft(unit, { label: code, reason: "", edited_question: same?.edited_question ?? "" });
    this.note.purpose = "";
    this.dock(unit);
    this.refresh(unit);
    this.shell.say(code === "UN" ? gettext("Unhelpful: say why.") : gettext("Invalid: choose a reason."));
    return true;
  }

  /** @param {Unit} unit @param {number} index @returns {boolean} */
  choose(unit, index) {
    const { label } = this.session.draft(unit);
    if (label === "UN") {
      const start = this.spec.comment_starts[index];
      if (!start) return false;
      this.session.setTyped(unit, "unhelpful", start.text);
      this.note.field.value = start.text;
      this.note.focus();
      return true;
    }
    const reason = label === "IN" ? this.spec.reasons[index] : null;
    if (!reason) return false;
    if (!reason.edited_question) {
      this.decide(unit, { label: "IN", reason: reason.code });
      return true;
    }
    this.session.setDraft(unit, { reason: reason.code });
    this.dock(unit);
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

  /** @param {Unit} unit */
  askComment(unit) {
    if (this.note.purpose === "unhelpful") {
      this.note.focus();
      return true;
    }
    this.openNote("comment", gettext("Comment on this question"), unit, (comment) => {
      this.change(unit, { comment });
      if (!this.wrong) this.leaveNote();
      return this.wrong;
    });
    return true;
  }

  /** @param {Unit} unit */
  toggleUnsure(unit) {
    this.change(unit, { unsure: !this.session.draft(unit).unsure });
    this.shell.sayFlag(this.session.draft(unit).unsure);
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
    this.shell.panel("note");
    this.note.open(unit, purpose, { label, onKeep });
  }
}
