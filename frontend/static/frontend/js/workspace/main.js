/** Starts the workspace: fetches the round, opens what this browser keeps, and ties keys, page, session and outbox together. */

import { ApiError, getJson, sendJudgement } from "../lib/api.js";
import { Clock } from "./clock.js";
import { listen } from "./commands.js";
import { listenForClosing, modalIsOpen, openModal, part, sayInDialog } from "../lib/dialogs.js";
import { gettext, interpolate, ngettext, useCatalogue } from "../lib/i18n.js";
import { POINTER_PREFIX } from "../lib/leaving.js";
import { Listing, isFlagged } from "./unit_list.js";
import { Outbox } from "./saving/outbox.js";
import { listenForReading } from "./text/reading.js";
import { Sender } from "./saving/sender.js";
import { Session } from "./session.js";
import { Shell } from "./shell.js";
import { memoryStore, openStore } from "./saving/storage.js";
import { entriesLeftBehind, gone, holdTab, keepForOffline, otherWindows } from "./saving/tabs.js";
import { AHEAD, Supply } from "./supply.js";
import { Units } from "./units.js";
import { cutOf } from "./text/segmentation.js";

const root = part("workspace");
const { dataset } = root;
/** So many units are shown before more texts are looked for. */
const TOP_UP = 20;
const roundKey = /** @type {string} */ (dataset.roundKey);

/** Also where the page is not on HTTPS and the browser keeps its own to itself. */
const newId = () =>
  crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The unit that the address names, such as one's decisions lead to. */
const named = () => new URLSearchParams(location.hash.slice(1)).get("unit") ?? "";
/** Where one stands, or the text that the address names; a round without an outline comes from its start. */
const firstUrl = () => {
  if (!dataset.outlineUrl) return `${dataset.unitsUrl}?after=0&limit=10`;
  const at = named().split(":")[0];
  return `${dataset.unitsUrl}?${/^[1-9]\d*$/.test(at) ? `at=${at}` : "here=1"}&limit=10`;
};

/** English needs no catalogue; without a network an untranslated page is better than none. */
const translated = document.documentElement.lang.startsWith("en")
  ? Promise.resolve()
  : getJson(`${dataset.catalogUrl}?language=${document.documentElement.lang}`).then(({ catalog }) => useCatalogue(catalog), () => {});

/** Only the page of the round's protocol; it comes beside the first data. */
const pageClass = dataset.matching
  ? import("./questions/matching_page.js").then(({ MatchingPage }) => MatchingPage)
  : dataset.protocol === "cqs_gen"
  ? import("./questions/questions_page.js").then(({ QuestionsPage }) => QuestionsPage)
  : import("./focus/focus_page.js").then(({ FocusPage }) => FocusPage);

listenForClosing();
window.addEventListener("error", ({ error }) => { if (error) sayBroken(); });
// What a browser forbids, such as lasting storage in a private window, is no error of the page.
window.addEventListener("unhandledrejection", ({ reason }) => { if (reason instanceof Error && !(reason instanceof DOMException)) sayBroken(); });
void start();

async function start() {
  const tab = newId();
  holdTab(tab);
  let first;
  try {
    const [overview, page] = await Promise.all([getJson(dataset.workspaceUrl ?? ""), getJson(firstUrl())]);
    first = { overview, page, offline: false, store: await openStore(overview.member.id) };
    remember(overview.member.id);
  } catch (error) {
    first = await fromThisBrowser(error);
  }
  await translated;
  if (first) await work(first, tab);
}

/** The outbox works by itself: what is decided is kept and sent, even where the page can draw no more. */
function sayBroken() {
  part("ws-last").textContent = gettext("Something went wrong on this page. What you decided is kept: reload the page.");
}

/** @param {number} member */
function remember(member) {
  try {
    localStorage.setItem(POINTER_PREFIX + roundKey, String(member));
  } catch { /* then there is no reloading while offline */ }
}

