import assert from "node:assert/strict";
import { test } from "node:test";
import { replyOf } from "../../frontend/static/frontend/js/lib/api.js";
import { gettext, interpolate, ngettext, useCatalogue } from "../../frontend/static/frontend/js/lib/i18n.js";
import { blocks, pieces } from "../../frontend/static/frontend/js/lib/markdown.js";
import { Outbox } from "../../frontend/static/frontend/js/workspace/saving/outbox.js";
import { doneWords, pausedWords, saveWords } from "../../frontend/static/frontend/js/workspace/shell.js";
import { totalWords } from "../../frontend/static/frontend/js/workspace/training_end.js";
import { answerText, shortened } from "../../frontend/static/frontend/js/workspace/answer_text.js";

const SPEC = { labels: [{ code: "UN", name: "Unhelpful" }, { code: "IN", name: "Invalid" }], reasons: [{ code: "NC", name: "New Concept" }] };

test("an answer is said in one line", () => {
  assert.equal(answerText({ applicable: true, quote: "the sea" }, SPEC), "yes: “the sea”");
  assert.equal(answerText({ applicable: true, quote: null }, SPEC), "yes");
  assert.equal(answerText({ applicable: false }, SPEC), "no");
  assert.equal(answerText({ cannot_judge: true, comment: "broken" }, SPEC), "cannot judge: broken");
  assert.equal(answerText({ label: "IN", reason: "NC" }, SPEC), "Invalid: New Concept");
  assert.equal(answerText({ label: "UN", comment: "well known" }, SPEC), "Unhelpful: well known");
  assert.equal(answerText(null, SPEC), "undecided");
});

test("a long text is shortened by letters, never in the middle of an emoji", () => {
  assert.equal(shortened("🎉🎉🎉🎉", 3), "🎉🎉…");
  assert.equal(shortened("a \n b", 5), "a b");
});

test("the save state says the most pressing thing first", () => {
  const box = new Outbox([], () => "x");
  const words = () => Object.values(saveWords(box, false)).join(": ");
  assert.equal(words(), "saved: All saved");
  box.add({ id: "a", seq: 1, unit: "u", target: {}, answer: {}, activeSeconds: 0 }, 0);
  assert.equal(words(), "waiting: 1 waiting");
  box.pause = "network";
  assert.equal(words(), "trouble: Offline: 1 waiting");
  assert.equal(saveWords(box, true).text, "1 waiting, not kept here");
  box.pause = "server";
  assert.equal(words(), "trouble: Server away: 1 waiting");
  box.pause = "paused";
  assert.equal(words(), "trouble: Paused: 1 waiting");
  box.pause = "session";
  assert.equal(words(), "act: Log in: 1 waiting");
  box.pause = "closed";
  assert.equal(words(), "act: 1 not stored");
  box.conflicts.set("u", {});
  assert.equal(words(), "act: Two answers differ");
});

test("“All saved” is said only of what is known", () => {
  const words = (session, box = new Outbox([], () => "x")) => Object.values(saveWords(box, false, session)).join(": ");
  assert.equal(words({ closed: "Round 1 is closed." }), "closed: Closed");
  assert.equal(words({ unsure: true }), "trouble: Offline");
  assert.equal(words({ elsewhere: 2 }), "waiting: 2 waiting in another window");
  const away = new Outbox([], () => "x");
  away.pause = "network";
  assert.equal(words({}, away), "trouble: Offline");
});

test("a paused round says what becomes of the decisions", () => {
  assert.equal(pausedWords(0), "The lead has paused this round. What you decide is kept here and is sent when it goes on.");
  assert.equal(pausedWords(1), "The lead has paused this round. Your 1 decision is kept here and is sent when it goes on.");
  assert.equal(pausedWords(3), "The lead has paused this round. Your 3 decisions are kept here and are sent when it goes on.");
});

