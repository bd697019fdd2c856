/** Small helpers for the page: finding parts of it, building nodes, opening and closing dialogs. */

const NARROW = "(max-width: 48rem)";

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function part(id) {
  return /** @type {T} */ (document.getElementById(id));
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties]  `data` becomes the dataset, names with a dash become attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "data") Object.assign(made.dataset, value);
    else if (name.includes("-")) made.setAttribute(name, value);
    else /** @type {any} */ (made)[name] = value;
  }
  made.append(...children);
  return made;
}

/**
 * Draw a group of buttons anew. Whoever came to one of them by keyboard stays on it; a click leaves no focus that would take Enter from
 * the page.
 *
 * @param {HTMLElement} group
 * @param {Node[]} nodes
 * @param {string} [kept]  selector of the focus that is kept
 */
export function replaceChildren(group, nodes, kept = ":focus-visible") {
  const at = /** @type {HTMLElement | null} */ (group.querySelector(kept));
  const name = at && Object.keys(at.dataset).find((key) => key === "jump" || key === "filter");
  group.replaceChildren(...nodes);
  if (name) /** @type {HTMLElement | null} */ (group.querySelector(`[data-${name}="${CSS.escape(at.dataset[name] ?? "")}"]`))?.focus({ preventScroll: true });
}

/** @param {string} key @returns {HTMLElement} */
export const keycap = (key) => element("kbd", {}, key);

/**
 * A drawer beside the text leaves the page usable; pressing its key again closes it. The focus stays where it was, so that Enter still
 * keeps the span, unless the drawer has something to choose from. On a narrow page it covers all, and is modal.
 *
 * @param {HTMLDialogElement} dialog
 * @param {string} [focus]  selector of what takes the focus
 * @returns {boolean} whether it is open now
 */
export function toggleDrawer(dialog, focus) {
  const open = !dialog.open;
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  closeDrawers();
  if (!open) return false;
  const modal = window.matchMedia(NARROW).matches;
  if (modal) dialog.showModal();
  else dialog.show();
  const target = focus ? /** @type {HTMLElement | null} */ (dialog.querySelector(focus)) : modal ? null : before;
  if (target && target !== document.body) target.focus();
  else if (!modal) /** @type {HTMLElement} */ (document.activeElement)?.blur();
  return true;
}

/** @returns {NodeListOf<HTMLDialogElement>} */
export const openDrawers = () => document.querySelectorAll("dialog.ws-drawer[open]");

/** @returns {boolean} whether one was open */
export function closeDrawers() {
  const open = openDrawers();
  for (const dialog of open) dialog.close();
  return open.length > 0;
}

/** @param {HTMLDialogElement} dialog */
export function openModal(dialog) {
  if (!dialog.open) dialog.showModal();
}

/** @returns {boolean} */
export const modalIsOpen = () => document.querySelector("dialog:modal") !== null;

/** Show a notice below the head of the dialog that has the page for itself. @param {HTMLElement} notice */
export function sayInDialog(notice) {
  document.querySelector("dialog:modal")?.firstElementChild?.after(notice);
  notice.hidden = false;
}

/** Buttons marked data-close close the dialog around them. */
export function listenForClosing() {
  document.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("[data-close]");
    button?.closest("dialog")?.close();
  });
}
