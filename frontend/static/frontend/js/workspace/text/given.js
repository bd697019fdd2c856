/** What is given to be judged stands as it was given: no translator may touch it, and what one does to it nevertheless is put back. */

import { element, part } from "../../lib/dialogs.js";
import { drawn } from "../../lib/offsets.js";

/** Two programs that correct each other would never end. */
const MENDS = 8;

/**
 * @param {Record<string, any>} properties @param {string} text @param {string} [tag]
 * @returns {HTMLElement} a text, a question or words of them, in their own direction and language
 */
export function given(properties, text, tag = "span") {
  return element(tag, { ...properties, dir: "auto", translate: false, lang: part("ws-text").lang }, drawn(text));
}

/**
 * By the time an observer runs, the page's own changes are whole.
 *
 * @param {HTMLElement} place @param {() => boolean} mend  puts back what is foreign; whether something was @param {() => void} onForeign
 * @returns {() => void} begins to count anew
 */
export function watch(place, mend, onForeign) {
  let mended = 0;
  new MutationObserver(() => {
    if (mended >= MENDS || !mend()) return;
    mended += 1;
    onForeign();
  }).observe(place, { childList: true, characterData: true, subtree: true });
  return () => {
    mended = 0;
  };
}
