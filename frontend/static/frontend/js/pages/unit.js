/** The page of one unit: keys for sides and neighbours, and choosing a span in the text. */

import { edgeOf, isShortcut, letterOf } from "../workspace/keys.js";
import { drawn, shownRange, storedSpan } from "../lib/offsets.js";
import { edgeMoved, firstSpan } from "../lib/span_move.js";
import { cut } from "../workspace/text/segmentation.js";

/** @typedef {import("../lib/offsets.js").Range} Range */

const BLANK = "_____";
const data = JSON.parse(document.getElementById("unit-data")?.textContent ?? "{}");
const text = /** @type {HTMLElement} */ (document.getElementById("unit-text"));
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("decide"));

/** @template {HTMLElement} E @param {string} selector @returns {E | null} the one in the form, where there is a form */
const inForm = (selector) => /** @type {E | null} */ (form?.querySelector(selector) ?? null);
/** @param {string} name @returns {HTMLInputElement | null} */
const field = (name) => inForm(`[name="${name}"]`);
const other = /** @type {HTMLInputElement | null} */ (inForm("[value=other]"));

const whole = drawn(data.text);
const pieces = [.../** @type {NodeListOf<HTMLElement>} */ (text.querySelectorAll(".piece"))].map((node) => {
  const start = Number(node.dataset.start);
  const range = shownRange(data.text, { start, end: start + Number(node.dataset.length) });
  // HTML has dropped carriage returns; the stored text has them, and offsets count them.
  node.textContent = whole.slice(range.start, range.end);
  return { node: node.firstChild ?? node, start: range.start, end: range.end };
});

/** @type {Range | null} the span in view, in UTF-16 units */
let span = null;

/** @param {number} offset UTF-16 units */
function pieceAt(offset) {
  return pieces.find(({ start, end }) => offset >= start && offset <= end && start < end);
}

/** Mark the span in view in the text. */
function mark() {
  if (!CSS.highlights) return;
  CSS.highlights.delete("resolution");
  const [from, to] = span ? [pieceAt(span.start), pieceAt(span.end)] : [null, null];
  if (!span || !from || !to) return;
  const range = new Range();
  range.setStart(from.node, span.start - from.start);
  range.setEnd(to.node, span.end - to.start);
  CSS.highlights.set("resolution", new Highlight(range));
}

/** Show the span in view: its mark, the question it makes, and what the form would send. */
function show() {
  mark();
  const chosen = span ? storedSpan(data.text, span) : null;
  const filled = document.getElementById("filled");
  if (filled) {
    filled.hidden = !chosen;
    if (chosen) filled.textContent = data.exemplar.replace(BLANK, () => chosen.quote);
  }
  const sent = other?.checked ? chosen : null;
  fill("start", sent ? String(sent.start) : "");
  fill("end", sent ? String(sent.end) : "");
  if (sent) fill("words", sent.quote);
}

/** @param {string} name of a field that this unit may lack @param {string} value */
function fill(name, value) {
  const found = field(name);
  if (found) found.value = value;
}

/** @param {boolean} shown whether the buttons that move the edges are */
function showAdjust(shown) {
  const adjust = inForm(".adjust");
  if (adjust) adjust.hidden = !shown;
}

/** @param {Range} range taken as “another span” */
function choose(range) {
  if (!other) return;
  span = range;
  other.checked = true;
  showAdjust(true);
  show();
}

/** @param {Node} node @param {number} offset @returns {number | null} the place in the whole text */
function offsetOf(node, offset) {
  const piece = pieces.find((one) => one.node === node);
  return piece ? piece.start + offset : null;
}

function takeSelection() {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const start = offsetOf(range.startContainer, range.startOffset);
  const end = offsetOf(range.endContainer, range.endOffset);
  if (start !== null && end !== null && start < end) choose({ start, end });
}

/** @param {"start" | "end"} edge @param {1 | -1} step */
function move(edge, step) {
  if (span) choose(edgeMoved(cut(data.text).words, span, edge, step));
}

/** @param {string} value of the side that was taken */
function takeSide(value) {
  if (value !== "other") {
    const first = firstSpan(value);
    span = first ? shownRange(data.text, first) : null;
    showAdjust(span !== null);
  }
  show();
}

/** @param {KeyboardEvent} event one that is no typing and no shortcut of the browser */
function obey(event) {
  const name = letterOf(event);
  const key = CSS.escape(name);
  const neighbour = /** @type {HTMLElement | null} */ (document.querySelector(`a[data-key="${key}"]`));
  if (neighbour) return neighbour.click();
  const focused = name === "c" ? document.getElementById("comment") : name === "w" ? field("why") : null;
  if (focused) {
    event.preventDefault();
    focused.focus();
    return;
  }
  if (!form) return;
  const edge = edgeOf(event);
  if (edge) move(...edge);
  const side = /** @type {HTMLInputElement | null} */ (inForm(`[data-number="${key}"]`));
  if (side) {
    side.checked = true;
    takeSide(side.value);
  }
}

if (form) {
  // The selection is whole only after the pointer's own event.
  text.addEventListener("pointerup", () => setTimeout(takeSelection, 0));
  form.addEventListener("change", (event) => {
    const changed = /** @type {HTMLInputElement} */ (event.target);
    if (changed.name === "side") takeSide(changed.value);
  });
  field("words")?.addEventListener("input", () => {
    // Typed words are found by the server; the measured place no longer holds.
    fill("start", "");
    fill("end", "");
  });
  form.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-move]"));
    if (!button) return;
    const [edge, step] = (button.dataset.move ?? "").split(":");
    move(edge === "start" ? "start" : "end", step === "1" ? 1 : -1);
  });
}

document.addEventListener("keydown", (event) => {
  const at = /** @type {HTMLElement} */ (event.target);
  const typing = at.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form && (form.contains(at) || !typing)) {
    event.preventDefault();
    form.requestSubmit(inForm("[name=and_next]"));
  } else if (typing) {
    if (event.key === "Escape") at.blur();
  } else if (!event.isComposing && !isShortcut(event)) {
    obey(event);
  }
});
