/** The end of a training round: how many answers are those of the key, the pass mark, and where one differed. */

import { element } from "../lib/dialogs.js";
import { gettext, interpolate, ngettext } from "../lib/i18n.js";
import { answerText, unitName } from "./answer_text.js";

/**
 * @typedef {{scores: {code: string, agreed: number, total: number}[], agreed: number, total: number, pass_mark: number | null, passed: boolean | null}} Result
 * @typedef {import("./units.js").Unit} Unit
 */

/** Own total against the key, and whether that is enough. @param {Result} result @returns {string} */
export function totalWords({ agreed, total, pass_mark: mark, passed }) {
  const percent = total ? Math.floor((100 * agreed) / total) : 0;
  const told = interpolate(gettext("%(agreed)s of %(total)s answers are those of the key: %(percent)s %."), { agreed, total, percent });
  if (mark === null) return told;
  const needed = interpolate(gettext("The pass mark is %(mark)s %."), { mark });
  if (passed === null) return `${told} ${needed}`;
  return `${told} ${needed} ${passed ? gettext("You reached the pass mark.") : gettext("You did not reach the pass mark; talk to your lead.")}`;
}

/**
 * What stands on the last page of a training round.
 *
 * @param {Result} result
 * @param {{units: {flat: Unit[]}, spec: any}} session
 * @param {(unit: Unit) => void} onShow
 * @returns {HTMLElement[]}
 */
export function trainingEnd(result, session, onShow) {
  const rows = result.scores.map((score) =>
    element("tr", {}, element("td", {}, score.code || gettext("Questions")), element("td", { className: "num" }, `${score.agreed}/${score.total}`)));
  const differing = session.units.flat.filter(({ row }) => row?.feedback && !row.feedback.agrees);
  const heading = interpolate(ngettext("%(n)s answer differs from the key", "%(n)s answers differ from the key", differing.length), { n: differing.length });
  return [
    element("p", {}, totalWords(result)),
    ...(differing.length === 0 ? [] : [element("section", { className: "ws-differing" }, element("h2", {}, heading), element("ul", {},
      ...differing.map((unit) => element("li", {},
        element("button", { type: "button", className: "small", onclick: () => onShow(unit) }, unitName(unit)), " ",
        element("span", { dir: "auto" }, interpolate(gettext("Key: %(key)s. You: %(mine)s."), { key: answerText(unit.row?.feedback?.key, session.spec), mine: answerText(unit.row, session.spec) }))))))]),
    element("table", { className: "data" }, element("caption", {}, gettext("Agreement with the key")), element("tbody", {}, ...rows)),
  ];
}
