/** What both protocols' pages share: header, save state, progress, the line about the last decision, and what stands in for the text. */

import { element, keycap, modalIsOpen, openModal, part } from "../lib/dialogs.js";
import { gettext, interpolate, ngettext } from "../lib/i18n.js";
import { choiceKey } from "./keys.js";
import { markdownNodes } from "../lib/markdown.js";
import { trainingEnd } from "./training_end.js";
import { answerText, unitName } from "./answer_text.js";

/**
 * @typedef {import("./session.js").Session} Session
 * @typedef {import("./units.js").Unit} Unit
 */

const CHANGING = ["yes", "no", "keep", "label", "choice", "cannot", "comment", "unsure", "undo"].map((act) => `[data-act=${act}]`).join();

export class Shell {
  /** @param {any} overview @param {HTMLElement} root */
  constructor(overview, root) {
    this.overview = overview;
    this.root = root;
    this.sayTimer = 0;
    this.saveTimer = 0;
    this.saveKind = "saved";
    const { project, round, member } = overview;
    part("ws-project").textContent = project.name;
    part("ws-round").textContent = round.name;
    part("ws-who").textContent = member.pseudonym;
    document.title = `${round.name} · ${project.name} · Elenchus`;
    part("ws-guideline-all").innerHTML = overview.guideline_html;
  }

  /** Tell people who listen. @param {string} text @param {number} [wait] milliseconds in which a later text replaces it */
  say(text, wait = 60) {
    clearTimeout(this.sayTimer);
    this.sayTimer = setTimeout(() => { part("ws-say").textContent = text; }, wait);
  }

  /** Answer a key that does nothing, where it is seen and heard. @param {string} text */
  tell(text) {
    part("ws-last").replaceChildren(element("b", {}, text));
    this.say(text, 20);
  }

