/** Everything that a person can press: keys, buttons, the save state, the log-in and what was refused. */

import { closeDrawers, modalIsOpen, openDrawers, openModal, part, toggleDrawer } from "../lib/dialogs.js";
import { gettext } from "../lib/i18n.js";
import { actOf } from "./keys.js";
import { logIn, logOut, openLoginWindow, whenSignedIn } from "./saving/login.js";

const DOUBLE_CLICK = 300;
/** What changes something on the server, or begins to. */
export const CHANGES = ["yes", "no", "keep", "same", "reference", "none", "label", "choice", "take", "cannot", "comment", "unsure", "undo"];
const SAME_PLACE = 24;

/**
 * @typedef {object} Parts
 * @property {import("./shell.js").Shell} shell
 * @property {import("./session.js").Session} session
 * @property {import("./saving/sender.js").Sender} sender
 * @property {import("./clock.js").Clock} clock
 * @property {{page: import("./focus/focus_page.js").FocusPage | import("./questions/questions_page.js").QuestionsPage, listing: import("./unit_list.js").Listing}} tools
 * @property {() => number} steady
 * @property {(asked?: boolean) => void} askForLogin
 * @property {() => Promise<boolean>} loggedIn
 * @property {(unit: string, pick: "mine" | "stored") => void} pick
 */

