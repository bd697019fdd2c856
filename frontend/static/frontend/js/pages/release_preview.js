/** The counts of the release that the form would make: marked while they are asked for, and owned up to when they fail. */

const shown = /** @type {HTMLElement} */ (document.getElementById("preview"));
const stale = /** @type {HTMLElement} */ (document.getElementById("preview-stale"));

/** @param {boolean} failed */
function answered(failed) {
  shown.toggleAttribute("data-old", failed);
  stale.hidden = !failed;
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  // Whoever was logged out gets the log-in page, which has no counts in it.
  if (!detail.serverResponse.includes('id="preview-counts"')) detail.shouldSwap = false;
  answered(!detail.shouldSwap);
});
document.addEventListener("htmx:sendError", () => answered(true));

export {};
