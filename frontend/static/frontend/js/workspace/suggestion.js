/** The line that says what a language model suggests for the unit on the page. It is not there where the round has none. */

import { part } from "../lib/dialogs.js";
import { gettext } from "../lib/i18n.js";
import { answerText } from "./answer_text.js";

/**
 * @param {import("./shell.js").Shell} shell @param {import("./session.js").Session} session @param {import("./units.js").Unit} unit
 */
export function showSuggestion(shell, session, unit) {
  const line = document.getElementById("ws-suggestion");
  if (!line) return;
  const { suggestion } = unit;
  // Its place stays, so that nothing moves from unit to unit.
  line.classList.toggle("nothing", !suggestion);
  part("ws-suggestion-said").textContent = suggestion ? answerText(suggestion, session.spec) : "";
  part("ws-suggestion-by").textContent = suggestion ? gettext("A language model suggests:") : gettext("No suggestion here.");
  part("ws-suggestion-by").title = suggestion ? shell.overview.round.suggestion_model : "";
  part("ws-suggestion-take").hidden = !suggestion || Boolean(session.refusal(unit));
}
