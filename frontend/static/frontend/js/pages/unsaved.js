/**
 * Words that were typed and not sent are not lost. It watches the forms marked data-unsaved: whoever leaves the page is asked first, and
 * what was sent after the session had ended stands in the form again once the person has logged in.
 *
 * `data-unsaved="always"`: the server refused what stands in the form, so it is stored nowhere although nobody typed since.
 *
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 * @typedef {{who: string, form: number, fields: [string, string, boolean][]}} Sent
 */

const KEY = `elenchus:sent:${location.pathname}${location.search}`;

/** @returns {HTMLFormElement[]} */
const watched = () => [.../** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-unsaved]"))];

/** @param {HTMLFormElement} form @returns {boolean} whether words in it are nowhere else */
function hasUnsentWords(form) {
  if (form.dataset.unsaved === "always") return true;
  const fields = /** @type {NodeListOf<HTMLTextAreaElement | HTMLInputElement>} */ (form.querySelectorAll("textarea, input[type=text]"));
  return [...fields].some((field) => field.value !== field.defaultValue);
}

/** @param {HTMLFormElement} form @returns {Field[]} what a person fills in */
function filledIn(form) {
  const fields = /** @type {NodeListOf<Field>} */ (form.querySelectorAll("input:not([type=hidden]):not([type=file]), textarea, select"));
  return [...fields].filter(({ name }) => name);
}

/** @param {Field} field @returns {boolean} */
const isTicked = (field) => field instanceof HTMLInputElement && field.checked;

/** @returns {string} whose page this is: another person's words are not shown */
const who = () => document.querySelector(".menu > summary")?.textContent ?? "";

/** @param {HTMLFormElement} form */
function keep(form) {
  /** @type {Sent} */
  const sent = { who: who(), form: watched().indexOf(form), fields: filledIn(form).map((field) => [field.name, field.value, isTicked(field)]) };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(sent));
  } catch { /* then it is not there again */ }
}

/** Once: what arrived is on the server, and what did not has been sent by way of the log-in. @returns {Sent | null} */
function taken() {
  try {
    const kept = sessionStorage.getItem(KEY);
    sessionStorage.removeItem(KEY);
    return JSON.parse(kept ?? "null");
  } catch {
    return null;
  }
}

/** @param {Sent} sent */
function fillAgain({ form: index, fields }) {
  const form = watched()[index];
  if (!form) return;
  for (const [place, field] of filledIn(form).entries()) {
    const [name, value, ticked] = fields[place] ?? [];
    if (name !== field.name || value === undefined) continue;
    if (field instanceof HTMLInputElement && (field.type === "checkbox" || field.type === "radio")) {
      if (field.value !== value || field.checked === ticked) continue;
      field.checked = Boolean(ticked);
    } else field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
}

/** @type {EventTarget | null} the form that is being sent: what stands in it is not lost */
let sending = null;
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (event.defaultPrevented) return;
  sending = form;
  if ("unsaved" in form.dataset) keep(form);
});
window.addEventListener("pageshow", () => { sending = null; });

window.addEventListener("beforeunload", (event) => {
  if (watched().some((form) => form !== sending && hasUnsentWords(form))) event.preventDefault();
});

const sent = taken();
const from = document.referrer && new URL(document.referrer);
if (sent && from && from.origin === location.origin && from.pathname.includes("/accounts/") && sent.who === who()) fillAgain(sent);
