/**
 * Texts of the scripts in the person's language. The catalogue comes as JSON (Django's JSONCatalog); in English there is none.
 *
 * @typedef {Record<string, string | string[]>} Catalogue
 */

/** @type {Catalogue} */
let catalogue = {};

/** @param {Catalogue} entries */
export function useCatalogue(entries) {
  catalogue = entries;
}

/** @param {string} text @returns {string} */
export function gettext(text) {
  const found = catalogue[text];
  return typeof found === "string" ? found : text;
}

/**
 * The form for one or for many. Spanish and Japanese need no other; a language with more forms gets its last for "many".
 *
 * @param {string} one @param {string} many @param {number} count @returns {string}
 */
export function ngettext(one, many, count) {
  const found = catalogue[one];
  if (!Array.isArray(found)) return count === 1 ? one : many;
  return count === 1 ? found[0] : /** @type {string} */ (found.at(-1));
}

/**
 * Fill `%(name)s`. A value is never read as a template.
 *
 * @param {string} template @param {Record<string, string | number>} values @returns {string}
 */
export function interpolate(template, values) {
  return template.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
