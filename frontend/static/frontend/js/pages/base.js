/** What every page does: menus close when the person turns elsewhere, and logging out clears this browser. */

import { forgetMember } from "../lib/leaving.js";

// A form that was refused starts in the first field that is wrong, a page that is one form in its first field.
/** @type {HTMLElement | null} */ (
  document.querySelector("main form [aria-invalid=true]") ?? document.querySelector("[data-autofocus] input:not([type=hidden])")
)?.focus();

// On a narrow screen the sections scroll sideways: begin with the open one in sight.
const bar = document.querySelector(".tab-bar");
const section = /** @type {HTMLElement | null} */ (bar?.querySelector("[aria-current]") ?? null);
if (bar && section && section.offsetLeft + section.offsetWidth > bar.clientWidth) bar.scrollLeft = section.offsetLeft - bar.clientWidth / 2;

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
