/** What the card of a question needs of the page: the folded questions around it, its place in the window, and what the annotator folds away. */

import { element, part } from "../../lib/dialogs.js";
import { gettext, interpolate } from "../../lib/i18n.js";
import { given } from "../text/given.js";
import { isDecided } from "../units.js";

/**
 * @typedef {import("../session.js").Session} Session
 * @typedef {import("../units.js").Unit} Unit
 */

const SEEN_BEFORE = 200;
const GAP = 8;
const KEPT = "elenchus:rules";

/**
 * A question with what was said about it in words: the heading of the card where it is asked, else a button that leads to it.
 *
 * @param {Session} session @param {Unit} unit @param {number} index @param {boolean} asked
 */
export function questionHead(session, unit, index, asked) {
  const { row, question } = unit;
  const number = element("span", { className: "n" }, String(index + 1));
  if (asked) return element("div", { className: "ws-question", "aria-current": "step" }, number, given({}, question?.text ?? "", "h2"));
  const head = element("button", { type: "button", className: "ws-question", data: { jump: unit.key } }, number, given({ className: "q" }, question?.text ?? ""));
  if (session.isIncomplete(unit)) {
    const { label } = session.draft(unit);
    const begun = label ? interpolate(gettext("begun as %(label)s, not stored yet"), { label: named(session.spec.labels, label) }) : gettext("none of the references, no label yet");
    head.dataset.incomplete = "yes";
    head.append(element("span", { className: "said" }, begun));
    return head;
  }
  if (!row || !isDecided(row)) return head;
  const said = element("span", { className: "said" });
  if (row.label === "REF") said.append(worded("same", gettext("Asks the same as:"), session.spec.references?.get(row.reference) ?? ""));
  else if (row.label) said.append(element("span", { className: `tag label-${row.label}` }, row.reason ? `${named(session.spec.labels, row.label)}: ${named(session.spec.reasons, row.reason)}` : named(session.spec.labels, row.label)));
  else said.append(element("span", { className: "tag" }, gettext("Cannot judge")));
  if (row.unsure) said.append(element("span", { className: "flag" }, gettext("unsure")));
  if (row.edited_question) said.append(worded("edit", gettext("Without the new concept:"), row.edited_question));
  if (row.comment) said.append(worded("remark", row.label === "UN" || row.cannot_judge ? "" : gettext("Comment:"), row.comment));
  head.append(said);
  return head;
}

/** @param {string} className @param {string} name @param {string} text */
function worded(className, name, text) {
  return element("span", { className }, ...(name ? [element("b", {}, name), " "] : []), given({}, text));
}

/** @param {any[]} entries @param {string} code @returns {string} */
function named(entries, code) {
  return entries.find((entry) => entry.code === code)?.name ?? code;
}

/**
 * The labels of the next question stand where those of the last one stood, as far as the list can scroll: neither hand nor eye has to look
 * for them. A question or two before it stay in sight.
 *
 * @param {HTMLElement} card @param {boolean} newText
 */
export function settle(card, newText) {
  const list = part("ws-question-list");
  const line = /** @type {HTMLElement} */ (card.parentElement);
  if (list.scrollHeight <= list.clientHeight && getComputedStyle(list).overflowY === "visible") {
    // The page scrolls as a whole: a new text is read from its start.
    if (newText) window.scrollTo(0, 0);
    else line.scrollIntoView({ block: "nearest" });
    return;
  }
  const from = list.getBoundingClientRect().top - list.scrollTop;
  const top = line.getBoundingClientRect().top - from;
  const bottom = line.getBoundingClientRect().bottom - from;
  const labels = /** @type {HTMLElement} */ (card.querySelector(".ws-layers")).getBoundingClientRect().top - from;
  const place = Math.min(SEEN_BEFORE, list.clientHeight - GAP - (bottom - labels));
  list.scrollTop = Math.max(0, Math.min(labels - place, top - GAP));
}

/** What a label asks opens in sight: with its question, or as much of that as the window has room for. @param {HTMLElement} card */
export function inSight(card) {
  const list = part("ws-question-list");
  const line = /** @type {HTMLElement} */ (card.parentElement);
  const begun = /** @type {HTMLElement} */ (card.querySelector(".ws-begun"));
  if (line.offsetHeight <= Math.min(window.innerHeight, list.clientHeight)) line.scrollIntoView({ block: "nearest" });
  else begun.scrollIntoView({ block: line.getBoundingClientRect().top < list.getBoundingClientRect().top ? "end" : "nearest" });
}

/** @returns {boolean} whether the rules stand beside the labels: as chosen, else where the window has room for them */
export function rulesShown() {
  let kept = null;
  try {
    kept = localStorage.getItem(KEPT);
  } catch { /* then it is as the window says */ }
  return kept ? kept === "shown" : !window.matchMedia("(max-height: 30rem)").matches;
}

/** @param {boolean} shown @param {boolean} [keep] */
export function showRules(shown, keep = false) {
  part("workspace").dataset.rules = shown ? "shown" : "hidden";
  part("ws-rules").setAttribute("aria-pressed", String(shown));
  if (!keep) return;
  try {
    localStorage.setItem(KEPT, shown ? "shown" : "hidden");
  } catch { /* it lasts as long as the page */ }
}

/** On a narrow page the text makes room for the questions. @returns {true} */
export function foldText() {
  const folded = part("workspace").toggleAttribute("data-folded");
  part("ws-fold").setAttribute("aria-expanded", String(!folded));
  return true;
}
