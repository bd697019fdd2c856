/**
 * Which act a key stands for. Letters go by what is printed on the key, and by its place where the keyboard writes another script.
 *
 * @typedef {{key: string, code?: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, shiftKey?: boolean, isComposing?: boolean, repeat?: boolean}} Pressed
 * @typedef {"ask" | "span" | "question" | "unhelpful" | "invalid" | "feedback" | "over"} Context
 * @typedef {{act: string, step?: 1 | -1, extend?: boolean, edge?: "start" | "end", index?: number}} Act
 */

/** Open everywhere, in the order of the overview of keys. */
const EVERYWHERE = /** @type {Record<string, string>} */ ({
  g: "guideline", l: "list", m: "mine", f: "unsure", c: "comment", x: "cannot", j: "next", k: "previous", "?": "keys", backspace: "undo",
});
/** A key held down moves on; it never decides a second unit. */
const REPEATS = new Set(["word", "line", "page", "sentence", "letter", "next", "previous"]);
const REASON_KEYS = ["q", "w", "e", "r", "t"];

/** @param {number} index @returns {string} the key that stands on a reason or a start of a comment */
export function choiceKey(index) {
  return (REASON_KEYS[index] ?? "").toUpperCase();
}

/** @param {Pressed} event @returns {string} */
function letterOf({ key, code }) {
  if (/^[\x20-\x7e]$/.test(key)) return key.toLowerCase();
  if (key.length === 1 || key === "Unidentified" || key === "Process") {
    const place = code?.match(/^(?:Key([A-Z])|Digit(\d))$/);
    if (place) return (place[1] ?? place[2]).toLowerCase();
  }
  return key.toLowerCase();
}

/**
 * @param {Pressed} event
 * @param {Context} context
 * @param {{rtl?: boolean, letters?: boolean}} [options]  `letters: false` switches single characters off
 * @returns {Act | null}
 */
export function actOf(event, context, options = {}) {
  const act = actOfPress(event, context, options);
  return act && event.repeat && !REPEATS.has(act.act) ? null : act;
}

/** @param {Pressed} event @param {Context} context @param {{rtl?: boolean, letters?: boolean}} options @returns {Act | null} */
function actOfPress(event, context, { rtl = false, letters = true }) {
  if (event.isComposing || event.metaKey) return null;
  const key = letterOf(event);
  if (context === "span" && (letters || key.length > 1)) {
    const moved = spanAct(event, key, rtl);
    if (moved) return moved;
  }
  if (event.ctrlKey || event.altKey) return null;
  if (!letters && key.length === 1) return null;
  if (context === "feedback" && key === "enter") return { act: "onward" };
  if (context === "ask" && key === "y") return { act: "yes" };
  if (context === "ask" && key === "n") return { act: "no" };
  if (["question", "unhelpful", "invalid"].includes(context)) {
    const label = ["1", "2", "3"].indexOf(key);
    if (label >= 0) return { act: "label", index: label };
    const choice = context === "question" ? -1 : REASON_KEYS.indexOf(key);
    if (choice >= 0) return { act: "choice", index: choice };
    if (key === "enter") return { act: "keep" };
    if (key === "arrowdown") return { act: "next" };
    if (key === "arrowup") return { act: "previous" };
  }
  if (key === "escape") return { act: "back" };
  const act = EVERYWHERE[key];
  return act ? { act } : null;
}

/** @param {Pressed} event @param {string} key @param {boolean} rtl @returns {Act | null} */
function spanAct({ ctrlKey, altKey, shiftKey }, key, rtl) {
  const extend = Boolean(shiftKey);
  if (key === "arrowleft" || key === "arrowright") {
    const step = (key === "arrowright") !== rtl ? 1 : -1;
    if (ctrlKey && altKey) return { act: "letter", step, edge: shiftKey ? "start" : "end" };
    if (ctrlKey || altKey) return { act: "sentence", step, extend };
    return { act: "word", step, extend };
  }
  if (key === "arrowup" || key === "arrowdown") {
    const step = key === "arrowdown" ? 1 : -1;
    return ctrlKey || altKey ? { act: "sentence", step, extend } : { act: "line", step, extend };
  }
  if (altKey) return null;
  if (key === "home" || key === "end") return { act: ctrlKey ? "text-edge" : "line-edge", step: key === "end" ? 1 : -1, extend };
  if (ctrlKey) return null;
  if (key === "pageup" || key === "pagedown") return { act: "page", step: key === "pagedown" ? 1 : -1, extend };
  if (key === "," || key === "<") return { act: "letter", step: -1, edge: shiftKey ? "start" : "end" };
  if (key === "." || key === ">") return { act: "letter", step: 1, edge: shiftKey ? "start" : "end" };
  if (key === "enter") return { act: "keep" };
  return null;
}
