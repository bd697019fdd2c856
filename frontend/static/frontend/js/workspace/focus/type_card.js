/** The rule of the type in front of the annotator: group, name, description, example, and the question of step 1. */

import { element, part } from "../../lib/dialogs.js";
import { gettext } from "../../lib/i18n.js";
import { BLANK } from "./exemplar.js";

/** @param {any} spec @param {any} type */
export function showRule(spec, type) {
  const group = spec.groups.find((/** @type {any} */ entry) => entry.key === type.group);
  for (const place of [part("ws-rule-card"), part("ws-dock")]) {
    place.className = place.className.replace(/\s*hue-\w+/g, "");
    if (group) place.classList.add(`hue-${group.hue}`);
  }
  part("ws-group").textContent = group?.name ?? "";
  part("ws-type").textContent = type.name;
  part("ws-description").textContent = part("ws-ask-rule").textContent = type.description;
  part("ws-example").hidden = !type.example;
  part("ws-example").replaceChildren(...exampleNodes(type.example ?? ""));
  part("ws-hint").hidden = !type.span;
  part("ws-blank").hidden = !type.span || !type.exemplar;
  part("ws-blank").textContent = (type.exemplar ?? "").replace(BLANK, "………");
  const ask = type.span ? gettext("Can this argument be probed with %(type)s?") : "%(type)s?";
  const [first, last] = ask.split("%(type)s");
  part("ws-ask").replaceChildren(first, element("b", {}, type.name), last ?? "");
}

/** An example's text with its [span], and the question on a line of its own. @param {string} example @returns {Node[]} */
function exampleNodes(example) {
  const [text, ...questions] = example.split("\n");
  const nodes = text.split(/(\[[^\]]+\])/).map((piece) =>
    piece.startsWith("[") ? element("mark", { className: "mark" }, piece.slice(1, -1)) : document.createTextNode(piece));
  return [...nodes, ...questions.filter(Boolean).map((question) => element("span", {}, question))];
}
