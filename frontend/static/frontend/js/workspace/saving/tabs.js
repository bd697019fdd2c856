/** Several windows of one person, and reloading without a network. Both need features that exist only on HTTPS or localhost. */

const LOCK = "elenchus-tab-";

/** Hold a lock as long as this window lives, so that others see that its decisions are being looked after. @param {string} tab */
export function holdTab(tab) {
  void navigator.locks?.request(LOCK + tab, () => new Promise(() => {}));
}

/**
 * What no living window sends. Without locks: all of it; the server answers a second send of an event with the row it has.
 *
 * @template {{tab: string}} T
 * @param {T[]} entries
 * @returns {Promise<T[]>}
 */
export async function entriesLeftBehind(entries) {
  if (!entries.length || !navigator.locks) return entries;
  const { held = [] } = await navigator.locks.query();
  const living = new Set(held.map(({ name }) => name));
  return entries.filter(({ tab }) => !living.has(LOCK + tab));
}

/**
 * Wait until a window is gone. Where locks do not exist nobody can tell, and its decisions wait for the next page that opens.
 *
 * @param {string} tab
 * @returns {Promise<void>}
 */
export async function gone(tab) {
  if (!navigator.locks) return new Promise(() => {});
  await navigator.locks.request(LOCK + tab, () => {});
}

/**
 * What windows of one person in one round tell each other.
 *
 * @typedef {{from: string, waiting: number} & ({kind: "hello" | "count"} | {kind: "decided", unit: string, answer: Record<string, any> | null}
 *   | {kind: "stored", unit: string, row: Record<string, any>} | {kind: "draft", unit: string, draft: Record<string, any> | null})} Told
 * @param {string} name
 * @param {(told: Told) => void} onTold
 * @returns {(told: Told) => void}
 */
export function otherWindows(name, onTold) {
  if (!("BroadcastChannel" in globalThis)) return () => {};
  const channel = new BroadcastChannel(`elenchus-round-${name}`);
  channel.addEventListener("message", ({ data }) => onTold(data));
  return (told) => channel.postMessage(told);
}

/**
 * Let the worker keep this page and its files; the texts are kept by the member's own store. The files come from what the browser has just
 * fetched for the page: none of them is asked for again.
 *
 * @param {string} workerUrl
 */
export async function keepForOffline(workerUrl) {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  try {
    void navigator.storage?.persist?.();
    const cache = await caches.open("elenchus-pages-1");
    const ours = workerUrl.replace(/\/p\/[^/]*$/, "/static/");  // the site may live below a path of its host
    const names = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => new URL(name).pathname.startsWith(ours));
    // Before the worker is there: it would ask the network for them.
    for (const name of new Set(names)) {
      const answer = await fetch(name, { cache: "force-cache" });
      if (answer.ok) await cache.put(name, answer);
    }
    await navigator.serviceWorker.register(workerUrl);
    await cache.add(location.pathname);
  } catch { /* no offline reload then; the outbox works without */ }
}
