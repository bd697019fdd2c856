/** Words for answers, the same wherever one is shown. */

import { gettext, interpolate } from "../lib/i18n.js";

/** @param {import("./units.js").Row | null} row @returns {"yes" | "no" | "cannot" | ""} */
export function answerKind(row) {
  if (!row) return "";
  if (row.cannot_judge) return "cannot";
  if ((row.applicable ?? null) !== null) return row.applicable ? "yes" : "no";
  return row.label ? "yes" : "";
}

/** @param {string} text @param {number} [limit] @returns {string} */
export function shortened(text, limit = 60) {
  const letters = [...text.replace(/\s+/g, " ")];
  return letters.length <= limit ? letters.join("") : `${letters.slice(0, limit - 1).join("")}…`;
}

/** @param {import("./units.js").Row | null} row @param {any} spec @returns {string} one line that says the whole answer */
export function answerText(row, spec) {
  if (row?.cannot_judge) return interpolate(gettext("cannot judge: %(why)s"), { why: shortened(row.comment) });
  if (row?.applicable === true) return row.quote ? interpolate(gettext("yes: “%(span)s”"), { span: shortened(row.quote) }) : gettext("yes");
  if (row?.applicable === false) return gettext("no");
  if (row?.label === "REF") return interpolate(gettext("the same as “%(reference)s”"), { reference: shortened(spec.references?.get(row.reference) ?? "") });
  if (row?.label) {
    const named = (/** @type {any[]} */ list, /** @type {string} */ code) => list.find((entry) => entry.code === code)?.name ?? code;
    const label = named(spec.labels, row.label);
    if (row.reason) return `${label}: ${named(spec.reasons, row.reason)}`;
    return row.comment ? `${label}: ${shortened(row.comment)}` : label;
  }
  return gettext("undecided");
}

/** @param {import("./units.js").Unit} unit @returns {string} the text and what is asked about it */
export function unitName(unit) {
  return unit.type ? `${unit.item.id} · ${unit.type}` : `${unit.item.id} · ${(unit.item.units.indexOf(unit) + 1)}`;
}
