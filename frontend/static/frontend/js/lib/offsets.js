/**
 * The one place where offsets change their unit: JavaScript counts UTF-16 units, the server Unicode code points.
 *
 * @typedef {{start: number, end: number}} Range  half open; which unit is said by each function
 */

/** @param {string} text @param {number} at @returns {boolean} whether `at` cuts a surrogate pair in two */
function cutsPair(text, at) {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * @param {string} text
 * @param {number} index UTF-16 units; inside a surrogate pair it counts as before the pair
 * @returns {number} code points before it
 */
export function codePointsBefore(text, index) {
  const end = Math.min(cutsPair(text, index) ? index - 1 : index, text.length);
  let count = 0;
  for (let at = 0; at < end; at += 1) {
    if (!cutsPair(text, at)) count += 1;
  }
  return count;
}

/**
 * @param {string} text
 * @param {number} codePoints
 * @returns {number} the UTF-16 index of that code point, or the text's length
 */
export function utf16Index(text, codePoints) {
  let at = 0;
  for (let left = codePoints; left > 0 && at < text.length; left -= 1) {
    at += cutsPair(text, at + 1) ? 2 : 1;
  }
  return at;
}

/**
 * What is stored for a highlighted range: its edges in code points, and the text between them. An edge that cuts a surrogate pair
 * moves outwards.
 *
 * @param {string} text
 * @param {Range} range UTF-16 units
 * @returns {{start: number, end: number, quote: string}} code points
 */
export function storedSpan(text, range) {
  const from = cutsPair(text, range.start) ? range.start - 1 : range.start;
  const to = cutsPair(text, range.end) ? range.end + 1 : range.end;
  const quote = text.slice(from, to);
  const start = codePointsBefore(text, from);
  return { start, end: start + codePointsBefore(quote, quote.length), quote };
}

/**
 * @param {string} text
 * @param {Range} span code points
 * @returns {Range} UTF-16 units
 */
export function shownRange(text, span) {
  const start = utf16Index(text, span.start);
  return { start, end: start + utf16Index(text.slice(start), span.end - span.start) };
}

/**
 * A text as it is drawn. A carriage return alone would be drawn as nothing, and join two words to one: it breaks the line. No offset moves.
 *
 * @param {string} text
 * @returns {string} as long as the text
 */
export function drawn(text) {
  return text.replace(/\r(?!\n)/g, "\n");
}