  /** A button that can only be refused looks so; pressed, it says why. @param {Session} session @param {Unit | null} unit */
  offer(session, unit) {
    const refused = session.refusal(unit);
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CHANGING))) {
      if (refused || button.id !== "ws-keep") button.setAttribute("aria-disabled", String(Boolean(refused)));
    }
  }

  /** @param {"ask" | "live" | "choice" | "note" | "feedback"} name */
  panel(name) {
    for (const panel of document.querySelectorAll("[data-panel]")) panel.toggleAttribute("hidden", panel.getAttribute("data-panel") !== name);
  }

  /** @param {import("./session.js").Draft} draft */
  beside({ unsure, comment }) {
    part("ws-unsure").setAttribute("aria-pressed", String(Boolean(unsure)));
    part("ws-comment").setAttribute("aria-pressed", String(Boolean(comment)));
    part("ws-comment").title = comment;
  }

  /** @param {boolean} unsure */
  sayFlag(unsure) {
    this.say(unsure ? gettext("Flagged as unsure") : gettext("Not flagged any more"));
  }

  /** @param {Session} session */
  progress(session) {
    const { units } = session;
    const bar = /** @type {HTMLProgressElement} */ (part("ws-progress"));
    bar.max = Math.max(1, units.length);
    bar.value = units.decided;
  }

  /** @param {string} long @param {string} short */
  position(long, short) {
    part("ws-position-long").textContent = long;
    part("ws-position").dataset.short = short;
    part("ws-position").title = long;
  }

  /** @param {Session} session */
  saveState(session) {
    const { outbox, storeFailed } = session.sender;
    const { state, text } = saveWords(outbox, storeFailed, session);
    const button = part("ws-save");
    button.dataset.state = state;
    part("ws-save-text").textContent = text;
    const why = session.closed || (outbox.pause === "paused" ? pausedWords(outbox.waiting) : "");
    part("ws-paused").hidden = !why;
    part("ws-paused").textContent = why;
    if (!part("ws-done").hidden) this.doneSaved(session);
    const kind = state === "waiting" ? "saved" : `${state}:${outbox.pause}`;
    if (kind === this.saveKind) return;
    this.saveKind = kind;
    clearTimeout(this.saveTimer);
    this.saveTimer = setTimeout(() => { part("ws-say-save").textContent = part("ws-paused").textContent || part("ws-save-text").textContent; }, 1200);
  }

  /** @param {Session} session @param {Unit} unit */
  last(session, unit) {
    const line = part("ws-last");
    const none = session.units.isNoneOfTheAbove(unit.item);
    line.classList.toggle("derived", none);
    if (none) {
      const derived = this.overview.spec.derived_none?.name ?? gettext("None of the Above");
      line.replaceChildren(element("b", {}, derived), ` · ${interpolate(gettext("no to all types of %(item)s"), { item: unit.item.id })}`);
      this.say(line.textContent ?? "", 20);
    } else {
      line.replaceChildren(`${gettext("Last:")} ${unitName(unit)} · `, element("b", { dir: "auto" }, answerText(unit.row, session.spec)));
    }
  }

  /**
   * Show the text, or what stands in its place.
   *
   * @param {"text" | "warning" | "done" | "trouble"} which
   */
  place(which) {
    this.root.dataset.state = which === "text" ? "work" : "away";
    for (const name of ["warning", "done", "trouble"]) part(`ws-${name}`).hidden = name !== which;
  }

  /** What the key says to an answer of a training round. @param {Session} session @param {Unit} unit */
  feedback(session, unit) {
    const told = unit.row?.feedback;
    const verdict = part("ws-feedback-verdict");
    if (!told) {
      verdict.textContent = gettext("Waiting for the key…");
      part("ws-feedback-key").textContent = part("ws-feedback-why").textContent = "";
      return;
    }
    verdict.replaceChildren(element("b", { className: told.agrees ? "agrees" : "differs" }, told.agrees ? gettext("✓ The key says the same.") : gettext("✕ The key says otherwise.")));
    part("ws-feedback-key").textContent = interpolate(gettext("Key: %(key)s. You: %(mine)s."), { key: answerText(told.key, session.spec), mine: answerText(unit.row, session.spec) });
    part("ws-feedback-why").textContent = told.why;
    this.say(`${verdict.textContent} ${part("ws-feedback-key").textContent} ${told.why}`);
  }

  /** How one did against the key, at the end of a training round. @param {any} result @param {Session} session */
  trainingResult(result, session) {
    part("ws-done-training").replaceChildren(...trainingEnd(result, session, (unit) => session.show(unit)));
  }

  /** @param {Session} session */
  done(session) {
    const { units } = session;
    const { round } = this.overview;
    const flagged = units.flat.filter((unit) => session.draft(unit).unsure).length;
    part("ws-done-title").textContent = units.length ? interpolate(gettext("%(round)s is done"), { round: round.name }) : gettext("Nothing is assigned to you");
    part("ws-done-text").textContent = units.length
      ? interpolate(doneWords(session.training, round.status, flagged, round.purpose), { n: units.length, flagged })
      : gettext("No text of this round is yours. Ask a lead whether you take part in it.");
    part("ws-done-list").hidden = part("ws-done-mine").hidden = !units.length;
    const [next] = this.overview.others ?? [];
    const link = /** @type {HTMLAnchorElement} */ (part("ws-done-next"));
    link.hidden = !next;
    if (next) {
      link.href = `${this.root.dataset.projectUrl}rounds/${next.number}/work/`;
      link.textContent = interpolate(gettext("Go on with %(round)s: %(left)s left"), { round: next.name, left: next.left });
    }
    this.doneSaved(session);
    this.place("done");
    this.say(part("ws-done-title").textContent ?? "");
  }

  /** @param {Session} session */
  doneSaved(session) {
    const { waiting, pause } = session.sender.outbox;
    part("ws-done-save").hidden = !session.units.length && !waiting;
    if (waiting && pause === "paused") part("ws-done-save").textContent = pausedWords(waiting);
    else part("ws-done-save").textContent = waiting
      ? interpolate(ngettext("%(n)s decision is still on its way: keep this page open.", "%(n)s decisions are still on their way: keep this page open.", waiting), { n: waiting })
      : gettext("All of it is stored on the server.");
  }

  /** @param {string} title @param {string} text @param {() => void} again */
  trouble(title, text, again) {
    this.instead(title, text, again);
    part("ws-save").dataset.state = "trouble";
    part("ws-save-text").textContent = "";
  }

  /** The annotator is quicker than the network. @param {() => void} again */
  coming(again) {
    this.instead(gettext("The next text is on its way"), gettext("It is shown here once it has arrived. What you decided is kept."), again);
    this.say(part("ws-trouble-title").textContent ?? "");
  }

  /** @param {string} title @param {string} text @param {() => void} again */
  instead(title, text, again) {
    part("ws-trouble-title").textContent = title;
    part("ws-trouble-text").textContent = text;
    part("ws-trouble-again").onclick = again;
    this.place("trouble");
  }

  /** The part of the guideline for what is on the screen. @param {Unit | null} unit */
  guidelineAt(unit) {
    const { spec } = this.overview;
    const place = part("ws-guideline-type");
    if (place.childNodes.length && place.dataset.type === (unit?.type ?? "")) return;
    place.dataset.type = unit?.type ?? "";
    const type = spec.types.find((/** @type {any} */ entry) => entry.code === unit?.type);
    if (type) {
      place.replaceChildren(element("h3", {}, type.name), element("p", {}, type.description), markdownNodes(type.guideline ?? ""));
    } else {
      place.replaceChildren(
        ...[...spec.labels, ...spec.reasons].map((entry) => element("p", {}, element("strong", {}, entry.name), ` ${entry.description}`)));
    }
    place.hidden = !place.childNodes.length;
    place.closest("dialog")?.scrollTo(0, 0);
  }

  /** @param {boolean} questions @param {boolean} [matching] */
  keysOverview(questions, matching = false) {
    /** @type {[string, [string[], string][]][]} */
    const tables = questions
      ? [[gettext("Decide"), [
          [["1", "2", "3"], gettext("useful, unhelpful, invalid")],
          [[choiceKey(0), "…", choiceKey(3)], gettext("unhelpful for a usual reason, at once; after 2 the start of the comment")],
          [[choiceKey(0), "…", choiceKey(4)], gettext("after 3: the reason why it is invalid")],
          [["Enter"], gettext("keep")], [["Esc"], gettext("back")],
          [["↑", "↓"], gettext("question before, question after")]]]]
      : [[gettext("Step 1"), [[["Y"], gettext("yes, with the words that are selected")], [["N"], gettext("no")]]],
         [gettext("Step 2: the span"), [
          [["A", "…", "Z"], gettext("go to the next word that begins with it; with Shift extend to it")],
          [[gettext("Space")], gettext("the span of another type of this text; again: of the one before")],
          [["←", "→", "↑", "↓"], gettext("word, line")], [["Ctrl", "←", "→"], gettext("sentence (also with Alt)")],
          [["Shift", "←", "→"], gettext("extend, by word or sentence")], [["Ctrl", "Alt", "←", "→"], gettext("move the end by a letter; with Shift the start")],
          [[",", "."], gettext("the same without modifiers; with Shift the start")],
          [["Home", "End"], gettext("start and end of the line; with Ctrl of the text")], [["PgUp", "PgDn"], gettext("a page up, a page down")],
          [["Enter"], gettext("keep this span")], [["Esc"], gettext("back to yes or no; nothing is recorded")]]],
         [gettext("Mouse and touch"), [[[gettext("drag")], gettext("whole words, also before Y; with Alt letter by letter")], [[gettext("click")], gettext("a word; a second click extends; a triple click takes the sentence")]]]];
    if (this.overview.round.suggestion_model) tables[0][1].push([["A"], gettext("take what the language model suggests")]);
    if (matching) tables.unshift([gettext("Step 1: the reference"), [
      [["1", "…", "9"], gettext("asks for the same as this reference")], [["0"], gettext("none does: step 2, its label")],
      [["↑", "↓", "Enter"], gettext("go through the references and pick one")], [["S"], gettext("search in the references; Esc shows all")]]]);
    tables.push([questions ? gettext("Always") : gettext("Step 1; ⌫ and ? always"), [
      [["⌫"], gettext("undo the last decision and show it again")], [["X"], gettext("cannot judge, with a word why")], [["F"], gettext("flag as unsure")],
      [["C"], gettext("comment")], [["J", "K"], gettext("next, previous without deciding")], [["L"], gettext("list: done, flagged, left")],
      ...(questions ? [] : [/** @type {[string[], string]} */ ([["M"], gettext("my decisions so far")]), /** @type {[string[], string]} */ ([["S"], gettext("show or hide the spans of the other types")])]), [["G"], gettext("guideline")], [["?"], gettext("this overview")]]]);
    part("ws-keys-body").replaceChildren(
      ...tables.map(([caption, rows]) =>
        element("table", { className: "ws-keys-table" }, element("caption", {}, caption),
          element("tbody", {}, ...rows.map(([keys, meaning]) =>
            element("tr", {}, element("td", {}, ...keys.map(keycap)), element("td", {}, meaning)))))));
  }

  /** Two answers for one unit, side by side. @param {Session} session @param {(unit: string, pick: "mine" | "stored") => void} onPick */
  conflict(session, onPick) {
    const dialog = /** @type {HTMLDialogElement} */ (part("ws-conflict"));
    const next = session.sender.outbox.conflicts.values().next().value;
    if (!next) {
      dialog.close();
      return;
    }
    const unit = session.units.byKey.get(next.unit);
    // It may have been decided again since.
    const latest = session.sender.outbox.latest(next.unit) ?? next.mine;
    part("ws-conflict-where").textContent = unit ? `${unitName(unit)}: ${gettext("it was changed in another window or on another device. Which one holds?")}` : next.unit;
    /** @param {"mine" | "stored"} which @param {string} title @param {any} row */
    const version = (which, title, row) =>
      element("div", { className: "ws-version" },
        element("dl", {}, element("dt", {}, title), element("dd", { dir: "auto", translate: false }, row ? answerText(row, session.spec) : gettext("undecided")),
          ...(row?.comment ? [element("dt", {}, gettext("Comment")), element("dd", { dir: "auto", translate: false }, row.comment)] : []),
          ...(row?.unsure ? [element("dt", {}, gettext("Flag")), element("dd", {}, gettext("unsure"))] : [])),
        element("button", { type: "button", className: "go", data: { pick: which }, onclick: () => onPick(next.unit, which) }, which === "mine" ? gettext("Keep mine") : gettext("Keep the stored one")));
    part("ws-conflict-versions").replaceChildren(version("mine", gettext("Decided here"), latest.answer), version("stored", gettext("Stored on the server"), next.stored));
    if (!modalIsOpen()) openModal(dialog);
  }

  /** @param {Session} session */
  refused(session) {
    const { refused, pause } = session.sender.outbox;
    const messages = new Set(refused.map(({ message }) => message).filter(Boolean));
    part("ws-refused-text").textContent = [
      ...messages,
      ...(pause === "closed" ? [gettext("What follows is not stored on the server; it stays in this browser.")] : []),
    ].join(" ");
    part("ws-refused-list").replaceChildren(
      ...refused.map(({ entry, errors }) => {
        const unit = session.units.byKey.get(entry.unit);
        return element("li", {}, `${unit ? unitName(unit) : entry.unit}: ${answerText(/** @type {any} */ (entry.answer), session.spec)} ${Object.values(errors).join(" ")}`);
      }));
    openModal(/** @type {HTMLDialogElement} */ (part("ws-refused")));
  }
}

