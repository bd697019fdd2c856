/**
 * A type's exemplar with the chosen span in its blank, as the annotator sees it live and as a release prints it (exports/questions.py;
 * both are held to tests/reference/question_joints.json).
 */

export const BLANK = "_____";

/**
 * @param {string} exemplar
 * @param {string} span  "" while nothing is chosen
 * @returns {{before: string, span: string, after: string}}
 */
export function filledParts(exemplar, span) {
  const at = exemplar.indexOf(BLANK);
  if (at < 0) return { before: exemplar, span: "", after: "" };
  return { before: exemplar.slice(0, at), span: span || BLANK, after: exemplar.slice(at + BLANK.length) };
}

/** @param {string} exemplar @param {string} span @returns {string} */
export function filledQuestion(exemplar, span) {
  const { before, span: filled, after } = filledParts(exemplar, span);
  return before + filled + after;
}
