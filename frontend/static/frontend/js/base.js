/** What every page does: menus close when the person turns elsewhere, and logging out clears this browser. */

import { forgetMember } from "./leaving.js";

// A page that is one form starts in its first field, or in the first that is wrong.
/** @type {HTMLElement | null} */ (
  document.querySelector("[data-autofocus] [aria-invalid]") ?? document.querySelector("[data-autofocus] input:not([type=hidden])")
)?.focus();

const openMenus = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("click", (event) => {
  for (const menu of openMenus()) {
    if (!menu.contains(/** @type {Node} */ (event.target))) menu.removeAttribute("open");
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.removeAttribute("open");
    menu.querySelector("summary")?.focus();
  }
});

document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.matches("form[data-logout]") || form.dataset.cleared) return;
  event.preventDefault();
  forgetMember().finally(() => {
    form.dataset.cleared = "yes";
    form.requestSubmit();
  });
});