test("a translation is used where there is one, with the form for one and for many", () => {
  useCatalogue({ "All saved": "Todo guardado", "%(n)s text": ["%(n)s texto", "%(n)s textos"] });
  assert.equal(gettext("All saved"), "Todo guardado");
  assert.equal(gettext("No"), "No");
  assert.equal(interpolate(ngettext("%(n)s text", "%(n)s texts", 1), { n: 1 }), "1 texto");
  assert.equal(interpolate(ngettext("%(n)s text", "%(n)s texts", 3), { n: 3 }), "3 textos");
  useCatalogue({});
  assert.equal(ngettext("%(n)s text", "%(n)s texts", 2), "%(n)s texts");
  assert.equal(interpolate("%(a)s and %(b)s", { a: "%(b)s" }), "%(b)s and %(b)s");
});

test("the little Markdown of a type's guideline becomes pieces, and anything else stays text", () => {
  assert.deepEqual(pieces("**Yes** when *it* <b>fits</b> 2*3"), [
    { kind: "strong", text: "Yes" }, { kind: "text", text: " when " }, { kind: "em", text: "it" }, { kind: "text", text: " <b>fits</b> 2*3" },
  ]);
  assert.deepEqual(blocks("One\nline.\n\n- a\n- b\n"), [{ list: false, lines: ["One line."] }, { list: true, lines: ["a", "b"] }]);
});

test("every answer of the server is one that the outbox knows", () => {
  const kind = (status, body) => replyOf(status, body).kind;
  assert.equal(kind(200, { replayed: false, row: { revision: 1 } }), "stored");
  assert.equal(kind(200, null), "server");
  assert.equal(kind(403, { code: "not_authenticated" }), "session");
  assert.equal(kind(403, { code: "csrf_failed" }), "csrf");
  assert.equal(kind(409, { code: "stale_revision", row: { revision: 2 } }), "stale");
  assert.equal(kind(409, { code: "event_id_reused" }), "reused");
  assert.equal(kind(409, { code: "round_paused", message: "paused" }), "paused");
  assert.equal(kind(409, { code: "round_not_open", message: "closed" }), "closed");
  assert.equal(kind(422, { code: "invalid", errors: { quote: "no" } }), "invalid");
  assert.equal(kind(404, { code: "not_found" }), "gone");
  assert.equal(kind(403, { code: "not_allowed" }), "gone");
  assert.deepEqual(replyOf(403, { code: "not_allowed", message: "out", member: 7 }), { kind: "gone", message: "out", errors: {}, member: 7 });
  assert.equal(kind(502, null), "server");
  assert.equal(kind(429, { code: "throttled" }), "server");
  assert.equal(kind(409, { code: "locked" }), "locked");
  assert.equal(kind(413, null), "invalid");
});

test("what a proxy or a portal answers in the server's place is no refusal: it is tried again", () => {
  for (const status of [400, 403, 404, 422, 500, 502, 503]) assert.equal(replyOf(status, null).kind, "server", String(status));
});

test("only an open round lets decisions be changed", () => {
  assert.match(doneWords(false, "open"), /You can change them until the round closes\.$/);
  assert.match(doneWords(false, "closed"), /The round is not open: they stay as they are\.$/);
  assert.equal(doneWords(true, "open"), "You answered all %(n)s units.");
  assert.match(doneWords(false, "open", 1), /units\. %\(flagged\)s is flagged as unsure\. You/);
  assert.match(doneWords(false, "open", 2), /units\. %\(flagged\)s are flagged as unsure\. You/);
  assert.match(doneWords(false, "open", 0, "key"), /You can change it until the round is opened\.$/);
});

test("the end of a training round says the total, the mark and whether it is reached", () => {
  const result = { scores: [], agreed: 7, total: 8, pass_mark: 90, passed: false };
  assert.equal(totalWords(result), "7 of 8 answers are those of the key: 87 %. The pass mark is 90 %. You did not reach the pass mark; talk to your lead.");
  assert.match(totalWords({ ...result, pass_mark: 80, passed: true }), /The pass mark is 80 %\. You reached the pass mark\.$/);
  assert.match(totalWords({ ...result, pass_mark: null, passed: null }), /: 87 %\.$/);
  assert.match(totalWords({ ...result, pass_mark: 0, passed: true }), /The pass mark is 0 %\./);
});
