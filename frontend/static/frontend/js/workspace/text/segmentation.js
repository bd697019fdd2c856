/**
 * Words, sentences and letters of a text, in UTF-16 units. Intl.Segmenter knows them in every script, also where no space stands
 * between words; without it words are what stands between spaces.
 *
 * @typedef {import("../../lib/offsets.js").Range} Range
 * @typedef {{words: Range[], sentences: number[]}} Cut  `sentences` holds the index of each sentence's first word
 */

const CARRIES_MEANING = /[\p{L}\p{N}\p{S}\p{M}\p{Extended_Pictographic}]/u;
const BETWEEN_SPACES = /[^\s\p{P}]+(?:[\p{P}\p{M}]+[^\s\p{P}]+)*/gu;
const SENTENCE = /[^.!?。！？؟।\n]+[.!?。！？؟।\n]*\s*/gu;

/** @param {"word" | "sentence" | "grapheme"} granularity */
const segmenter = (granularity) => (globalThis.Intl?.Segmenter ? new Intl.Segmenter("en", { granularity }) : null);
const wordSegmenter = segmenter("word");
const sentenceSegmenter = segmenter("sentence");
const letterSegmenter = segmenter("grapheme");

/**
 * Cut a text once; the workspace keeps the result with the item.
 *
 * @param {string} text
 * @returns {Cut}
 */
export function cut(text) {
  const found = wordSegmenter ? segmentedWords(text) : matches(text, BETWEEN_SPACES);
  // A text of marks alone can be highlighted too.
  const words = found.length ? found : matches(text, /\S+/gu);
  const starts = sentenceSegmenter
    ? Array.from(sentenceSegmenter.segment(text), (part) => part.index)
    : matches(text, SENTENCE).map((range) => range.start);
  /** @type {number[]} */
  const sentences = [];
  let at = 0;
  for (const start of starts) {
    while (at < words.length && words[at].start < start) at += 1;
    if (at < words.length && sentences.at(-1) !== at) sentences.push(at);
  }
  return { words, sentences };
}

/** @param {string} text @returns {Range[]} */
function segmentedWords(text) {
  const words = [];
  for (const { segment, index, isWordLike } of /** @type {Intl.Segmenter} */ (wordSegmenter).segment(text)) {
    if (isWordLike || CARRIES_MEANING.test(segment)) words.push({ start: index, end: index + segment.length });
  }
  return words;
}

/** @param {string} text @param {RegExp} pattern @returns {Range[]} */
function matches(text, pattern) {
  return Array.from(text.matchAll(pattern), ({ 0: found, index }) => ({ start: index, end: index + found.length }));
}

/**
 * @param {Range[]} words
 * @param {number} offset
 * @returns {number} the word there, else the nearest one; -1 when there is none
 */
export function wordAt(words, offset) {
  let low = 0;
  let high = words.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle].end <= offset) low = middle + 1;
    else high = middle;
  }
  if (low === words.length) return words.length - 1;
  if (low > 0 && words[low].start > offset && offset - words[low - 1].end < words[low].start - offset) return low - 1;
  return low;
}

/**
 * The first word of the next sentence, or of this one and then of the one before.
 *
 * @param {Cut} cut
 * @param {number} word
 * @param {1 | -1} step
 * @returns {number}
 */
export function sentenceStep({ words, sentences }, word, step) {
  if (step > 0) return sentences.find((first) => first > word) ?? words.length - 1;
  return sentences.findLast((first) => first < word) ?? 0;
}

/**
 * Where an extended selection goes: to the last word of the sentence, and then of the next.
 *
 * @param {Cut} cut
 * @param {number} word
 * @returns {number}
 */
export function sentenceEnd({ words, sentences }, word) {
  const next = sentences.find((first) => first > word + 1);
  return (next ?? words.length) - 1;
}

/**
 * One letter as people count letters: an emoji with its joiners or a letter with its accents is one.
 *
 * @param {string} text
 * @param {number} offset
 * @param {1 | -1} step
 * @returns {number}
 */
export function letterStep(text, offset, step) {
  if (step > 0 ? offset >= text.length : offset <= 0) return offset;
  const inside = step > 0 ? offset : offset - 1;
  if (!letterSegmenter) {
    const pair = /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(Math.min(offset, offset + 2 * step), Math.max(offset, offset + 2 * step)));
    return offset + step * (pair ? 2 : 1);
  }
  const letter = letterSegmenter.segment(text).containing(inside);
  if (!letter) return offset;
  return step > 0 ? letter.index + letter.segment.length : letter.index;
}

const FIRST_STRONG = /[\p{L}]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** @param {string} text @returns {{rtl: boolean, mixed: boolean}} the direction that dir="auto" takes, and whether both occur */
export function direction(text) {
  const first = text.match(FIRST_STRONG)?.[0] ?? "";
  const rtl = RIGHT_TO_LEFT.test(first);
  const other = rtl ? /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}/u : RIGHT_TO_LEFT;
  return { rtl, mixed: other.test(text) };
}

/** @param {string} text @returns {string} without case and accents */
const bare = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * A plain letter finds words with and without an accent on it, a letter with an accent only those with the same one.
 *
 * @param {string} word
 * @param {string} letter
 * @returns {boolean}
 */
export function beginsWith(word, letter) {
  const plain = bare(letter);
  return plain === letter.normalize("NFKD") ? bare(word.slice(0, 12)).startsWith(plain) : word.normalize("NFC").toLowerCase().startsWith(letter.normalize("NFC"));
}

/** @param {string} text @returns {boolean} whether it has no letters but Latin ones */
const isLatin = (text) => !/(?!\p{Script=Latin})\p{L}/u.test(text);

/** @type {WeakMap<object, Cut & {rtl: boolean, mixed: boolean, latin: boolean}>} */
const cuts = new WeakMap();

/**
 * The cut of an item's text, made once.
 *
 * @param {{text: string}} item
 */
export function cutOf(item) {
  let found = cuts.get(item);
  if (!found) {
    found = { ...cut(item.text), ...direction(item.text), latin: isLatin(item.text) };
    cuts.set(item, found);
  }
  return found;
}
