/**
 * Logging in without leaving the page. A password goes by the log-in form itself; a second factor or another provider needs a window of
 * its own, which reports back over a channel.
 */

import { csrfToken } from "../../lib/api.js";

export const SESSION_CHANNEL = "elenchus-session";

/**
 * @param {string} url
 * @param {string} login
 * @param {string} password
 * @returns {Promise<"in" | "wrong" | "window" | "away">}
 */
export async function logIn(url, login, password) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      credentials: "same-origin",
      headers: { "X-Requested-With": "XMLHttpRequest", "X-CSRFToken": csrfToken(), Accept: "application/json" },
      body: new URLSearchParams({ login, password }),
    });
  } catch {
    return "away";
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body?.location) return /2fa|authenticate|reauthenticate|confirm/.test(body.location) ? "window" : "in";
  return response.status === 400 ? "wrong" : "window";
}

/** Someone else got in by this page's log-in: out again, so that the right person can. @param {string} url */
export async function logOut(url) {
  await fetch(url, { method: "POST", credentials: "same-origin", headers: { "X-CSRFToken": csrfToken() }, redirect: "manual" }).catch(() => {});
}

/** @param {string} loginUrl @param {string} signedInUrl */
export function openLoginWindow(loginUrl, signedInUrl) {
  window.open(`${loginUrl}?next=${encodeURIComponent(signedInUrl)}`, "elenchus-login", "popup,width=520,height=680");
}

/** @param {() => void} act  someone logged in, in whichever window */
export function whenSignedIn(act) {
  if (!("BroadcastChannel" in globalThis)) return;
  new BroadcastChannel(SESSION_CHANNEL).addEventListener("message", act);
}
