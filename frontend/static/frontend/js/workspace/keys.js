/**
 * Which act a key stands for, the same on all keyboards.
 *
 * @typedef {{key: string, code?: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, shiftKey?: boolean, isComposing?: boolean, repeat?: boolean}} Pressed
 * @typedef {"ask" | "span" | "question" | "unhelpful" | "invalid" | "match" | "feedback" | "over"} Context
 * @typedef {{act: string, step?: 1 | -1, extend?: boolean, edge?: "start" | "end", index?: number, letter?: string}} Act
 */

/** Open everywhere, in the order of the overview of keys. */
const EVERYWHERE = /** @type {Record<string, string>} */ ({
  g: "guideline", l: "list", m: "mine", s: "others", f: "unsure", c: "comment", x: "cannot", j: "next", k: "previous", "?": "keys", backspace: "undo",
});
/** A key held down moves on; it never decides a second unit. */
const REPEATS = new Set(["move", "word", "line", "page", "sentence", "letter", "jump", "next", "previous"]);
const REASON_KEYS = ["q", "w", "e", "r", "t"];

/** @param {number} index @returns {string} the key that stands on a reason or a start of a comment */
export function choiceKey(index) {
  return (REASON_KEYS[index] ?? "").toUpperCase();
}

/** Marks that act wherever a keyboard has them; any other mark goes by its place. */
const AS_PRINTED = new Set(["?", ",", ".", "<", ">", "[", "]", "{", "}"]);
/** What stands on the key of a place in the layout that all others are told from. */
const PLACES = /** @type {Record<string, string>} */ ({
  Comma: ",", Period: ".", BracketLeft: "[", BracketRight: "]", Slash: "/", Semicolon: ";", Quote: "'", Backquote: "`", Minus: "-", Equal: "=", Backslash: "\\",
});
/** A key that has no character of its own yet: a dead one, or one that an input method took. */
const UNNAMED = new Set(["Dead", "Process", "Unidentified"]);

/** What a press prints, whatever Caps Lock and width are; empty for a key with a name. @param {Pressed} event @returns {string} */
function printed({ key }) {
  return [...key].length === 1 ? key.replace("؟", "?").normalize("NFKC").toLowerCase() : "";
}

/**
 * The key that a press stands for, on any keyboard: a Latin letter by what is printed; a digit, a mark or a letter of another script by
 * its place; a key with a name by it. Caps Lock, AltGr and the Option key of a Mac change nothing.
 *
 * @param {Pressed} event
 * @returns {string}
 */
export function letterOf(event) {
  const { key, code = "" } = event;
  const mark = printed(event);
  if (/^[a-z]$/.test(mark) || AS_PRINTED.has(mark)) return mark;
  if (!mark && !UNNAMED.has(key)) return key.toLowerCase();
  const place = code.match(/^(?:Key([A-Z])|(?:Digit|Numpad)(\d))$/);
  return place ? (place[1] ?? place[2]).toLowerCase() : PLACES[code] ?? (mark || key.toLowerCase());
}

/** Ctrl, Alt or the Windows or Command key makes a press the browser's, unless Alt only gave another character: AltGr, Option. @param {Pressed} event @returns {boolean} */
export function isShortcut(event) {
  if (event.metaKey) return true;
  if (!event.ctrlKey && !event.altKey) return false;
  const mark = printed(event);
  return !event.altKey || (/^[a-z0-9 ]?$/.test(mark) && !UNNAMED.has(event.key));
}

/**
 * The letter or digit that a press writes, for going to a word that begins with it. Where the text has no letters but Latin ones, a
 * keyboard of another script counts by its places.
 *
 * @param {Pressed} event
 * @param {boolean} latin
 * @returns {string} empty for anything else
 */
function letterWritten(event, latin) {
  const mark = printed(event);
  const own = /^[\p{L}\p{N}]/u.test(mark) && !(latin && /^\p{L}/u.test(mark) && !/^\p{Script=Latin}/u.test(mark));
  const letter = own ? mark : letterOf(event);
  return /^[\p{L}\p{N}]\p{M}*$/u.test(letter) ? letter : "";
}

/**
 * @param {Pressed} event
 * @param {Context} context
 * @param {{rtl?: boolean, letters?: boolean, latin?: boolean}} [options]  `letters: false` switches single characters off; `latin`: the text has no other letters
 * @returns {Act | null}
 */
