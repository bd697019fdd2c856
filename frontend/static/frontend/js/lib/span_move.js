/** Moving the edges of a span by whole words. Pure: offsets are UTF-16 units, half open. */

/** @typedef {import("./offsets.js").Range} Range */

/**
 * @param {Range[]} words in the order of the text
 * @param {Range} span
 * @param {"start" | "end"} edge
 * @param {1 | -1} step
 * @returns {Range} the span with that edge at the next word's edge; the same where there is none, or nothing would be left
 */
export function edgeMoved(words, span, edge, step) {
  const edges = words.map((word) => word[edge]);
  const candidates = step > 0 ? edges.filter((at) => at > span[edge]) : edges.filter((at) => at < span[edge]).reverse();
  const moved = { ...span, [edge]: candidates.length ? candidates[0] : span[edge] };
  return moved.start < moved.end ? moved : span;
}

/**
 * @param {string} value of a side, such as yes:10-31,40-52
 * @returns {{start: number, end: number} | null} its first span in code points
 */
export function firstSpan(value) {
  const found = /^yes:(\d+)-(\d+)/.exec(value);
  return found ? { start: Number(found[1]), end: Number(found[2]) } : null;
}
