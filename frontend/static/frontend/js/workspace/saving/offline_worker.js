/**
 * Service worker of the workspace: the page and its files from the network, and from the cache without one. It never sees the API's
 * answers; the page it keeps has no text and no name in it.
 */

/** The worker lies in the site's folder of projects; the site may live below a path of its host. */
const SITE = self.location.pathname.replace(/\/p\/[^/]*$/, "");
const CACHE = "elenchus-pages-1";
const PAGE = /^(?:\/p\/[^/]+\/rounds\/\d+\/work\/|\/i18n\/catalog\/)$/;
const HASHED = /\.[0-9a-f]{12}\.\w+$/;

/** The compiler knows either pages or workers: here it is told nothing. */
const worker = /** @type {any} */ (self);

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname: whole } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin || !whole.startsWith(`${SITE}/`)) return;
  const pathname = whole.slice(SITE.length);
  if (pathname.startsWith("/static/") && HASHED.test(pathname)) event.respondWith(cacheFirst(request));
  else if (pathname.startsWith("/static/") || PAGE.test(pathname)) event.respondWith(networkFirst(request));
});

/** @param {Request} request @returns {Promise<Response>} */
async function cacheFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** @param {Request} request @returns {Promise<Response>} */
async function networkFirst(request) {
  try {
    const response = await fetch(request);
    if (response.ok && !response.redirected) {
      const cache = await caches.open(CACHE);
      await cache.put(request, response.clone());
    }
    return response;
  } catch (error) {
    const kept = await caches.match(request, { ignoreSearch: true, ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
