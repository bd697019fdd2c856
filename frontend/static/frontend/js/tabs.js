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

/** Let the worker keep this page and its files; the texts are kept by the member's own store. @param {string} workerUrl */
export async function keepForOffline(workerUrl) {
  if (!("serviceWorker" in navigator) || !window.isSecureContext) return;
  try {
    void navigator.storage?.persist?.();
    await navigator.serviceWorker.register(workerUrl);
    const cache = await caches.open("elenchus-pages-1");
    const files = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => new URL(name).pathname.startsWith("/static/"));
    await cache.addAll([location.pathname, ...new Set(files)]);
  } catch { /* no offline reload then; the outbox works without */ }
}
