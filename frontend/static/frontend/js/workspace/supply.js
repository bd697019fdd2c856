/**
 * Brings the texts of a round into the page, one request at a time, the most pressing first: the text that is waited for, what follows
 * the first texts, the outline of all, then the texts that working offline needs. A text that this browser kept is
 * asked for only where the outline says that it has changed. A round without an outline (a key) comes page by page from its start.
 * See docs/decisions/workspace.md.
 *
 * @typedef {import("./units.js").Units} Units
 * @typedef {import("./units.js").Item} Item
 * @typedef {import("./units.js").Outlined} Outlined
 * @typedef {object} Surroundings
 * @property {Units} units
 * @property {string} unitsUrl
 * @property {string} outlineUrl  empty where there is none
 * @property {string} round  key of the round in the store
 * @property {import("./saving/storage.js").Store} store
 * @property {(url: string) => Promise<any>} ask
 * @property {() => Promise<boolean>} isStillMe
 * @property {() => number} index  of the text on the screen
 * @property {(item: Item) => boolean} isWanted  whether a text is needed offline wherever it stands
 * @property {(items: Item[]) => void} onItems  their words are here
 * @property {() => void} onStep
 */

import { resultOf } from "./units.js";

const FIRST_PAGE = 10;
const NEXT_PAGE = 50;
/** So many texts on each side are a key away. */
const BESIDE = 5;
/** So many texts with something left are here before they are reached. */
export const AHEAD = 300;
/** So many of one's last decisions for a type are read again. */
const NEWEST = 40;
const AGAIN = 3_000;

export class Supply {
  /** @param {Surroundings} surroundings @param {boolean} sure  whether it is known who is logged in */
  constructor(surroundings, sure) {
    this.surroundings = surroundings;
    this.sure = sure;
    this.limit = NEXT_PAGE;
    this.working = false;
    /** The text that is waited for. @type {Item | null} */
    this.wanted = null;
    /** Texts that somebody looks for. @type {Item[]} */
    this.asked = [];
    /** Types of which the last decisions were asked for; "" for questions. @type {string[]} */
    this.newest = [];
    /** @type {Set<string>} */
    this.newestKnown = new Set();
    /** Texts that the server has newer. @type {Item[]} */
    this.changed = [];
    /** Where the page behind the first texts starts. @type {{after: number, index: number} | null} */
    this.behind = null;
    /** How far the outline came. @type {{after: number, index: number, texts: Outlined[]} | null} */
    this.outlining = null;
    /** How far a round without an outline was read anew. @type {number | null} */
    this.rereading = null;
    this.again = () => {};
    this.isFresh = () => {};
  }

  /** Everything that the server has now, also of what is here. @returns {Promise<void>} until it is here */
  readAnew() {
    if (this.surroundings.outlineUrl) this.outlining = { after: 0, index: 0, texts: [] };
    else this.rereading = 0;
    return new Promise((resolve) => {
      const before = this.isFresh;
      this.isFresh = () => {
        before();
        resolve();
      };
      void this.work();
    });
  }

  /** @param {Item} item */
  want(item) {
    this.wanted = item;
    void this.work();
  }

  /** Texts whose words somebody looks for, such as those of the list. @param {Item[]} items */
  wantAll(items) {
    this.asked = items.filter(({ loaded }) => !loaded);
    if (this.asked.length) void this.work();
  }

  /** The last decisions of a type. @param {string} type */
  wantNewest(type) {
    if (this.newestKnown.has(type) || this.newest.includes(type) || !this.surroundings.outlineUrl) return;
    this.newest.push(type);
    void this.work();
  }

  /** Go on until all that is needed is here; what fails is tried again after a while, or once `again` is called. */
  async work() {
    if (this.working) return;
    this.working = true;
    for (let step = this.next(); step; step = this.next()) {
      try {
        await step();
        this.surroundings.onStep();
        if (!this.outlining && this.rereading === null && !this.changed.length) {
          this.isFresh();
          this.isFresh = () => {};
        }
      } catch {
        this.sure = false;
        // A page of long texts may take a poor network longer than one waits for a reply.
        this.limit = FIRST_PAGE;
        await new Promise((resolve) => {
          this.again = () => resolve(null);
          setTimeout(resolve, AGAIN);
        });
      }
    }
    this.working = false;
  }

  /** @returns {(() => Promise<void>) | null} the most pressing thing to do */
  next() {
    const { units, index, isWanted, outlineUrl } = this.surroundings;
    const { wanted } = this;
    // A text that was taken away meanwhile may have no place any more.
    if (wanted && !wanted.loaded) return () => this.load([...new Set([wanted, ...this.around(wanted.index)])]);
    this.wanted = null;
    this.asked = this.asked.filter(({ loaded }) => !loaded);
    if (this.asked.length) return () => this.load(this.asked.slice(0, this.limit));
    const { behind, outlining } = this;
    if (behind) return () => this.follow(behind);
    if (!outlineUrl && !units.complete) return () => this.page();
    if (this.rereading !== null) return () => this.reread();
    if (outlining) return () => this.outline(outlining);
    if (this.changed.length) return () => this.refresh(this.changed.slice(0, this.limit));
    const [type] = this.newest;
    if (type !== undefined) return () => this.fetchNewest(type);
    const beside = this.around(index());
    if (beside.length) return () => this.load(beside);
    const needed = units.needed(index(), AHEAD, isWanted, this.limit);
    return needed.length ? () => this.load(needed) : null;
  }