export function actOf(event, context, options = {}) {
  const act = actOfPress(event, context, options);
  return act && event.repeat && !REPEATS.has(act.act) ? null : act;
}

/** @param {Pressed} event @param {Context} context @param {{rtl?: boolean, letters?: boolean, latin?: boolean}} options @returns {Act | null} */
function actOfPress(event, context, { rtl = false, letters = true, latin = true }) {
  if (event.isComposing || event.metaKey) return null;
  const key = letterOf(event);
  const single = key.length === 1;
  if (!letters && single && key !== " ") return null;
  if (context === "span") {
    const moved = single ? (isShortcut(event) ? null : letterAct(event, key, latin)) : spanAct(event, key, rtl);
    if (moved) return moved;
  }
  if (isShortcut(event)) return null;
  if (context === "feedback" && key === "enter") return { act: "onward" };
  if (context === "ask" || context === "feedback") {
    if (key === "y") return { act: "yes" };
    if (key === "n") return { act: "no" };
  }
  if (key === "a" && ["ask", "question", "unhelpful", "invalid"].includes(context)) return { act: "take" };
  if (context === "match") {
    if (/^[1-9]$/.test(key)) return { act: "reference", index: Number(key) - 1 };
    if (key === "0") return { act: "none" };
    if (key === "s") return { act: "filter" };
    if (key === "arrowdown" || key === "arrowup") return { act: "move", step: key === "arrowdown" ? 1 : -1 };
  }
  if (["question", "unhelpful", "invalid", "feedback"].includes(context)) {
    const label = ["1", "2", "3"].indexOf(key);
    if (label >= 0) return { act: "label", index: label };
  }
  if (["question", "unhelpful", "invalid"].includes(context)) {
    const choice = context === "question" ? -1 : REASON_KEYS.indexOf(key);
    if (choice >= 0) return { act: "choice", index: choice };
    if (key === "enter") return { act: "keep" };
    if (key === "arrowdown") return { act: "next" };
    if (key === "arrowup") return { act: "previous" };
  }
  if (key === "escape") return { act: "back" };
  // While a span is chosen, letters are the text's.
  const act = context === "span" && /^\w$/.test(key) ? "" : EVERYWHERE[key];
  return act ? { act } : null;
}

/**
 * Step 2, keys with a character: a letter goes to the next word that begins with it, comma and full stop move an edge by a letter.
 *
 * @param {Pressed} event @param {string} key @param {boolean} latin @returns {Act | null}
 */
function letterAct(event, key, latin) {
  if (key === " ") return { act: "same" };
  const { code, shiftKey } = event;
  const mark = printed(event);
  // Where a full stop takes Shift, as in France, it still moves the end.
  if (mark === "," || mark === ".") return { act: "letter", step: mark === "." ? 1 : -1, edge: "end" };
  const letter = letterWritten(event, latin);
  // The comma of AZERTY lies on the key M, and its Shift prints a question mark.
  const back = code === "Comma" || (code === "KeyM" && mark === "?") || (!code && mark === "<");
  const step = back ? -1 : code === "Period" || (!code && mark === ">") ? 1 : 0;
  if (step && !letter) return { act: "letter", step, edge: shiftKey ? "start" : "end" };
  if (!letter) return null;
  // Where a digit takes Shift, it goes to its word like any letter.
  return { act: "jump", letter, extend: Boolean(shiftKey) && !/^\d$/.test(mark) };
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
  if (key === "enter") return { act: "keep" };
  return null;
}

/**
 * Which edge of a span a bracket moves by a word, on the page of one unit: brackets the start, with Shift (braces) the end.
 *
 * @param {Pressed} event
 * @returns {["start" | "end", 1 | -1] | null}
 */
export function edgeOf(event) {
  const key = letterOf(event);
  const way = "[{".includes(key) ? -1 : "]}".includes(key) ? 1 : 0;
  if (!way) return null;
  // Where another mark stands on the bracket's place, Shift makes a brace of it as it does on an American keyboard.
  const brace = "{}".includes(key) || (event.shiftKey && printed(event) !== key);
  return [brace ? "end" : "start", way];
}
