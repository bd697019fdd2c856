/**
 * The only module that talks to the server. A judgement's reply is always one of the kinds that the outbox knows; it never throws.
 *
 * @typedef {import("../workspace/saving/outbox.js").Entry} Entry
 * @typedef {import("../workspace/saving/outbox.js").Reply} Reply
 */

import { gettext } from "./i18n.js";

const TIMEOUT = 20_000;

/** A reply that is not the data asked for. */
export class ApiError extends Error {
  /** @param {number} status 0 without a network @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message || code);
    this.status = status;
    this.code = code;
  }
}

/** @returns {string} the token as the cookie has it now: it changes with each log-in */
export function csrfToken() {
  return document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1] ?? "";
}

/** @param {string} url @returns {Promise<any>} */
export async function getJson(url) {
  let response;
  try {
    response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT) });
  } catch {
    throw new ApiError(0, "network", "");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok || body === null) throw new ApiError(response.status, body?.code ?? "", body?.message ?? "");
  return body;
}

/**
 * @param {string} url
 * @param {Entry} entry
 * @returns {Promise<Reply>}
 */
export async function sendJudgement(url, entry) {
  const first = await post(url, entry);
  return first.kind === "csrf" ? post(url, entry) : first;
}

/** @param {string} url @param {Entry} entry @returns {Promise<Reply>} */
async function post(url, { id, target, base, answer, activeSeconds, suggestion }) {
  let response;
  let body;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() },
      body: JSON.stringify({ event_id: id, ...target, base_revision: base ?? 0, answer, active_seconds: activeSeconds, ...(suggestion ? { suggestion } : {}) }),
      signal: AbortSignal.timeout(TIMEOUT),
    });
    body = await response.json().catch(() => null);
  } catch {
    return { kind: "network" };
  }
  return replyOf(response.status, body);
}

/** @param {number} status @param {any} body @returns {Reply} */
export function replyOf(status, body) {
  const code = body?.code ?? "";
  const refusal = { message: body?.message ?? "", errors: body?.errors ?? {} };
  if (status === 200 || status === 201) return body?.row ? { kind: "stored", row: body.row, replayed: Boolean(body.replayed) } : { kind: "server" };
  if (code === "not_authenticated" || status === 401) return { kind: "session" };
  if (code === "csrf_failed") return { kind: "csrf" };
  if (code === "stale_revision" && body.row) return { kind: "stale", row: body.row };
  if (code === "event_id_reused") return { kind: "reused" };
  if (code === "round_paused") return { kind: "paused" };
  if (code === "round_not_open") return { kind: "closed", ...refusal };
  if (code === "locked") return { kind: "locked" };
  // Sent again and again it would keep all that waits behind it.
  if (status === 413) return { kind: "invalid", message: gettext("The comment is too long for the server: shorten it and decide again."), errors: {} };
  // Without a code it is not the application that speaks, but something on the way to it: a proxy, a portal of the Wi-Fi.
  if (code && (status === 422 || status === 400)) return { kind: "invalid", ...refusal };
  if (code && (status === 403 || status === 404)) return { kind: "gone", ...refusal, ...(body.member ? { member: body.member } : {}) };
  return { kind: "server" };
}
