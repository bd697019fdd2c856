/**
 * Whoever leaves a page with words that were typed and not sent is asked first. It watches the forms marked data-unsaved;
 * `data-unsaved="always"`: the server refused what stands in the form, so it is sent nowhere although nobody typed since.
 */

/** @param {HTMLFormElement} form @returns {boolean} whether words in it are nowhere else */
function hasUnsentWords(form) {
  if (form.dataset.unsaved === "always") return true;
  const fields = /** @type {NodeListOf<HTMLTextAreaElement | HTMLInputElement>} */ (form.querySelectorAll("textarea, input[type=text]"));
  return [...fields].some((field) => field.value !== field.defaultValue);
}

/** @type {EventTarget | null} the form that is being sent: what stands in it is not lost */
let sending = null;
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) sending = event.target;
});
window.addEventListener("pageshow", () => { sending = null; });

window.addEventListener("beforeunload", (event) => {
  const forms = /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-unsaved]"));
  if ([...forms].some((form) => form !== sending && hasUnsentWords(form))) event.preventDefault();
});
