/** Which references fit the words that were typed: each occurs in the reference, whatever its case and accents. */

/** @param {string} text @returns {string} */
const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * @template {{text: string}} T
 * @param {T[]} references
 * @param {string} typed
 * @returns {T[]}
 */
export function fitting(references, typed) {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  return references.filter(({ text }) => words.every((word) => plain(text).includes(word)));
}
