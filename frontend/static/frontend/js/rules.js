/**
 * Whether an answer may be stored, by the very rules that the server applies: they come with the codebook (`spec.answer`).
 *
 * @typedef {{when: Record<string, unknown>, field: string, presence: "needed" | "refused" | "filled", message: string}} Rule
 * @typedef {{fields: Record<string, string>, rules: Rule[], blank_characters: string}} AnswerRules
 * @typedef {Record<string, unknown>} Answer
 * @typedef {Record<string, string>} Errors  one message a field
 */

/** @param {string} text @param {string} characters @returns {boolean} whether only such characters are in it */
export function isBlank(text, characters) {
  for (const character of text) {
    if (!characters.includes(character)) return false;
  }
  return true;
}

/**
 * @param {AnswerRules} answerRules
 * @param {Answer} answer
 * @param {Answer} facts  what the codebook adds: `span` of the type, `reason_edits` of the reason
 * @returns {Errors} empty when the answer may be stored
 */
export function brokenRules({ rules, blank_characters: blank }, answer, facts) {
  /** @type {Errors} */
  const errors = {};
  const known = { ...answer, ...facts };
  for (const { when, field, presence, message } of rules) {
    if (field in errors || Object.entries(when).some(([name, value]) => (known[name] ?? null) !== value)) continue;
    const value = known[field];
    const given = value !== null && value !== undefined && value !== "";
    const filled = given && !(typeof value === "string" && isBlank(value, blank));
    if (presence === "needed" ? !filled : presence === "filled" ? given && !filled : given) errors[field] = message;
  }
  return errors;
}

/** @param {string} text @returns {string} the text without what no database stores: NUL and lone surrogates */
export function storable(text) {
  return text.replaceAll("\u0000", "").replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "");
}
