/** How large the text is and how long its lines are, as this person likes it in this browser; and, in the same menu, one's pace. */

import { part } from "../../lib/dialogs.js";
import { paceWords } from "../pace.js";

const SIZES = ["s", "m", "l", "xl"];
const LINES = ["short", "middle", "long"];
const KEPT = "elenchus:reading";

/** @returns {{size: string, lines: string}} */
function kept() {
  try {
    const [size, lines] = (localStorage.getItem(KEPT) ?? "").split(" ");
    if (SIZES.includes(size) && LINES.includes(lines)) return { size, lines };
  } catch { /* then as it comes */ }
  return { size: "m", lines: "middle" };
}

/** @param {{size: string, lines: string}} reading */
function apply({ size, lines }) {
  Object.assign(part("workspace").dataset, { size, lines });
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-reading]"))) {
    const [what, step] = (button.dataset.reading ?? "").split(" ");
    const at = what === "size" ? SIZES.indexOf(size) + Number(step) : LINES.indexOf(lines) + Number(step);
    button.setAttribute("aria-disabled", String(at < 0 || at >= (what === "size" ? SIZES : LINES).length));
  }
}

/** @param {import("../units.js").Units} units @param {string | null} dueOn */
export function listenForReading(units, dueOn) {
  apply(kept());
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-reading]"));
    if (!button || button.getAttribute("aria-disabled") === "true") return;
    const [what, step] = (button.dataset.reading ?? "").split(" ");
    const now = kept();
    if (what === "size") now.size = SIZES[SIZES.indexOf(now.size) + Number(step)];
    else now.lines = LINES[LINES.indexOf(now.lines) + Number(step)];
    try {
      localStorage.setItem(KEPT, `${now.size} ${now.lines}`);
    } catch { /* it lasts as long as the page */ }
    apply(now);
    // Whatever is placed over the text finds its place anew.
    window.dispatchEvent(new Event("resize"));
  });
  part("ws-who").closest("details")?.addEventListener("toggle", () => {
    part("ws-pace").textContent = paceWords(units, dueOn, document.documentElement.lang);
  });
}
