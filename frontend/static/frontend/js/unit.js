/** The page of one unit: keys for sides and neighbours, and choosing a span in the text. */

import { shownRange, storedSpan } from "./offsets.js";
import { edgeMoved, firstSpan } from "./span_move.js";
import { cut } from "./words.js";

const BLANK = "_____";
const data = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("unit-data")).textContent);
const form = /** @type {HTMLFormElement | null} */ (document.getElementById("decide"));
/** @type {NodeListOf<HTMLElement>} */
const marked = document.querySelectorAll("#unit-text .piece");
const pieces = [...marked].map((node) => {
  const start = Number(node.dataset.start);
  const range = shownRange(data.text, { start, end: start + Number(node.dataset.length) });
  // HTML has dropped carriage returns; the stored text has them, and offsets count them.
  node.textContent = data.text.slice(range.start, range.end);
  return { node: node.firstChild, ...range };
});

/** @type {import("./offsets.js").Range | null} the span in view, in UTF-16 units */
let span = null;

/** @param {string} name @returns {HTMLInputElement} */
function field(name) {
  return /** @type {HTMLInputElement} */ (/** @type {HTMLFormElement} */ (form).elements.namedItem(name));
}

/** @param {string} selector @returns {HTMLInputElement | null} a side's radio button */
function radio(selector) {
  return /** @type {HTMLFormElement} */ (form).querySelector(selector);
}

/** @param {boolean} shown */
function showAdjusting(shown) {
  const adjust = /** @type {HTMLElement | null} */ (document.querySelector("#decide .adjust"));
  if (adjust) adjust.hidden = !shown;
}

/** @param {number} offset @returns {[Node, number] | null} */
function domPoint(offset) {
  const piece = pieces.find(({ start, end }) => offset >= start && offset <= end && start < end);
  return piece && piece.node ? [piece.node, offset - piece.start] : null;
}

function show() {
  const filled = document.getElementById("filled");
  const chosen = span ? storedSpan(data.text, span) : null;
  if (CSS.highlights) {
    CSS.highlights.delete("ruling");
    const [from, to] = span ? [domPoint(span.start), domPoint(span.end)] : [null, null];
    if (from && to) {
      const range = new Range();
      range.setStart(...from);
      range.setEnd(...to);
      CSS.highlights.set("ruling", new Highlight(range));
    }
  }
  if (filled) {
    filled.hidden = !chosen;
    if (chosen) filled.textContent = data.exemplar.replace(BLANK, () => chosen.quote);
  }
  if (radio("[value=other]")?.checked && chosen) {
    field("start").value = String(chosen.start);
    field("end").value = String(chosen.end);
    field("words").value = chosen.quote;
  } else {
    field("start").value = field("end").value = "";
  }
}

/** @param {import("./offsets.js").Range} range */
function choose(range) {
  span = range;
  const other = radio("[value=other]");
  if (!other) return;
  other.checked = true;
  showAdjusting(true);
  show();
}

/** @param {Node} node @param {number} offset */
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
  if (!span) return;
  choose(edgeMoved(cut(data.text).words, span, edge, step));
}

if (form) {
  document.getElementById("unit-text")?.addEventListener("pointerup", () => setTimeout(takeSelection, 0));
  form.addEventListener("change", (event) => {
    const changed = /** @type {HTMLInputElement} */ (event.target);
    if (changed.name !== "side" || changed.value === "other") return show();
    const side = firstSpan(changed.value);
    span = side ? shownRange(data.text, side) : null;
    showAdjusting(span !== null);
    show();
  });
  field("words")?.addEventListener("input", () => {
    // Typed words are found by the server; the measured place no longer holds.
    field("start").value = field("end").value = "";
  });
  form.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-move]"));
    if (!button) return;
    const [edge, step] = (button.dataset.move ?? "").split(":");
    move(/** @type {"start" | "end"} */ (edge), step === "1" ? 1 : -1);
  });
}

/** @type {Record<string, ["start" | "end", 1 | -1]>} */
const MOVES = { "[": ["start", -1], "]": ["start", 1], "{": ["end", -1], "}": ["end", 1] };

document.addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form?.contains(target)) {
    event.preventDefault();
    form.requestSubmit(/** @type {HTMLElement | null} */ (form.querySelector("[name=and_next]")));
    return;
  }
  if (event.key === "Escape" && typing) target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const neighbour = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
  if (neighbour instanceof HTMLElement) return neighbour.click();
  if (event.key === "c") {
    event.preventDefault();
    document.getElementById("comment")?.focus();
  }
  if (!form) return;
  if (event.key === "w") {
    event.preventDefault();
    field("why").focus();
  }
  if (MOVES[event.key]) move(...MOVES[event.key]);
  const side = radio(`[data-number="${CSS.escape(event.key)}"]`);
  if (side) {
    side.checked = true;
    side.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
