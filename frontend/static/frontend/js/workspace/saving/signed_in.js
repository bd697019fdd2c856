/** Runs in the window that the workspace opened for logging in. */

import { SESSION_CHANNEL } from "./login.js";

if ("BroadcastChannel" in globalThis) {
  const channel = new BroadcastChannel(SESSION_CHANNEL);
  channel.postMessage("signed-in");
  channel.close();
}
if (window.opener) setTimeout(() => window.close(), 300);