/** Without a network: what this browser kept of the round. @param {unknown} error */
async function fromThisBrowser(error) {
  const status = error instanceof ApiError ? error.status : 0;
  if (error instanceof ApiError && error.code === "not_authenticated") {
    location.assign(`${dataset.loginUrl}?next=${encodeURIComponent(location.pathname)}`);
    return null;
  }
  let member = null;
  try {
    member = status === 0 ? localStorage.getItem(POINTER_PREFIX + roundKey) : null;
  } catch { /* nothing kept */ }
  await translated;
  const store = member ? await openStore(Number(member)) : memoryStore();
  const [overview] = member ? await store.getTexts(`${roundKey}:overview`) : [];
  const results = overview ? await store.getTexts(`${roundKey}:item:`) : [];
  if (overview && results.length) {
    const [outline] = await store.getTextsAt([`${roundKey}:outline`]);
    // Perhaps not all of it had come when the network went: the rest is asked for once it is back.
    const next = results.length < overview.assignments_total ? results.at(-1).position : null;
    return { overview, page: { results, next, outline }, offline: true, store };
  }
  const shell = /** @type {Shell} */ (Object.assign(Object.create(Shell.prototype), { root }));
  if (status === 0) shell.trouble(gettext("No connection"), gettext("The server cannot be reached, and this browser has not kept the texts of this round."), () => location.reload());
  else shell.trouble(gettext("This round cannot be opened"), error instanceof Error ? error.message : "", () => location.reload());
  return null;
}

