/**
 * A span while it is being chosen: two words, or two exact edges once letters were moved. Nothing here knows the page.
 *
 * @typedef {import("../../lib/offsets.js").Range} Range
 * @typedef {import("./segmentation.js").Cut} Cut
 * @typedef {object} Selection
 * @property {number} anchor  index of the word that stays, -1 when nothing is chosen yet
 * @property {number} focus   index of the word that moves
 * @property {Range | null} exact  UTF-16 edges that override the words'
 * @property {boolean} extendNext  the next click or tap extends instead of starting anew
 */

import { beginsWith, letterStep, sentenceEnd, sentenceStep, wordAt } from "./segmentation.js";

/** @type {Selection} */
export const NOTHING = Object.freeze({ anchor: -1, focus: -1, exact: null, extendNext: false });

/** @param {number} anchor @param {number} focus @param {boolean} [extendNext] @returns {Selection} */
const chosen = (anchor, focus, extendNext = false) => ({ anchor, focus, exact: null, extendNext });

/** @param {number} value @param {number} count */
const within = (value, count) => Math.max(0, Math.min(count - 1, value));

/**
 * @param {Selection} selection
 * @param {Cut} cut
 * @returns {Range | null} UTF-16 units
 */
export function selectedRange(selection, { words }) {
  if (selection.exact) return selection.exact;
  if (selection.focus < 0 || !words.length) return null;
  const first = Math.min(selection.anchor, selection.focus);
  const last = Math.max(selection.anchor, selection.focus);
  return { start: words[first].start, end: words[last].end };
}

/**
 * Move by words; from nothing the first step forward takes the first word, the first step back the last.
 *
 * @param {Selection} selection
 * @param {Cut} cut
 * @param {number} step
 * @param {boolean} extend
 * @returns {Selection}
 */
export function moveWord(selection, { words }, step, extend) {
  if (!words.length) return selection;
  if (selection.focus < 0) return goTo(selection, step > 0 ? 0 : words.length - 1, false);
  return goTo(selection, within(selection.focus + step, words.length), extend);
}

/**
 * @param {Selection} selection
 * @param {Cut} cut
 * @param {1 | -1} step
 * @param {boolean} extend
 * @returns {Selection}
 */
export function moveSentence(selection, cut, step, extend) {
  if (!cut.words.length) return selection;
  if (selection.focus < 0) return goTo(selection, step > 0 ? 0 : (cut.sentences.at(-1) ?? 0), false);
  const target = extend && step > 0 ? sentenceEnd(cut, selection.focus) : sentenceStep(cut, selection.focus, step);
  return goTo(selection, target, extend);
}

/** @param {Selection} selection @param {number} word @param {boolean} extend @returns {Selection} */
export function goTo(selection, word, extend) {
  return chosen(extend && selection.anchor >= 0 ? selection.anchor : word, word);
}

/**
 * Go to the next word that begins with a letter, from the end of the text on from its start; or extend to it, which never turns round.
 *
 * @param {Selection} selection
 * @param {Cut} cut
 * @param {string} text
 * @param {string} letter
 * @param {boolean} extend
 * @returns {Selection | null} null where no word begins so
 */
export function jump(selection, { words }, text, letter, extend) {
  const { anchor, focus } = selection;
  const reach = extend && anchor >= 0 ? words.length - focus - 1 : words.length;
  for (let step = 1; step <= reach; step += 1) {
    const word = (Math.max(focus, -1) + step) % words.length;
    if (beginsWith(text.slice(words[word].start, words[word].end), letter)) return goTo(selection, word, extend);
  }
  return null;
}

/**
 * A click or a tap: the first takes the word, the second extends to it, the third starts anew unless it is to extend.
 *
 * @param {Selection} selection
 * @param {number} word
 * @param {boolean} [extend]
 * @returns {Selection}
 */
export function pick(selection, word, extend = false) {
  return (extend || selection.extendNext) && selection.anchor >= 0 ? chosen(selection.anchor, word) : chosen(word, word, true);
}

/** The sentence around a word. @param {Cut} cut @param {number} word @returns {Selection} */
export function sentenceAround(cut, word) {
  const first = cut.sentences.findLast((start) => start <= word) ?? 0;
  return chosen(first, (cut.sentences.find((start) => start > word) ?? cut.words.length) - 1);
}

/**
 * A dragged range, widened to whole words unless `exact`: then without the blanks at its ends.
 *
 * @param {Cut} cut
 * @param {number} from
 * @param {number} to
 * @param {boolean} exact
 * @param {string} [text]
 * @returns {Selection}
 */
export function dragged({ words }, from, to, exact, text = "") {
  let start = Math.min(from, to);
  let end = Math.max(from, to);
  const blank = (/** @type {number} */ at) => exact && start < end && /\s/u.test(text[at] ?? "");
  while (blank(start)) start += 1;
  while (blank(end - 1)) end -= 1;
  if (!words.length || (exact && start === end)) return NOTHING;
  const back = to < from;
  const first = wordAt(words, start);
  const last = Math.max(first, wordAt(words, Math.max(start, end - 1)));
  return { anchor: back ? last : first, focus: back ? first : last, exact: exact ? { start, end } : null, extendNext: false };
}

/**
 * Move one edge by a letter; an edge never passes the other.
 *
 * @param {Selection} selection
 * @param {Cut} cut
 * @param {string} text
 * @param {"start" | "end"} edge
 * @param {1 | -1} step
 * @returns {Selection}
 */
export function moveLetter(selection, cut, text, edge, step) {
  const range = selectedRange(selection, cut);
  if (!range) return selection;
  const moved = { ...range, [edge]: letterStep(text, range[edge], step) };
  return moved.start < moved.end ? { ...selection, exact: moved, extendNext: false } : selection;
}

/**
 * The selection that shows a stored span again.
 *
 * @param {Cut} cut
 * @param {Range} range UTF-16 units
 * @returns {Selection}
 */
export function fromRange({ words }, range) {
  const anchor = wordAt(words, range.start);
  const focus = Math.max(anchor, wordAt(words, range.end - 1));
  const onWords = anchor >= 0 && words[anchor].start === range.start && words[focus].end === range.end;
  return { anchor, focus, exact: onWords ? null : { ...range }, extendNext: false };
}
