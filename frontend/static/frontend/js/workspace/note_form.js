/** The small form in the dock for a comment, a word why, or an edited question. Enter keeps, Shift+Enter breaks the line, Esc leaves. */

import { part } from "../lib/dialogs.js";
import { storable } from "./protocol_rules.js";

export class Note {
  /** @param {import("./session.js").Session} session @param {() => void} onLeave */
  constructor(session, onLeave) {
    this.session = session;
    this.form = /** @type {HTMLFormElement} */ (document.querySelector("[data-panel=note]"));
    this.field = /** @type {HTMLTextAreaElement} */ (part("ws-note-text"));
    this.onLeave = onLeave;
    /** What it asks for; empty while it is closed. */
    this.purpose = "";
    this.onKeep = (/** @type {string} */ _text) => "";
    this.onInput = (/** @type {string} */ _text) => {};
    /** Where the keyboard was when the note opened, if on a button. @type {HTMLElement | null} */
    this.opener = null;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.keep();
    });
    this.field.addEventListener("input", () => {
      this.complain("");
      this.onInput(this.text);
    });
    this.field.addEventListener("keydown", (event) => {
      // 229: Safari has ended the composition when the key that ended it arrives.
      if (event.isComposing || event.keyCode === 229) return;
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.keep();
      } else if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        this.onLeave();
      }
    });
  }

  get text() {
    return storable(this.field.value);
  }

  /**
   * @param {import("./units.js").Unit} unit
   * @param {string} purpose
   * @param {object} options
   * @param {string} options.label
   * @param {string} [options.value]
   * @param {string} [options.hint]
   * @param {(text: string) => string} options.onKeep  returns what is wrong, or ""
   * @param {(text: string) => void} [options.onInput]
   * @param {boolean} [options.focus]
   */
  open(unit, purpose, { label, value, hint = "", onKeep, onInput, focus = true }) {
    const at = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!at || !this.form.contains(at)) this.opener = at?.matches("[data-act]:focus-visible") ? at : null;
    this.purpose = purpose;
    part("ws-note-label").textContent = label;
    this.field.value = value ?? this.session.typed(unit, purpose) ?? this.session.draft(unit).comment;
    this.field.placeholder = hint;
    this.onKeep = onKeep;
    this.onInput = onInput ?? ((text) => this.session.setTyped(unit, purpose, text));
    this.complain("");
    if (focus) this.focus();
  }

  focus() {
    this.field.focus();
    this.field.setSelectionRange(this.field.value.length, this.field.value.length);
  }

  keep() {
    this.complain(this.onKeep(this.text));
  }

  /** @param {string} message */
  complain(message) {
    part("ws-note-error").textContent = message;
    if (message) {
      this.field.setAttribute("aria-invalid", "true");
      this.focus();
    } else {
      this.field.removeAttribute("aria-invalid");
    }
  }
}