  /** After a time without the server someone else may be logged in: their texts are not taken into this person's page. @param {string} url */
  async ask(url) {
    const { ask, isStillMe } = this.surroundings;
    if (!this.sure && !(await isStillMe())) throw new Error("somebody else");
    this.sure = true;
    return ask(url);
  }

  /** @param {number} index @returns {Item[]} the text there and those beside it, as far as their words are not here */
  around(index) {
    return this.surroundings.units.items.slice(Math.max(0, index - BESIDE), index + BESIDE + 1).flatMap((item) => (item && !item.loaded ? [item] : []));
  }

  async page() {
    const { units, unitsUrl } = this.surroundings;
    const from = units.items.length;
    const page = await this.ask(`${unitsUrl}?after=${units.nextAfter}&limit=${this.limit}`);
    units.add(page);
    this.arrived(/** @type {Item[]} */ (units.items.slice(from)));
  }

  /** @param {{after: number, index: number}} behind */
  async follow(behind) {
    const { units, unitsUrl } = this.surroundings;
    const { results } = await this.ask(`${unitsUrl}?after=${behind.after}&limit=${this.limit}`);
    this.behind = null;
    this.arrived(results.map((/** @type {any} */ result, /** @type {number} */ at) => units.put(result, behind.index + at)));
  }

  async reread() {
    const { units, unitsUrl } = this.surroundings;
    const { results, next } = await this.ask(`${unitsUrl}?after=${this.rereading}&limit=${this.limit}`);
    this.arrived(results.map((/** @type {any} */ result) => units.fill(result)).filter(Boolean));
    this.rereading = next;
  }

  /** @param {{after: number, index: number, texts: Outlined[]}} outlining */
  async outline(outlining) {
    const { units, outlineUrl, store, round } = this.surroundings;
    const { texts, next } = await this.ask(`${outlineUrl}?after=${outlining.after}`);
    this.changed.push(...units.outline(texts, outlining.index));
    outlining.texts.push(...texts);
    outlining.index += texts.length;
    if (next !== null) {
      outlining.after = next;
      return;
    }
    if (this.outlining === outlining) this.outlining = null;
    units.finish(outlining.index);
    void store.putText(`${round}:outline`, outlining.texts).catch(() => {});
  }

  /** @param {Item[]} items */
  async refresh(items) {
    await this.fetch(items);
    this.changed = this.changed.filter((item) => !items.includes(item));
  }

  /** @param {string} type */
  async fetchNewest(type) {
    const { units, unitsUrl } = this.surroundings;
    const { results } = await this.ask(`${unitsUrl}?newest=${encodeURIComponent(type)}&limit=${NEWEST}`);
    this.newest = this.newest.filter((other) => other !== type);
    this.newestKnown.add(type);
    this.arrived(results.map((/** @type {any} */ result) => units.fill(result)).filter(Boolean));
  }

  /** Take texts from this browser where they are as the outline says, and ask for the others. @param {Item[]} items */
  async load(items) {
    const { units, store, round } = this.surroundings;
    const kept = units.complete ? await store.getTextsAt(items.map((item) => keyOf(round, item))).catch(() => []) : [];
    const found = items.filter((item, at) => {
      const result = kept[at];
      if (result?.assignment !== item.assignment || result.revisions !== item.outlined) return false;
      units.fill(result);
      return true;
    });
    if (found.length) this.surroundings.onItems(found);
    await this.fetch(items.filter((item) => !item.loaded));
  }

  /** @param {Item[]} items */
  async fetch(items) {
    if (!items.length) return;
    const { units, unitsUrl } = this.surroundings;
    const { results } = await this.ask(`${unitsUrl}?only=${items.map(({ assignment }) => assignment).join(",")}`);
    const found = results.map((/** @type {any} */ result) => units.fill(result)).filter(Boolean);
    // What was taken from this person meanwhile comes no more, and asks nothing.
    for (const item of items) {
      if (found.includes(item)) continue;
      units.ask(item, [], []);
      item.loaded = true;
    }
    this.arrived(found);
  }

  /** @param {Item[]} items */
  arrived(items) {
    for (const item of items) this.keep(item);
    this.surroundings.onItems(items);
  }

  /** For working offline: never what is still on its way, which may be refused. @param {Item | undefined} item */
  keep(item) {
    const { store, round } = this.surroundings;
    const isStored = item?.units.every(({ row, revision }) => (row?.revision ?? 0) === revision);
    if (item?.loaded && isStored) void store.putText(keyOf(round, item), { ...resultOf(item), revisions: item.revisions }).catch(() => {});
  }
}

/** @param {string} round @param {Item} item */
function keyOf(round, { position }) {
  return `${round}:item:${String(position).padStart(9, "0")}`;
}