/** @param {{overview: any, page: any, offline: boolean, store: import("./saving/storage.js").Store}} first @param {string} tab */
async function work({ overview, page, offline, store }, tab) {
  const shell = new Shell(overview, root);
  const { spec, round } = overview;
  /** What the references of a matching round say, by their keys. @type {Map<number, string>} */
  spec.references = new Map();
  const units = new Units({ types: spec.types, typesTotal: overview.types_total, order: round.order, itemsTotal: overview.assignments_total, unitsTotal: overview.units_total, unitsDecided: overview.units_decided });
  const waiting = () => store.entries().then((all) => all.filter((entry) => entry.round === roundKey), () => []);
  const inStore = await waiting();
  const [left, kept, Page] = await Promise.all([
    entriesLeftBehind(inStore),
    store.getDraft(roundKey).catch(() => null),
    pageClass,
  ]);
  const outbox = new Outbox(left, newId);
  const steady = () => performance.now();
  const clock = new Clock(steady(), !document.hidden);
  const lastDrafts = `${POINTER_PREFIX}${overview.member.id}:${roundKey}:drafts`;
  const written = takenFrom(lastDrafts);
  if (written) void store.putDraft(roundKey, written).catch(() => {});
  const drafts = written ?? kept ?? {};
  let told = outbox.waiting;
  const send = otherWindows(`${roundKey}-${overview.member.id}`, (message) => hear(message));
  /** @param {any} message */
  const tell = (message) => {
    told = outbox.waiting;
    send({ from: tab, waiting: told, ...message });
  };
  /** @param {import("./saving/tabs.js").Told} message */
  const hear = (message) => {
    if (!session.others.has(message.from)) watch(message.from);
    session.others.set(message.from, message.waiting);
    if (message.kind === "hello") tell({ kind: "count" });
    else if (message.kind === "decided") session.heard(message.unit, message.answer);
    else if (message.kind === "draft") session.takeDraft(message.unit, message.draft);
    else if (message.kind === "stored") {
      elsewhere = elsewhere.filter(({ unit }) => unit !== message.unit);
      session.learn(message.unit, message.row);
      supply.keep(units.byKey.get(message.unit)?.item);
    }
    shell.saveState(session);
  };
  const sender = new Sender(outbox, {
    store, tab, round: roundKey,
    send: async (entry) => {
      const reply = await sendJudgement(dataset.judgementsUrl ?? "", entry);
      // Let in no more: no log-in helps, only a lead does.
      if (reply.kind === "gone" && reply.member === overview.member.id) return { ...reply, kind: "closed" };
      // Someone else logged in elsewhere in this browser: these decisions wait for their own person.
      if (reply.kind !== "gone" && reply.kind !== "session") return reply;
      const now = await whoIsIn();
      somebodyElse = now !== null && now !== overview.member.id;
      return reply.kind === "gone" && now === overview.member.id ? reply : { kind: "session" };
    },
    now: steady,
    random: Math.random,
    later: (act, milliseconds) => setTimeout(act, milliseconds),
    cancel: (timer) => clearTimeout(timer),
    onReply: (entry, reply) => {
      session.replied(entry, reply);
      if (reply.kind === "closed") session.closed = reply.message;
      // A repeat is answered also after the round has closed.
      else if (reply.kind === "stored" && !reply.replayed) session.closed = "";
      shell.offer(session, tools.page.unit);
      if (reply.kind === "stored") tell({ kind: "stored", unit: entry.unit, row: reply.row });
      if (reply.kind === "stored") supply.keep(session.units.byKey.get(entry.unit)?.item);
      else if (reply.kind === "stale") shell.conflict(session, pick);
      else if (reply.kind === "locked") void showFirstAnswer(entry.unit);
      else if (reply.kind === "session" || reply.kind === "csrf") askForLogin();
      else if (reply.kind === "closed" || reply.kind === "invalid" || reply.kind === "gone") shell.refused(session);
    },
    onChange: () => {
      shell.saveState(session);
      if (outbox.waiting !== told) tell({ kind: "count" });
    },
    onDecide: ({ unit, answer }) => tell({ kind: "decided", unit, answer: /** @type {any} */ (answer) }),
  });

  let shown = 0;
  const session = new Session({
    spec, units, sender, clock, newId, drafts,
    training: round.purpose === "training",
    closed: round.closed,
    now: steady,
    today: () => new Date(),
    keepDrafts: (all, key) => {
      void store.putDraft(roundKey, all).catch(() => {});
      tell({ kind: "draft", unit: key, draft: all[key] ?? null });
    },
    onShow: (unit) => {
      if (unit === "loading") {
        // No key may reach the unit before, which is decided.
        tools.page.unit = null;
        shell.coming(() => supply.again());
        if (session.awaited) supply.want(session.awaited.item);
        return;
      }
      if (unit === null) {
        tools.page.unit = null;
        shell.done(session);
        if (session.training && !outbox.waiting) void showTraining(shell, session);
        return;
      }
      shell.place("text");
      tools.page.show(unit);
      tools.listing.refresh();
      shell.progress(session);
      shell.offer(session, unit);
      // The guideline stays at the type that is asked.
      if (/** @type {HTMLDialogElement} */ (part("ws-guideline")).open) shell.guidelineAt(unit);
      prepareNext(unit);
      // What is ahead now and then, since it looks at all texts; what is beside at once.
      shown += 1;
      if (shown % TOP_UP === 0 || supply.around(unit.item.index).length) (globalThis.requestIdleCallback ?? setTimeout)(() => void supply.work());
    },
    onRow: (unit) => {
      tools.page.refresh(unit);
      tools.listing.refresh();
      shell.progress(session);
      shell.offer(session, tools.page.unit);
      if (!part("ws-done").hidden && session.training && !outbox.waiting) void showTraining(shell, session);
    },
  });
  session.unsure = offline;
  /** What other windows sent when this one opened: shown, and left to them. */
  let elsewhere = inStore.filter((entry) => !left.includes(entry));
  /** @param {string} other */
  const watch = (other) => void gone(other).then(async () => {
    session.others.delete(other);
    const orphans = (await waiting()).filter((entry) => entry.tab === other);
    await sender.adopt(orphans);
    session.overlay();
    if (session.current) tools.page.refresh(session.current);
  });
  for (const { tab: other } of elsewhere) {
    if (!session.others.has(other)) watch(other);
    session.others.set(other, (session.others.get(other) ?? 0) + 1);
  }
  tell({ kind: "hello" });

  const tools = { page: new Page(shell, session), listing: new Listing(session) };
  shell.keysOverview(dataset.protocol === "cqs_gen", Boolean(dataset.matching));
  for (const button of document.querySelectorAll("[data-act=undo]")) /** @type {HTMLElement} */ (button).hidden = session.training;

  /** @param {string} unit @param {"mine" | "stored"} choice */
  const pick = (unit, choice) => {
    const conflict = outbox.conflicts.get(unit);
    const found = units.byKey.get(unit);
    if (conflict && found && choice === "stored") session.takeStored(found, conflict.stored);
    void sender.pick(unit, choice).then(() => shell.conflict(session, pick));
  };

  let somebodyElse = false;
  /** @returns {Promise<number | null>} the member who is logged in; 0 for somebody who does not annotate here, null for nobody */
  const whoIsIn = () => getJson(dataset.workspaceUrl ?? "").then(({ member }) => member.id, (error) => (error.status === 403 && error.code !== "not_authenticated") || error.status === 404 ? 0 : null);
  const isStillMe = async () => (await whoIsIn()) === overview.member.id;
  /** Another window answered this unit of a training round before. @param {string} key */
  const showFirstAnswer = async (key) => {
    const unit = units.byKey.get(key);
    const page = unit && await getJson(`${dataset.unitsUrl}?after=${unit.item.position - 1}&limit=1`).catch(() => null);
    const row = unit && (unit.type ? page?.results[0]?.types[unit.type] : page?.results[0]?.questions.find((/** @type {any} */ { id }) => id === unit.question?.id)?.row);
    if (!unit || !row) return;
    session.takeStored(unit, row);
    part("ws-last").textContent = gettext("In a training round the first answer counts.");
  };

  const supply = new Supply({
    units, store,
    unitsUrl: dataset.unitsUrl ?? "",
    outlineUrl: dataset.outlineUrl ?? "",
    round: roundKey,
    ask: getJson,
    isStillMe: () => isStillMe(),
    index: () => session.current?.item.index ?? session.awaited?.item.index ?? startIndex,
    isWanted: (item) => session.training || units.itemsTotal <= AHEAD || item.units.some((unit) => isFlagged(session, unit)),
    onItems: (items) => {
      for (const { references } of items) for (const { id, text } of references) spec.references.set(id, text);
      session.overlay(elsewhere);
      // What is awaited or on the screen may have been taken away, or be asked anew.
      const { current } = session;
      if (session.awaited?.item.loaded) session.show(units.byKey.get(session.awaited.key) ?? units.nextOpen(0));
      else if (current && units.byKey.get(current.key) !== current) session.show(units.byKey.get(current.key) ?? units.nextOpen(0));
      else if (current && items.includes(current.item)) tools.page.refresh(current);
      tools.listing.refresh();
    },
    onStep: () => {
      if (session.current === null && !session.awaited && part("ws-done").hidden) begin();
      shell.progress(session);
    },
  }, !offline);
  /** The next text is cut into words before it is on the screen. @param {import("./units.js").Unit} unit */
  const prepareNext = (unit) => {
    const next = units.items[unit.item.index + 1];
    if (next?.loaded && spec.types.length) (globalThis.requestIdleCallback ?? setTimeout)(() => cutOf(next));
  };

  /** @param {boolean} [asked]  by the person; by itself it opens over no other dialog, which says so then */
  const askForLogin = (asked = false) => {
    const n = outbox.waiting;
    const { login: name, pseudonym: who } = overview.member;
    part("ws-login-title").textContent = somebodyElse ? gettext("Somebody else logged in in this browser") : gettext("Your session has ended");
    part("ws-login-text").textContent = interpolate(ngettext("Log in again as %(name)s (%(who)s in this project). Your %(n)s waiting decision is safe and is sent then.", "Log in again as %(name)s (%(who)s in this project). Your %(n)s waiting decisions are safe and are sent then.", n), { name, who, n });
    /** @type {HTMLInputElement} */ (part("ws-login-name")).value ||= name;
    const login = /** @type {HTMLDialogElement} */ (part("ws-login"));
    if (asked || !modalIsOpen()) openModal(login);
    else if (!login.open) sayInDialog(part("ws-ended"));
  };
  /** Whoever logged in must be the member whose decisions wait here. @returns {Promise<boolean>} */
  const loggedIn = async () => {
    const now = await getJson(dataset.workspaceUrl ?? "").catch((error) => error);
    if (now instanceof Error || now.member?.id !== overview.member.id) {
      part("ws-login-error").textContent = now instanceof Error ? now.message : interpolate(gettext("This is another person's account. The decisions of %(name)s (%(who)s) wait until %(name)s logs in."), { name: overview.member.login, who: overview.member.pseudonym });
      return false;
    }
    /** @type {HTMLDialogElement} */ (part("ws-login")).close();
    part("ws-ended").hidden = true;
    sender.resume();
    return true;
  };

  window.addEventListener("online", () => supply.again());
  // A page that the browser had put aside shows what was true then.
  window.addEventListener("pageshow", ({ persisted }) => { if (persisted) void readAnew().then(() => tell({ kind: "hello" }), () => {}); });
  const keepBegun = () => /** @type {any} */ (tools.page).keepBegun?.();
  document.addEventListener("visibilitychange", () => { if (document.hidden) keepBegun(); });
  window.addEventListener("pagehide", () => {
    keepBegun();
    // The database may not get to it any more.
    try {
      if (Object.keys(drafts).length) localStorage.setItem(lastDrafts, JSON.stringify(drafts));
    } catch { /* then the last keys of a span are lost */ }
  });
  /** Take the rows as the server has them now, apart from those whose change waits here. */
  const readAnew = async () => {
    session.unsure = true;
    shell.saveState(session);
    await supply.readAnew();
    session.unsure = false;
    shell.saveState(session);
  };
  session.supply = supply;
  listen({ shell, session, sender, clock, tools, steady, askForLogin, loggedIn, pick });
  listenForReading(units, round.due_on ?? null);
  /** The place from which on something may be left, as the server said, or the first. */
  let startPlace = 0;
  const startIndex = page.index ?? 0;
  if (page.outline) {
    units.outline(page.outline, 0);
    units.finish(page.outline.length);
    for (const result of page.results) units.fill(result);
  } else if (page.index === undefined) {
    units.add(page);
  } else {
    page.results.forEach((/** @type {any} */ result, /** @type {number} */ at) => units.put(result, startIndex + at));
    const type = Math.max(0, spec.types.findIndex((/** @type {any} */ { code }) => code === page.type));
    startPlace = units.byType ? type * units.itemsTotal + startIndex : startIndex * units.width;
    if (page.next !== null) supply.behind = { after: page.next, index: startIndex + page.results.length };
  }
  // What undoing takes back.
  if (page.newest) units.put(page.newest, page.newest.index);
  if (dataset.outlineUrl && !offline) {
    supply.outlining = { after: 0, index: 0, texts: [] };
    if (page.newest) supply.newest.push("");
  }
  const first = /** @type {import("./units.js").Item[]} */ (units.items.filter((item) => item?.loaded));
  if (offline) supply.surroundings.onItems(first);
  else supply.arrived(first);
  if (round.paused && !offline) outbox.pause = "paused";
  shell.saveState(session);
  if (round.content_warning) await warning(shell, round.content_warning);
  shell.place("text");
  /** Once the unit that the address names was shown, the address names none. */
  let wanted = named();
  const begin = () => {
    const unit = units.byKey.get(wanted);
    if (wanted && !unit && !units.complete) return session.show("loading");
    if (wanted) history.replaceState(null, "", location.pathname);
    wanted = "";
    return unit ? session.show(unit) : session.start(startPlace);
  };
  begin();
  sender.pump();
  if (!offline) void store.putText(`${roundKey}:overview`, overview).catch(() => {});
  await painted();
  if (offline) {
    // Someone else may be logged in by the time the network is back.
    await readAnew();
  } else {
    await supply.work();
    void keepForOffline(dataset.workerUrl ?? "");
  }
}

/** Until what was drawn is on the screen. A window in the background draws nothing. */
function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 200);
  });
}

/** @param {string} key @returns {any} what an earlier page wrote there as it went, once */
function takenFrom(key) {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "null");
    localStorage.removeItem(key);
    return found;
  } catch {
    return null;
  }
}

/** One's own row of the training round's results. @param {Shell} shell @param {Session} session */
async function showTraining(shell, session) {
  const results = await getJson(dataset.trainingUrl ?? "").then(({ results }) => results, () => []);
  const mine = results.find((/** @type {any} */ result) => result.pseudonym === shell.overview.member.pseudonym);
  if (mine) shell.trainingResult(mine, session);
}

/** @param {Shell} shell @param {string} text */
async function warning(shell, text) {
  const key = `warned:${roundKey}`;
  try {
    if (sessionStorage.getItem(key)) return;
  } catch { /* then it is shown each time */ }
  part("ws-warning-text").textContent = text;
  shell.place("warning");
  part("ws-warning-go").focus();
  await new Promise((go) => { part("ws-warning-go").onclick = go; });
  try {
    sessionStorage.setItem(key, "yes");
  } catch { /* likewise */ }
}