/**
 * @param {import("./saving/outbox.js").Outbox} outbox
 * @param {boolean} storeFailed
 * @param {{closed?: string, unsure?: boolean, elsewhere?: number}} [session]  `unsure`: what the server has is not known; `elsewhere`: decisions that wait in other windows
 * @returns {{state: "saved" | "waiting" | "trouble" | "act" | "closed", text: string}}
 */
export function saveWords({ waiting, pause, conflicts, refused }, storeFailed, { closed = "", unsure = false, elsewhere = 0 } = {}) {
  const n = waiting;
  if (conflicts.size) return { state: "act", text: gettext("Two answers differ") };
  if (pause === "closed" || refused.length) return { state: "act", text: interpolate(gettext("%(n)s not stored"), { n: n + refused.length }) };
  if (pause === "session" || pause === "csrf") return { state: "act", text: interpolate(gettext("Log in: %(n)s waiting"), { n }) };
  // Whatever holds them up: closing the page would lose them.
  if (n && storeFailed) return { state: "trouble", text: interpolate(gettext("%(n)s waiting, not kept here"), { n }) };
  if (closed && !n) return { state: "closed", text: gettext("Closed") };
  if (!n && (pause === "network" || unsure)) return { state: "trouble", text: gettext("Offline") };
  if (pause === "network") return { state: "trouble", text: interpolate(gettext("Offline: %(n)s waiting"), { n }) };
  if (pause === "server") return { state: "trouble", text: interpolate(gettext("Server away: %(n)s waiting"), { n }) };
  if (n && pause === "paused") return { state: "trouble", text: interpolate(gettext("Paused: %(n)s waiting"), { n }) };
  if (n) return { state: "waiting", text: interpolate(gettext("%(n)s waiting"), { n }) };
  if (elsewhere) return { state: "waiting", text: interpolate(gettext("%(n)s waiting in another window"), { n: elsewhere }) };
  return { state: "saved", text: gettext("All saved") };
}

/** What the last page of a round says of the decisions. @param {boolean} training @param {string} status @param {number} [flagged] @param {string} [purpose] @returns {string} */
export function doneWords(training, status, flagged = 0, purpose = "") {
  if (training) return gettext("You answered all %(n)s units.");
  if (purpose === "key") return gettext("The key has an answer for each of the %(n)s units. You can change it until the round is opened.");
  return [
    gettext("You decided all %(n)s units."),
    ...(flagged ? [ngettext("%(flagged)s is flagged as unsure.", "%(flagged)s are flagged as unsure.", flagged)] : []),
    status === "open" ? gettext("You can change them until the round closes.") : gettext("The round is not open: they stay as they are."),
  ].join(" ");
}

/** @param {number} n decisions that wait @returns {string} what a paused round means for them */
export function pausedWords(n) {
  if (n === 0) return gettext("The lead has paused this round. What you decide is kept here and is sent when it goes on.");
  return interpolate(ngettext("The lead has paused this round. Your %(n)s decision is kept here and is sent when it goes on.", "The lead has paused this round. Your %(n)s decisions are kept here and are sent when it goes on.", n), { n });
}
