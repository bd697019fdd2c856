/**
 * Choosing a span by mouse or finger. A drag snaps to words unless Alt is held; a click or tap takes a word and the next one extends to
 * another; on touch two handles of 44 px move the edges.
 *
 * @typedef {import("../text/selection.js").Selection} Selection
 * @typedef {import("../text/segmentation.js").Cut} Cut
 * @typedef {import("../text/text_view.js").TextView} TextView
 */

import { NOTHING, dragged, goTo, pick, selectedRange, sentenceAround } from "../text/selection.js";
import { wordAt } from "../text/segmentation.js";

/** @param {Event} event */
const isControl = (event) => /** @type {Element} */ (event.target).closest(".ws-handle, button") !== null;

export class Pointing {
  /**
   * @param {TextView} view
   * @param {NodeListOf<HTMLElement>} handles
   * @param {{active: () => boolean, before: () => boolean, cut: () => Cut, get: () => Selection, set: (selection: Selection) => void}} selecting
   */
  constructor(view, handles, selecting) {
    this.view = view;
    this.handles = handles;
    this.selecting = selecting;
    this.touch = false;
    /** Whether the last change of the selection came by mouse. */
    this.byMouse = false;
    this.here = /** @type {HTMLElement | null} */ (view.box.querySelector(".ws-keep-here"));
    /** @type {{at: number, moved: boolean, x: number, y: number} | null} */
    this.drag = null;
    const { box } = view;
    box.addEventListener("pointerdown", (event) => this.down(event));
    box.addEventListener("pointermove", (event) => this.move(event));
    box.addEventListener("click", (event) => this.click(event));
    box.addEventListener("pointercancel", () => { this.drag = null; });
    // The browser's own selection would open its menu over the handles, and look like a second highlight.
    box.addEventListener("selectstart", (event) => { if (selecting.active() || (selecting.before() && !this.touch)) event.preventDefault(); });
    box.addEventListener("contextmenu", (event) => { if (selecting.active() && this.touch) event.preventDefault(); });
    for (const handle of handles) this.listenToHandle(handle);
    new ResizeObserver(() => this.placeHandles()).observe(box);
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.touch = event.pointerType !== "mouse";
    this.drag = null;
    if (!(this.selecting.active() || this.selecting.before()) || event.button !== 0 || this.touch || isControl(event)) return;
    const at = this.view.nearestGap(event.clientX, event.clientY);
    if (at !== null) this.drag = { at, moved: false, x: event.clientX, y: event.clientY };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { drag } = this;
    if (!drag || event.buttons !== 1) return;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 4) return;
    if (!drag.moved) this.view.box.setPointerCapture(event.pointerId);
    drag.moved = true;
    const to = this.view.nearestGap(event.clientX, event.clientY);
    if (to !== null) this.set(dragged(this.selecting.cut(), drag.at, to, event.altKey, this.view.text));
  }

  /** @param {MouseEvent} event */
  click(event) {
    const dragWas = this.drag;
    this.drag = null;
    const before = this.selecting.before() && !this.touch;
    if (!(this.selecting.active() || before) || dragWas?.moved || isControl(event)) return;
    if (before && event.detail < 2) return this.set(NOTHING);
    const letter = this.view.letterAt(event.clientX, event.clientY);
    if (letter === null) return;
    const cut = this.selecting.cut();
    const word = wordAt(cut.words, letter);
    if (word < 0) return;
    // A double click means the word, a triple one its sentence; neither waits for a second end.
    if (this.touch || event.detail < 2) this.set(pick(this.selecting.get(), word, event.shiftKey));
    else this.set(event.detail === 2 ? goTo(this.selecting.get(), word, false) : sentenceAround(cut, word));
  }

  /** @param {Selection} selection */
  set(selection) {
    this.byMouse = !this.touch;
    this.selecting.set(selection);
    this.byMouse = false;
  }

  /** @param {HTMLElement} handle */
  listenToHandle(handle) {
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      // The finger is below the edge it moves: look above it.
      const letter = this.view.letterAt(event.clientX, event.clientY - 34);
      const range = selectedRange(this.selecting.get(), this.selecting.cut());
      if (letter === null || !range) return;
      const other = handle.dataset.edge === "start" ? range.end - 1 : range.start;
      this.set(dragged(this.selecting.cut(), Math.min(letter, other), Math.max(letter, other) + 1, false));
    });
  }

  /** Put the handles at the edges of what is chosen by finger, and “Keep” at the end of what is chosen by mouse. */
  placeHandles() {
    const chosen = this.selecting.active() ? selectedRange(this.selecting.get(), this.selecting.cut()) : null;
    const range = this.touch ? chosen : null;
    const origin = this.view.box.getBoundingClientRect();
    if (this.here) {
      this.here.hidden = !chosen || !this.byMouse;
      if (chosen && this.byMouse) {
        const { x, y } = this.view.edges(chosen).end;
        const { offsetWidth: width } = this.here;
        this.here.style.left = `${Math.max(0, Math.min(x - origin.left + 4, origin.width - width))}px`;
        this.here.style.top = `${y - origin.top + 4}px`;
      }
    }
    for (const handle of this.handles) {
      handle.hidden = !range;
      if (!range) continue;
      const { x, y } = this.view.edges(range)[handle.dataset.edge === "start" ? "start" : "end"];
      handle.style.left = `${x - origin.left}px`;
      handle.style.top = `${y - origin.top}px`;
    }
  }
}
