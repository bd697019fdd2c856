/** The page of one unit: keys for sides and neighbours, and choosing a span in the text. */

import { shownRange, storedSpan } from "./offsets.js";
import { edgeMoved, firstSpan } from "./span_move.js";
import { cut } from "./words.js";

const BLANK = "_____";
const data = JSON.parse(document.getElementById("unit-data").textContent);
const form = document.getElementById("decide");
const pieces = [...document.querySelectorAll("#unit-text .piece")].map((node) => {
  const start = Number(node.dataset.start);
  const range = shownRange(data.text, { start, end: start + Number(node.dataset.length) });
  // HTML has dropped carriage returns; the stored text has them, and offsets count them.
  node.textContent = data.text.slice(range.start, range.end);
  return { node: node.firstChild, ...range };
});

/** @type {import("./offsets.js").Range | null} the span in view, in UTF-16 units */
let span = null;

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
  const other = form.querySelector("[value=other]");
  if (other?.checked && chosen) {
    form.elements.start.value = chosen.start;
    form.elements.end.value = chosen.end;
    form.elements.words.value = chosen.quote;
  } else {
    form.elements.start.value = form.elements.end.value = "";
  }
}

function choose(range) {
  span = range;
  const other = form.querySelector("[value=other]");
  if (!other) return;
  other.checked = true;
  form.querySelector(".adjust").hidden = false;
  show();
}

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

function move(edge, step) {
  if (!span) return;
  const { words } = cut(data.text);
  choose(edgeMoved(words, span, edge, step));
}

if (form) {
  document.getElementById("unit-text").addEventListener("pointerup", () => setTimeout(takeSelection, 0));
  form.addEventListener("change", (event) => {
    if (event.target.name !== "side" || event.target.value === "other") return show();
    const side = firstSpan(event.target.value);
    span = side ? shownRange(data.text, side) : null;
    const adjust = form.querySelector(".adjust");
    if (adjust) adjust.hidden = !span;
    show();
  });
  form.elements.words?.addEventListener("input", () => {
    // Typed words are found by the server; the measured place no longer holds.
    form.elements.start.value = form.elements.end.value = "";
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (!button) return;
    const [edge, step] = button.dataset.move.split(":");
    move(edge, Number(step));
  });
}

const MOVES = { "[": ["start", -1], "]": ["start", 1], "{": ["end", -1], "}": ["end", 1] };

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && form?.contains(event.target)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[name=and_next]"));
    return;
  }
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const neighbour = document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`);
  if (neighbour) return neighbour.click();
  if (event.key === "c") {
    event.preventDefault();
    document.getElementById("comment").focus();
  }
  if (!form) return;
  if (event.key === "w") {
    event.preventDefault();
    form.elements.why.focus();
  }
  if (MOVES[event.key]) move(...MOVES[event.key]);
  const side = form.querySelector(`[data-number="${CSS.escape(event.key)}"]`);
  if (side) {
    side.checked = true;
    side.dispatchEvent(new Event("change", { bubbles: true }));
  }
});
