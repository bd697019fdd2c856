/**
 * Filling a scheme: each slot takes a span of the text, by keyboard or pointer as in the workspace, or typed words; its questions
 * appear as it is filled. Without this script the words are typed.
 */

import { element } from "../lib/dialogs.js";
import { drawn } from "../lib/offsets.js";
import { BLANK, filledParts } from "../workspace/focus/exemplar.js";
import { Pointing } from "../workspace/focus/pointing.js";
import { keepInSight, moved } from "../workspace/focus/span_keys.js";
import { actOf } from "../workspace/keys.js";
import { cutOf } from "../workspace/text/segmentation.js";
import { NOTHING, fromRange, selectedRange } from "../workspace/text/selection.js";
import { TextView } from "../workspace/text/text_view.js";

/** @typedef {import("../workspace/text/selection.js").Selection} Selection */

const SLOT = /<[^<>\s]+>/g;
/** @type {{text: string, questions: string[], letters: boolean}} */
const data = JSON.parse(document.getElementById("fill-data")?.textContent ?? "{}");
const box = /** @type {HTMLElement} */ (document.getElementById("fill-box"));
const paragraph = /** @type {HTMLElement} */ (document.getElementById("fill-text"));
const asked = /** @type {HTMLElement} */ (document.getElementById("fill-questions"));
const now = /** @type {HTMLElement} */ (document.getElementById("fill-now"));
const fields = [.../** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-slot]"))];

const item = { text: drawn(data.text) };
const view = new TextView(box, paragraph, /** @type {HTMLElement | null} */ (box.querySelector(".ws-overlay")));
/** @type {Selection} */
let selection = NOTHING;
/** The field that a span of the text goes to. */
let current = fields.find(({ value }) => !value.trim()) ?? fields[0];

/** @param {string} words @returns {string} with one space between two */
const spaced = (words) => words.split(/\s+/).filter(Boolean).join(" ");
/** @param {string} words @returns {string} as words are compared with the text, see `is_in_text` of the server */
const folded = (words) => spaced(words.normalize("NFC").toLowerCase());
const whole = folded(item.text);

/** @param {string} words @returns {Selection} where the words stand in the text as they are */
function found(words) {
  const start = words.trim() ? item.text.indexOf(words) : -1;
  return start < 0 ? NOTHING : fromRange(cutOf(item), { start, end: start + words.length });
}

/** The same as `scheme_filled` of the server. @param {string} template @returns {Node[]} */
function filled(template) {
  /** @type {Node[]} */
  const nodes = [];
  let done = "";
  let at = 0;
  const plain = (/** @type {string} */ text) => {
    done += text;
    nodes.push(document.createTextNode(text));
  };
  for (const slot of template.matchAll(SLOT)) {
    plain(template.slice(at, slot.index));
    const words = fields.find((one) => one.name === slot[0])?.value ?? "";
    const { span } = filledParts(done + BLANK, words);
    nodes.push(element("b", { className: span ? "" : "slot-open" }, span || slot[0]));
    done += span || slot[0];
    at = slot.index + slot[0].length;
  }
  plain(template.slice(at));
  return nodes;
}

function show() {
  const range = selectedRange(selection, cutOf(item));
  const rest = fields.filter((one) => one !== current).map(({ value }) => selectedRange(found(value), cutOf(item)));
  view.draw("ws-span", range ? [range] : []);
  view.draw("ws-stored", rest.filter((one) => one !== null));
  asked.replaceChildren(...data.questions.map((question) => element("li", { dir: "auto" }, ...filled(question))));
  for (const field of fields) {
    const wrong = document.getElementById(`${field.id}-not`);
    if (wrong) wrong.hidden = !field.value.trim() || whole.includes(folded(field.value));
    field.closest(".field")?.classList.toggle("is-current", field === current);
  }
  now.textContent = current.name;
  pointing.placeHandles();
}

/** @param {HTMLInputElement} field @param {Selection} [chosen] */
function goTo(field, chosen = found(field.value)) {
  current = field;
  selection = chosen;
  show();
}

/** @param {Selection} chosen of the text, which the slot in hand takes at once */
function take(chosen) {
  selection = chosen;
  const range = selectedRange(chosen, cutOf(item));
  if (range) {
    current.value = spaced(item.text.slice(range.start, range.end));
    keepInSight(view, range);
  }
  show();
}

function goOn() {
  const from = fields.indexOf(current);
  const next = [...fields.slice(from + 1), ...fields.slice(0, from)].find(({ value }) => !value.trim());
  if (next) return goTo(next);
  /** @type {HTMLElement | null} */ (document.getElementById("fill-add"))?.focus();
}

const pointing = new Pointing(view, box.querySelectorAll(".ws-handle"), {
  active: () => true,
  before: () => false,
  cut: () => cutOf(item),
  get: () => selection,
  set: take,
});

view.show(item.text);
for (const field of fields) {
  field.addEventListener("focus", () => goTo(field));
  field.addEventListener("input", () => goTo(field));
}
box.addEventListener("keydown", (event) => {
  const { rtl, latin } = cutOf(item);
  const act = actOf(event, "span", { rtl, latin, letters: data.letters });
  if (!act) return;
  if (act.act === "back") {
    event.preventDefault();
    current.value = "";
    return goTo(current, NOTHING);
  }
  if (act.act === "keep") {
    event.preventDefault();
    if (current.value.trim()) goOn();
    return;
  }
  const chosen = moved(act, selection, cutOf(item), item.text, view);
  if (!chosen) return;
  event.preventDefault();
  take(chosen);
});
document.getElementById("fill-editor")?.removeAttribute("hidden");
show();
