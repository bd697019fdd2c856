/** What a shared computer must not keep after someone logs out. */

export const POINTER_PREFIX = "elenchus:member:";

/** Two sites below paths of one host number their members alike. */
const site = globalThis.document?.querySelector("a.brand")?.getAttribute("href")?.replaceAll("/", "") ?? "";
export const DATABASE_PREFIX = `elenchus-member-${site && `${site}-`}`;

/**
 * Remove the pointer to the last member, the cached texts and the cached pages. Decisions that wait for the server stay:
 * they are the person's work, bound to the member, and only that member's log-in sends them.
 */
export async function forgetMember() {
  try {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(POINTER_PREFIX)) localStorage.removeItem(key);
    }
  } catch { /* storage may be forbidden: then nothing was kept */ }
  if ("caches" in globalThis) {
    const names = await caches.keys().catch(() => /** @type {string[]} */ ([]));
    await Promise.all(names.filter((name) => name.startsWith("elenchus-pages")).map((name) => caches.delete(name)));
  }
  if ("indexedDB" in globalThis && "databases" in indexedDB) {
    const found = await indexedDB.databases().catch(() => []);
    await Promise.all(found.map(({ name }) => (name?.startsWith(DATABASE_PREFIX) ? dropTexts(name) : undefined)));
  }
}

/** @param {string} name @returns {Promise<void>} */
function dropTexts(name) {
  return new Promise((resolve) => {
    const request = indexedDB.open(name);
    request.onerror = request.onblocked = () => resolve();
    request.onsuccess = () => {
      const database = request.result;
      const done = () => { database.close(); resolve(); };
      if (!database.objectStoreNames.contains("texts")) return done();
      const transaction = database.transaction("texts", "readwrite");
      transaction.objectStore("texts").clear();
      transaction.oncomplete = transaction.onerror = transaction.onabort = done;
    };
  });
}
