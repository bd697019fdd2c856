/** The page of a matching round: first the reference that asks for the same as the question, or none; then, where none does, its label. */

import { element, keycap, part } from "../../lib/dialogs.js";
import { gettext, interpolate } from "../../lib/i18n.js";
import { fitting } from "./reference_filter.js";
import { settle } from "./question_card.js";
import { QuestionsPage } from "./questions_page.js";
import { given } from "../text/given.js";

/**
 * @typedef {import("../units.js").Unit} Unit
 * @typedef {import("../keys.js").Act} Act
 */

const DIGITS = 9;

export class MatchingPage extends QuestionsPage {
  /** @param {import("../shell.js").Shell} shell @param {import("../session.js").Session} session */
  constructor(shell, session) {
    super(shell, session);
    /** Whether the references are looked at again though none was said to fit. */
    this.again = false;
    /** Those on the page, in their order. @type {{id: number, text: string}[]} */
    this.shown = [];
    this.field = /** @type {HTMLInputElement} */ (part("ws-filter"));
    this.field.addEventListener("input", () => this.references());
    this.field.addEventListener("keydown", (event) => this.inField(event));
  }

  /** @override @returns {"match" | "question" | "unhelpful" | "invalid" | "feedback" | "over"} */
  get context() {
    return this.unit && !this.note.purpose && this.isFirstStep(this.unit) ? "match" : /** @type {any} */ (super.context);
  }

  /** @param {Unit} unit @returns {boolean} whether the references are asked, not the label */
  isFirstStep(unit) {
    const { label, none } = this.session.draft(unit);
    if (label || none) return false;
    return this.again || !unit.row?.label || unit.row.label === "REF";
  }

  /** @override @param {Unit} unit */
  show(unit) {
    this.again = false;
    this.field.value = "";
    super.show(unit);
  }

  /** @override @param {Unit} unit */
  dock(unit) {
    const first = this.isFirstStep(unit);
    part("ws-ask").textContent = first
      ? gettext("Which of these references asks for the same?")
      : gettext("None asks for the same. Can the question undermine the text’s arguments?");
    if (!first) {
      super.dock(unit);
      return;
    }
    this.references();
    this.layer("match");
  }

  /** The references that fit what stands in the field, the first nine with a digit. */
  references() {
    const { unit } = this;
    if (!unit) return;
    const offered = unit.question?.references ?? [];
    const all = unit.item.references.filter(({ id }) => offered.includes(id));
    this.shown = fitting(all, this.field.value);
    const picked = unit.row?.label === "REF" ? unit.row.reference : null;
    part("ws-references").replaceChildren(
      ...this.shown.map(({ id, text }, index) =>
        element("li", {},
          element("button", { type: "button", className: "ws-reference", data: { act: "reference", index }, "aria-pressed": String(id === picked) },
            element("span", { className: "ws-digit" }, ...(index < DIGITS ? [keycap(String(index + 1))] : [])), given({}, text)))));
    part("ws-match-count").textContent = this.shown.length === all.length
      ? interpolate(gettext("%(n)s references"), { n: all.length })
      : interpolate(gettext("%(n)s of %(all)s references"), { n: this.shown.length, all: all.length });
  }

  /** @param {KeyboardEvent} event */
  inField(event) {
    if (event.isComposing) return;
    if (event.key === "ArrowDown") this.move(1);
    else if (event.key === "Enter") this.pick(0);
    else if (event.key === "Escape") {
      this.field.value = "";
      this.references();
      this.field.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @override @param {Act} act @returns {boolean} */
  act({ act, index = 0, step = 1 }) {
    const { unit } = this;
    if (!unit) return false;
    switch (act) {
      case "reference": return this.pick(index);
      case "none": return this.none(unit);
      case "move": return this.move(step);
      case "filter":
        this.field.focus();
        return true;
      case "references": return this.lookAgain(unit);
      default: return super.act({ act, index });
    }
  }

  /** @param {number} index @returns {boolean} */
  pick(index) {
    const reference = this.shown[index];
    if (!this.unit || !reference) return false;
    const refused = this.session.refusal(this.unit);
    if (refused) this.shell.tell(refused);
    else this.decide(this.unit, { label: "REF", reference: reference.id });
    return true;
  }

  /** @param {Unit} unit @returns {true} */
  none(unit) {
    this.again = false;
    this.session.setDraft(unit, { none: true });
    this.dock(unit);
    this.refresh(unit);
    settle(this.card, false);
    this.shell.say(gettext("None. Which label has the question?"));
    return true;
  }

  /** The arrows go through the references; Enter picks the one that has the focus. @param {1 | -1} step @returns {true} */
  move(step) {
    const buttons = /** @type {HTMLElement[]} */ ([...part("ws-references").querySelectorAll("button"), part("ws-none")]);
    const at = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = at < 0 ? (step > 0 ? 0 : buttons.length - 1) : at + step;
    buttons[Math.max(0, Math.min(next, buttons.length - 1))].focus();
    return true;
  }

  /** Back to step one. @param {Unit} unit @returns {true} */
  lookAgain(unit) {
    this.again = true;
    this.note.purpose = "";
    this.session.setDraft(unit, { none: false, label: "", reason: "" });
    this.dock(unit);
    this.refresh(unit);
    settle(this.card, false);
    return true;
  }

  /** @override @param {Unit} unit */
  back(unit) {
    if (this.note.purpose || this.session.draft(unit).label) return super.back(unit);
    return this.isFirstStep(unit) ? false : this.lookAgain(unit);
  }

  /** @override @param {Unit} unit */
  refresh(unit) {
    super.refresh(unit);
    part("ws-ask").classList.remove("visually-hidden");
    if (this.unit === unit && this.card.dataset.shown === "match") this.references();
  }

  /**
   * @param {Unit} unit @param {Record<string, any>} answer @param {boolean} [advance]
   * @returns {string} what is wrong, or ""
   * @override
   */
  decide(unit, answer, advance = true) {
    const reference = answer.reference ?? (answer.label === "REF" ? unit.row?.reference : null) ?? null;
    return super.decide(unit, { ...answer, reference }, advance);
  }
}
