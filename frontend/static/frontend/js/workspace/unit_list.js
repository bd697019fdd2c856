/** The list of all units: what is done, flagged and left, each a jump away; and what one said so far for a type. */

import { element, part, replaceChildren } from "../lib/dialogs.js";
import { gettext, interpolate } from "../lib/i18n.js";
import { given } from "./text/given.js";
import { isDecided, isSameQuestion } from "./units.js";
import { answerKind, answerText, shortened } from "./answer_text.js";

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {"all" | "left" | "flagged" | "done"} Filter
 */

/** @param {Session} session @param {Unit} unit @returns {boolean} */
export function isFlagged(session, unit) {
  return Boolean(session.drafts[unit.key]?.unsure ?? unit.row?.unsure) || Boolean(unit.row?.cannot_judge) || (session.isIncomplete(unit) && unit !== session.current);
}

/** @param {Session} session @param {Unit} unit @param {string} label @returns {HTMLElement} */
export function chip(session, unit, label) {
  const kind = answerKind(unit.row);
  const made = element("button", { type: "button", className: "ws-chip", title: answerText(unit.row, session.spec), data: { answer: kind, jump: unit.key } }, label);
  if (isFlagged(session, unit)) made.dataset.flag = "yes";
  const type = session.spec.types.find((/** @type {any} */ entry) => entry.code === unit.type);
  const group = session.spec.groups.find((/** @type {any} */ entry) => entry.key === type?.group);
  if (group) made.classList.add(`hue-${group.hue}`);
  if (unit.row?.label) made.classList.add(`label-${unit.row.label}`);
  made.setAttribute("aria-label", `${type?.name ?? label}: ${answerText(unit.row, session.spec)}`);
  return made;
}

/** So many texts of the list are drawn at once. */
const AT_ONCE = 100;

export class Listing {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    /** @type {Filter} */
    this.filter = "all";
    this.waiting = false;
    /** Which row is the first; null: the one with the text on the screen. @type {number | null} */
    this.from = null;
    part("ws-list-items").addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-from]"));
      if (!button) return;
      this.from = Number(button.dataset.from);
      this.render();
      part("ws-list-items").scrollIntoView();
    });
    part("ws-list-filter").addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-filter]"));
      if (!button) return;
      this.filter = /** @type {Filter} */ (button.dataset.filter);
      this.from = null;
      this.render();
    });
  }

  /** @param {Unit} unit @param {Filter} filter */
  matches(unit, filter) {
    if (filter === "left") return !isDecided(unit.row);
    if (filter === "flagged") return isFlagged(this.session, unit);
    return filter === "all" || isDecided(unit.row);
  }

  render() {
    const { units } = this.session;
    const names = { all: gettext("All"), left: gettext("Left"), flagged: gettext("Flagged"), done: gettext("Done") };
    const kinds = /** @type {Filter[]} */ (Object.keys(names));
    const counts = { all: 0, left: 0, flagged: 0, done: 0 };
    const rows = [];
    for (const item of units.items) {
      const shown = (item?.units ?? []).filter((unit) => {
        const kept = kinds.filter((kind) => this.matches(unit, kind));
        for (const kind of kept) counts[kind] += 1;
        return kept.includes(this.filter);
      });
      if (item && shown.length) rows.push({ item, shown });
    }
    replaceChildren(
      part("ws-list-filter"),
      kinds.map((filter) =>
        element("button", { type: "button", className: "small", data: { filter }, "aria-pressed": String(filter === this.filter) }, `${names[filter]} ${counts[filter]}`)),
      ":focus",
    );
    const index = this.session.current?.item.index ?? 0;
    const around = Math.max(0, rows.findIndex(({ item }) => item.index >= index));
    this.from = Math.min(this.from ?? Math.floor(around / AT_ONCE) * AT_ONCE, Math.floor(Math.max(0, rows.length - 1) / AT_ONCE) * AT_ONCE);
    const { from } = this;
    const there = rows.slice(from, from + AT_ONCE);
    /** @param {number} to @param {string} words */
    const page = (to, words) => element("li", {}, element("button", { type: "button", className: "small", data: { from: String(to) } }, words));
    replaceChildren(
      part("ws-list-items"),
      [...(from ? [page(from - AT_ONCE, gettext("Texts before these"))] : []),
      ...there.map(({ item, shown }) =>
        element("li", {},
          element("div", { className: "line" }, element("b", {}, item.id), given({}, shortened(item.text, 48)),
            ...(units.isNoneOfTheAbove(item) ? [element("span", { className: "tag" }, gettext("None of the Above"))] : [])),
          element("div", { className: "chips" }, ...shown.map((unit) => this.chipOf(unit))))),
      ...(from + AT_ONCE < rows.length ? [page(from + AT_ONCE, gettext("Texts after these"))] : []),
      ...(rows.length ? [] : [element("li", { className: "muted" }, gettext("Nothing here."))]),
      ...(units.complete ? [] : [element("li", { className: "muted" }, gettext("More is being loaded…"))])],
      ":focus",
    );
    this.session.supply?.wantAll(there.map(({ item }) => item));
  }

  /** Something changed; while it is open beside the text, the list says so once there is time. */
  refresh() {
    if (this.waiting || !(/** @type {HTMLDialogElement} */ (part("ws-list")).open)) return;
    this.waiting = true;
    (globalThis.requestIdleCallback ?? setTimeout)(() => {
      this.waiting = false;
      this.render();
    });
  }

  /** @param {Unit} unit */
  chipOf(unit) {
    const made = chip(this.session, unit, unit.type ?? String(unit.item.units.indexOf(unit) + 1));
    if (unit === this.session.current) made.setAttribute("aria-current", "true");
    return made;
  }
}

/**
 * What one said so far for a type, newest first, for consistency with oneself.
 *
 * @param {Session} session
 * @param {Unit} unit
 * @returns {Node[]}
 */
export function mineSoFar(session, unit) {
  session.supply?.wantNewest(unit.type ?? "");
  const decided = session.units.decisionsFor(unit.type).filter((other) => !isSameQuestion(other, unit));
  if (!decided.length) return [element("p", { className: "counts" }, gettext("Nothing decided for this type yet."))];
  const yes = decided.filter(({ row }) => row?.applicable === true).length;
  const no = decided.filter(({ row }) => row?.applicable === false).length;
  return [
    element("p", { className: "counts num-line" }, interpolate(gettext("%(yes)s yes, %(no)s no"), { yes, no })),
    element("ol", {},
      ...decided.filter(({ item }) => item.loaded).slice(0, 40).map((other) =>
        element("li", {},
          element("button", { type: "button", data: { jump: other.key } },
            element("span", {}, other.item.id),
            element("span", { className: answerKind(other.row) }, other.row?.cannot_judge ? "?" : other.row?.applicable ? gettext("yes") : gettext("no")),
            given({}, other.row?.quote ?? other.row?.comment ?? ""))))),
  ];
}
