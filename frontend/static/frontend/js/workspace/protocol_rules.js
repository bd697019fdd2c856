/**
 * Whether an answer may be stored, by the very rules that the server applies: they come with the codebook (`spec.answer`).
 *
 * @typedef {{when: Record<string, unknown>, field: string, presence: "needed" | "refused" | "filled", message: string}} Rule
 * @typedef {{fields: Record<string, string>, rules: Rule[], lengths: Record<string, number>, blank_characters: string}} AnswerRules
 * @typedef {Record<string, unknown>} Answer
 * @typedef {Record<string, string>} Errors  one message a field
 */

import { gettext, interpolate } from "../lib/i18n.js";

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
export function brokenRules({ rules, lengths, blank_characters: blank }, answer, facts) {
  /** @type {Errors} */
  const errors = {};
  for (const [field, limit] of Object.entries(lengths)) {
    const n = [...String(answer[field] ?? "")].length;
    if (n > limit) errors[field] = interpolate(gettext("%(n)s characters, at most %(limit)s are kept."), { n, limit });
  }
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