/** @param {Parts} parts */
export function listen({ shell, session, sender, clock, tools, steady, askForLogin, loggedIn, pick }) {
  const { dataset } = shell.root;
  const letters = /** @type {HTMLInputElement} */ (part("ws-letters"));
  const { outbox } = sender;

  /** @param {import("./keys.js").Act} act @returns {boolean} */
  const perform = (act) => {
    if (!part("ws-warning").hidden && !["guideline", "keys", "back"].includes(act.act)) return false;
    if (tools.page.unit === null && !["list", "guideline", "keys", "undo", "back"].includes(act.act)) return false;
    if (act.act === "back" && closeDrawers()) return true;
    const refused = CHANGES.includes(act.act) ? session.refusal(tools.page.unit) : "";
    if (refused) {
      shell.tell(refused);
      return true;
    }
    if (tools.page.act(act)) return true;
    switch (act.act) {
      case "undo": {
        const unit = session.undo();
        part("ws-last").textContent = "";
        if (unit) shell.say(gettext("Taken back."));
        else shell.tell(session.training ? gettext("In a training round the first answer counts.") : gettext("There is nothing to take back."));
        return true;
      }
      case "next": session.step(1); return true;
      case "previous": session.step(-1); return true;
      case "list":
        tools.listing.from = null;
        tools.listing.render();
        toggleDrawer(/** @type {HTMLDialogElement} */ (part("ws-list")), "[aria-current], [data-jump], [data-filter]");
        return true;
      case "guideline":
        shell.guidelineAt(tools.page.unit);
        if (toggleDrawer(/** @type {HTMLDialogElement} */ (part("ws-guideline")))) shell.say(part("ws-guideline-type").textContent ?? "");
        return true;
      case "keys": openModal(/** @type {HTMLDialogElement} */ (part("ws-keys"))); return true;
      default: return false;
    }
  };

  let lastClick = { x: 0, y: 0, at: -Infinity };
  /** What lies under a double click or tap belongs to the next step or unit by then. A click by keyboard has no place. @param {MouseEvent} event */
  const isSecondOfDouble = ({ clientX: x, clientY: y, timeStamp: at, detail }) => {
    if (!detail) return false;
    const second = at - lastClick.at < DOUBLE_CLICK && Math.hypot(x - lastClick.x, y - lastClick.y) < SAME_PLACE;
    lastClick = { x, y, at };
    return second;
  };

  document.addEventListener("keydown", (event) => {
    clock.activity(steady());
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || modalIsOpen() || target.closest("input, textarea, select")) return;
    // A focused button keeps its own Enter and Space, once a press.
    if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, summary")) {
      if (event.repeat) event.preventDefault();
      return;
    }
    const [drawer] = openDrawers();
    if (drawer && (event.key === "PageDown" || event.key === "PageUp")) {
      drawer.scrollBy(0, (event.key === "PageDown" ? 0.9 : -0.9) * drawer.clientHeight);
      event.preventDefault();
      return;
    }
    const act = actOf(event, tools.page.context, { rtl: tools.page.rtl, latin: /** @type {any} */ (tools.page).latin, letters: letters.checked });
    if (act && perform(act)) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    const second = isSecondOfDouble(event);
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-act]"));
    if (button) {
      if (second) return;
      const menu = button.closest("details.menu");
      menu?.removeAttribute("open");
      // What opens now gives the focus back to where it can be seen.
      if (menu) menu.querySelector("summary")?.focus();
      perform({ act: button.dataset.act ?? "", index: Number(button.dataset.index ?? 0) });
      return;
    }
    const jump = /** @type {HTMLElement | null} */ (target.closest("[data-jump]"));
    const unit = session.units.byKey.get(jump?.dataset.jump ?? "");
    if (unit && !jump?.classList.contains("ws-question")) {
      session.show(unit);
      if (window.matchMedia("(max-width: 62rem)").matches) closeDrawers();
    }
  });

  for (const name of ["pointerdown", "pointermove", "scroll"]) document.addEventListener(name, () => clock.activity(steady()), { passive: true, capture: true });
  document.addEventListener("visibilitychange", () => {
    clock.visibility(!document.hidden, steady());
    if (!document.hidden && outbox.pause && outbox.pause !== "closed") sender.resume();
  });
  window.addEventListener("online", () => sender.resume());
  window.addEventListener("beforeunload", (event) => {
    if (outbox.waiting || sender.unkept) event.preventDefault();
  });

  part("ws-save").addEventListener("click", () => {
    if (outbox.conflicts.size) shell.conflict(session, pick);
    else if (outbox.pause === "session" || outbox.pause === "csrf") askForLogin(true);
    else if (outbox.refused.length || outbox.pause === "closed") shell.refused(session);
    else sender.resume();
  });
  part("ws-ended-login").addEventListener("click", () => askForLogin(true));
  /** One try after the other. */
  let signing = Promise.resolve();
  part("ws-login-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    signing = signing.then(() => signIn(form));
  });
  /** @param {HTMLFormElement} form */
  const signIn = async (form) => {
    const given = new FormData(form);
    const attempt = () => logIn(dataset.loginUrl ?? "", String(given.get("login")), String(given.get("password")));
    let result = await attempt();
    // Where someone else is logged in, the server takes no other name: out first, and once more.
    if (result === "in" && !(await loggedIn())) {
      await logOut(dataset.logoutUrl ?? "");
      result = await attempt();
      if (result === "in" && !(await loggedIn())) return logOut(dataset.logoutUrl ?? "");
    }
    part("ws-login-error").textContent = {
      in: "", window: gettext("This account needs another step: use “Log in another way”."),
      wrong: gettext("The name and the password do not go together, or there were too many tries."), away: gettext("The server cannot be reached."),
    }[result];
    if (result === "in") form.reset();
  };
  part("ws-login-window").addEventListener("click", () => openLoginWindow(dataset.loginUrl ?? "", dataset.signedInUrl ?? ""));
  whenSignedIn(() => void loggedIn());
  part("ws-refused-again").addEventListener("click", () => {
    /** @type {HTMLDialogElement} */ (part("ws-refused")).close();
    sender.resume();
  });
  part("ws-refused-copy").addEventListener("click", () => {
    saveCopy([...outbox.refused.map((/** @type {any} */ refused) => refused.entry), ...outbox.entries]);
    part("ws-refused-forget").hidden = false;
  });
  part("ws-refused-forget").addEventListener("click", () => {
    /** @type {HTMLDialogElement} */ (part("ws-refused")).close();
    void sender.forget();
  });
  try {
    letters.checked = localStorage.getItem("elenchus:letters") !== "off";
    letters.addEventListener("change", () => localStorage.setItem("elenchus:letters", letters.checked ? "on" : "off"));
  } catch { /* the setting then lasts as long as the page */ }
}

/** What could not be stored, as a file for the lead. @param {object[]} entries */
function saveCopy(entries) {
  const url = URL.createObjectURL(new Blob([JSON.stringify(entries, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "elenchus-not-stored.json";
  link.click();
  URL.revokeObjectURL(url);
}
