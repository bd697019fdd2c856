/**
 * A type's exemplar with the chosen span in its blank, as the annotator sees it live and as a release prints it. The rules are those of
 * annotation/codebooks/exemplar_questions.py, where they are explained; both are held to tests/reference/question_joints.json.
 */

export const BLANK = "_____";

/** Closing marks by opening mark. A mark may be in both roles: German „a“, Swedish ”a”, Danish »a«. @type {Record<string, string>} */
const CLOSING = { '"': '"', "“": "”", "„": "“”", "”": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "‘": "’", "「": "」", "『": "』" };
const QUOTES = new Set(Object.entries(CLOSING).flatMap(([open, close]) => [open, ...close]));
const APOSTROPHE = "’";
const OPENING_MARKS = new Set([...Object.keys(CLOSING), ..."([{¿¡'"]);
const FINAL_PUNCTUATION = new Set(".!?…,;:—–。！？、，；：．｡؟،؛۔।॥።");
const SENTENCE_END = new Set(".!?…");
const INITIALS = /(?:^|[^\p{L}\p{N}_.])(?:\p{L}\.){2,}$/u;
const FIRST_WORD = /\p{L}+/uy;
const CAPITALISED_WORD = /\s+[“"‘'(]*[A-Z][a-z]/y;
const SENTENCE_OPENERS = new Set(
  `A An The This That These Those There Here It He She We You They One My Your His Her Its Our Their All
  Any Both Each Either Every Everybody Everyone Everything Few Many Most Much Neither Nobody None No
  Nothing Several Some Somebody Someone Something Such After Although And As At Because Before But By
  Despite During Even For From How However If In Instead Into Like Nor Not Of On Only Or Over Since So
  Than Then Though Through To Too Under Unless Until What When Where Whether Which While Who Whoever Why
  With Within Without Yet Are Can Could Did Do Does Has Have Is Should Was Were Would`.split(/\s+/),
);

/**
 * @param {string} exemplar
 * @param {string} quote  the words as they stand in the text
 * @returns {{before: string, span: string, after: string}} the span keeps its words; only its joints are fitted
 */
export function filledParts(exemplar, quote) {
  const at = exemplar.indexOf(BLANK);
  if (at < 0) return { before: exemplar, span: "", after: "" };
  const before = exemplar.slice(0, at);
  const folded = fold(quote);
  const span = withoutFinalPunctuation(withBalancedQuotes([...folded])) || folded;
  return { before, span: withFittingCapital(span, before), after: exemplar.slice(at + BLANK.length) };
}

/** @param {string} text */
const fold = (text) => text.split(/[\s\x1c-\x1f\x85]+/).filter(Boolean).join(" ");

/** Drop the quotation marks that have no partner in the span. @param {string[]} span letters @returns {string} */
function withBalancedQuotes(span) {
  /** @type {number[]} */
  let waiting = [];
  const partnered = new Set();
  /** @type {number[]} */
  const marks = [];
  span.forEach((mark, place) => {
    if (!QUOTES.has(mark)) return;
    const opened = waiting.findLast((index) => CLOSING[span[index]].includes(mark));
    if (mark === APOSTROPHE && (opened === undefined || betweenLetters(span, place))) return;
    marks.push(place);
    if (opened !== undefined) {
      partnered.add(opened).add(place);
      waiting = waiting.slice(0, waiting.indexOf(opened));
    } else if (mark in CLOSING) {
      waiting.push(place);
    }
  });
  const dropped = new Set(marks.filter((place) => !partnered.has(place)));
  return dropped.size ? fold(span.filter((_, place) => !dropped.has(place)).join("")) : span.join("");
}

/** @param {string[]} span @param {number} place */
function betweenLetters(span, place) {
  const letter = /[\p{L}\p{N}]/u;
  return place > 0 && place < span.length - 1 && letter.test(span[place - 1]) && letter.test(span[place + 1]);
}

/** Also before the quotation marks that close the span. @param {string} span @returns {string} */
function withoutFinalPunctuation(span) {
  let end = span.length;
  while (end > 0 && (QUOTES.has(span[end - 1]) || span[end - 1] === "'")) end -= 1;
  if (end < span.length) {
    const inner = withoutFinalPunctuation(span.slice(0, end));
    return inner && inner + span.slice(end);
  }
  if (!span || !FINAL_PUNCTUATION.has(span[span.length - 1]) || INITIALS.test(span)) return span;
  return withoutFinalPunctuation(span.slice(0, -1).trimEnd());
}

/** @param {string} span @param {string} before */
function withFittingCapital(span, before) {
  const words = before.trimEnd();
  if (!words || SENTENCE_END.has(words[words.length - 1])) return capitalised(span);
  return OPENING_MARKS.has(before[before.length - 1]) ? span : lowered(span);
}

/** @param {RegExp} pattern a sticky one @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** @param {string} span */
function capitalised(span) {
  const place = Math.max(0, [...span].findIndex((mark) => !OPENING_MARKS.has(mark)));
  const word = matchAt(FIRST_WORD, span, place);
  if (!word || word !== word.toLowerCase()) return span;
  const [first] = word;
  // The upper case of a Georgian letter is no capital.
  const capital = /\p{Script=Georgian}/u.test(first) ? first : first.toUpperCase();
  return span.slice(0, place) + capital + span.slice(place + first.length);
}

/** @param {string} span */
function lowered(span) {
  const word = matchAt(FIRST_WORD, span, 0);
  if (!word || !SENTENCE_OPENERS.has(word) || matchAt(CAPITALISED_WORD, span, word.length)) return span;
  return span[0].toLowerCase() + span.slice(1);
}
