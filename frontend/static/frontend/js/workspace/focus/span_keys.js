/** What the keys of step 2 do to the selection: by words, lines and pages as they are seen, by sentences, by letters. */

import { goTo, jump, moveLetter, moveSentence, moveWord } from "../text/selection.js";

/**
 * @typedef {import("../text/selection.js").Selection} Selection
 * @typedef {import("../text/segmentation.js").Cut & {mixed: boolean, rtl: boolean}} Pieces
 * @typedef {import("../text/text_view.js").TextView} TextView
 */

/**
 * @param {import("../keys.js").Act} act
 * @param {Selection} selection
 * @param {Pieces} pieces
 * @param {string} text
 * @param {TextView} view
 * @returns {Selection | null} null for any other act
 */
export function moved({ act, step = 1, extend = false, edge = "end", letter = "" }, selection, pieces, text, view) {
  const { focus } = selection;
  const way = step > 0 ? "down" : "up";
  switch (act) {
    case "word": return byWord(selection, pieces, view, step, extend);
    case "sentence": return moveSentence(selection, pieces, step, extend);
    case "jump": return jump(selection, pieces, text, letter, extend) ?? selection;
    case "letter": return moveLetter(selection, pieces, text, edge, step);
    case "text-edge": return goTo(selection, step > 0 ? pieces.words.length - 1 : 0, extend);
    case "line":
    case "page":
    case "line-edge": break;
    default: return null;
  }
  if (focus < 0) return moveWord(selection, pieces, step, false);
  if (act === "line-edge") return goTo(selection, view.lineEdge(pieces, focus, step), extend);
  let word = focus;
  for (let lines = act === "line" ? 1 : view.linesInSight(paneOf(view)) - 1; lines > 0; lines -= 1) word = view.wordBeside(pieces, word, way);
  return goTo(selection, word, extend);
}

/** @param {TextView} view @param {import("../../lib/offsets.js").Range} range */
export function keepInSight(view, range) {
  const pane = paneOf(view);
  const { top, bottom } = view.lastRect(range);
  const page = pane === document.scrollingElement;
  // In a low window the page itself scrolls, below a dock that stays.
  const frame = page ? { top: 0, bottom: Math.min(window.innerHeight, document.getElementById("ws-dock")?.getBoundingClientRect().top ?? Infinity) } : pane.getBoundingClientRect();
  pane.scrollBy(0, Math.min(0, top - frame.top - 24) || Math.max(0, bottom - frame.bottom + 24));
}

/** What scrolls the text: its own pane, on narrow pages the column around it, in low windows the page. @param {TextView} view */
function paneOf({ box }) {
  const panes = [box.closest(".ws-read"), box.closest(".ws-columns")];
  return panes.find((pane) => pane && pane.scrollHeight > pane.clientHeight && getComputedStyle(pane).overflowY === "auto") ?? /** @type {Element} */ (document.scrollingElement);
}

/** @param {Selection} selection @param {Pieces} pieces @param {TextView} view @param {1 | -1} step @param {boolean} extend */
function byWord(selection, pieces, view, step, extend) {
  if (!pieces.mixed || selection.focus < 0) return moveWord(selection, pieces, step, extend);
  // Both directions in one text: follow what is seen on the line, and the reading order at its ends.
  const word = view.wordBeside(pieces, selection.focus, (step > 0) !== pieces.rtl ? "right" : "left");
  return word === selection.focus ? moveWord(selection, pieces, step, extend) : goTo(selection, word, extend);
}
