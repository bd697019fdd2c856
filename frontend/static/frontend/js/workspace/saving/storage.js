/**
 * What this browser keeps for one member: decisions on their way, drafts, and texts for working offline. One database a member, so that
 * nobody at a shared computer sends or sees another's. Where IndexedDB is refused, localStorage; where that is too, memory, and
 * `durable` says so.
 *
 * @typedef {import("./outbox.js").Entry} Entry
 * @typedef {object} Store
 * @property {"indexeddb" | "localstorage" | "memory"} kind
 * @property {() => Promise<(Entry & {round: string, tab: string})[]>} entries
 * @property {(entries: object[], removeIds: string[]) => Promise<void>} write  both in one transaction
 * @property {(prefix: string) => Promise<any[]>} getTexts  in the order of their keys
 * @property {(keys: string[]) => Promise<any[]>} getTextsAt  in the order of the keys; undefined where there is none
 * @property {(key: string, value: unknown) => Promise<void>} putText
 * @property {(key: string) => Promise<any>} getDraft
 * @property {(key: string, value: unknown) => Promise<void>} putDraft  null removes it
 */

import { DATABASE_PREFIX } from "../../lib/leaving.js";

const OPENING_TAKES = 4_000;
const STORES = /** @type {const} */ (["outbox", "texts", "drafts"]);

/** @param {number} member @returns {Promise<Store>} */
export async function openStore(member) {
  const name = DATABASE_PREFIX + member;
  try {
    return indexedStore(await openDatabase(name));
  } catch {
    try {
      localStorage.setItem(name, localStorage.getItem(name) ?? "{}");
      return plainStore(
        "localstorage",
        () => JSON.parse(localStorage.getItem(name) ?? "{}"),
        (all) => localStorage.setItem(name, JSON.stringify(all)),
      );
    } catch {
      return memoryStore();
    }
  }
}

/** @returns {Store} */
export function memoryStore() {
  /** @type {any} */
  let all = {};
  return plainStore("memory", () => all, (changed) => { all = changed; });
}

/** @param {string} name @returns {Promise<IDBDatabase>} */
function openDatabase(name) {
  return new Promise((resolve, reject) => {
    // While another window changes the database there is no event at all.
    setTimeout(() => reject(new Error("blocked")), OPENING_TAKES);
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("outbox", { keyPath: "id" });
      request.result.createObjectStore("texts");
      request.result.createObjectStore("drafts");
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

/** @param {IDBDatabase} database @returns {Store} */
function indexedStore(database) {
  /**
   * @template T
   * @param {typeof STORES[number]} store
   * @param {IDBTransactionMode} mode
   * @param {(store: IDBObjectStore) => IDBRequest<T> | void} act
   * @returns {Promise<T>}
   */
  const run = (store, mode, act) =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode, { durability: mode === "readwrite" && store === "outbox" ? "strict" : "relaxed" });
      const request = act(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(/** @type {T} */ (/** @type {any} */ (request)?.result));
      transaction.onabort = () => reject(transaction.error);
    });
  return {
    kind: "indexeddb",
    entries: () => run("outbox", "readonly", (store) => store.getAll()),
    write: (entries, removeIds) =>
      run("outbox", "readwrite", (store) => {
        for (const id of removeIds) store.delete(id);
        for (const entry of entries) store.put(entry);
      }),
    getTexts: (prefix) => run("texts", "readonly", (store) => store.getAll(IDBKeyRange.bound(prefix, `${prefix}\uffff`))),
    getTextsAt: (keys) =>
      new Promise((resolve, reject) => {
        const transaction = database.transaction("texts", "readonly");
        const requests = keys.map((key) => transaction.objectStore("texts").get(key));
        transaction.oncomplete = () => resolve(requests.map(({ result }) => result));
        transaction.onabort = () => reject(transaction.error);
      }),
    putText: async (key, value) => void (await run("texts", "readwrite", (store) => store.put(value, key))),
    getDraft: (key) => run("drafts", "readonly", (store) => store.get(key)),
    putDraft: async (key, value) =>
      void (await run("drafts", "readwrite", (store) => void (value === null ? store.delete(key) : store.put(value, key)))),
  };
}

/**
 * @param {"localstorage" | "memory"} kind
 * @param {() => any} read
 * @param {(all: any) => void} save
 * @returns {Store}
 */
function plainStore(kind, read, save) {
  /** @param {"outbox" | "drafts"} part @param {(values: any) => void} change */
  const change = async (part, change) => {
    const all = read();
    change((all[part] ??= {}));
    save(all);
  };
  /** @type {Map<string, unknown>} texts are too large for localStorage: they live as long as the page */
  const texts = new Map();
  return {
    kind,
    entries: async () => Object.values(read().outbox ?? {}),
    write: (entries, removeIds) =>
      change("outbox", (values) => {
        for (const id of removeIds) delete values[id];
        for (const entry of /** @type {Entry[]} */ (entries)) values[entry.id] = { ...entry };
      }),
    getTexts: async (prefix) => [...texts.keys()].filter((key) => key.startsWith(prefix)).sort().map((key) => texts.get(key)),
    getTextsAt: async (keys) => keys.map((key) => texts.get(key)),
    putText: async (key, value) => void texts.set(key, value),
    getDraft: async (key) => read().drafts?.[key],
    putDraft: (key, value) =>
      change("drafts", (values) => {
        if (value === null) delete values[key];
        else values[key] = value;
      }),
  };
}
