/**
 * Service worker of the workspace: the page and its files from the network, and from the cache without one. It never sees the API's
 * answers; the page it keeps has no text and no name in it.
 */

const CACHE = "elenchus-pages-1";
const PAGE = /^(?:\/p\/[^/]+\/rounds\/\d+\/work\/|\/i18n\/catalog\/)$/;
const HASHED = /\.[0-9a-f]{12}\.\w+$/;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (pathname.startsWith("/static/") && HASHED.test(pathname)) event.respondWith(cacheFirst(request));
  else if (pathname.startsWith("/static/") || PAGE.test(pathname)) event.respondWith(networkFirst(request));
});

async function cacheFirst(request) {
  return (await caches.match(request)) ?? fetch(request);
}

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
