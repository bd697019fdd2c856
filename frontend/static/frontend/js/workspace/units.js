/**
 * The units of a round in the order in which the annotator meets them. Pages come in by and by; what is not there yet is null.
 *
 * @typedef {Record<string, any>} Row  the stored answer with `revision`, `active_seconds`, `updated_at`
 * @typedef {object} Unit
 * @property {string} key        "assignment:code" or "assignment:question"
 * @property {number} assignment
 * @property {Item} item
 * @property {string | null} type      code of the type (FOCUS)
 * @property {{id: number, position: number, text: string, references?: number[]} | null} question  (CQs-Gen; in a matching round with the keys of the references offered for it)
 * @property {Row | null} row    as last seen: stored, or decided here and on its way
 * @property {number} revision   of the stored row; 0 for none
 * @property {boolean} countedAtLoad
 * @typedef {{assignment: number, position: number, index: number, id: string, text: string, topic: string, typesTotal: number | null, references: {id: number, text: string}[], units: Unit[]}} Item
 */

/** @param {Row | null} row @returns {boolean} */
export function isDecided(row) {
  if (!row) return false;
  return Boolean(row.cannot_judge) || (row.applicable ?? null) !== null || (row.label ?? null) !== null;
}

/**
 * The rows of an item as the server gives it, by the key of their unit.
 *
 * @param {any} result
 * @returns {[string, Row | null][]}
 */
export function rowsOf(result) {
  if (!result.questions) return Object.entries(result.types ?? {}).map(([code, row]) => [`${result.assignment}:${code}`, row]);
  return result.questions.map((/** @type {any} */ { id, row }) => [`${result.assignment}:${id}`, row ?? null]);
}

export class Units {
  /**
   * @param {object} round
   * @param {{code: string}[]} round.types  those that the round asks; empty for CQs-Gen
   * @param {number} [round.typesTotal]     how many the codebook has
   * @param {"by_argument" | "by_type"} round.order
   * @param {number} round.itemsTotal
   * @param {number} round.unitsTotal
   * @param {number} round.unitsDecided
   */
  constructor({ types, typesTotal = types.length, order, itemsTotal, unitsTotal, unitsDecided }) {
    this.types = types;
    this.typesTotal = typesTotal;
    this.byType = order === "by_type" && types.length > 0;
    this.itemsTotal = itemsTotal;
    this.unitsTotal = unitsTotal;
    this.decidedAtStart = unitsDecided;
    this.complete = false;
    /** @type {Item[]} */
    this.items = [];
    /** @type {Unit[]} */
    this.flat = [];
    /** @type {Map<string, Unit>} */
    this.byKey = new Map();
  }

  /**
   * Take in the next page. Pages come in order; an item that is there already is left alone.
   *
   * @param {{results: any[], next: number | null}} page
   */
  add({ results, next }) {
    for (const result of results) {
      if (this.items.length && result.position <= this.items[this.items.length - 1].position) continue;
      /** @type {Item} */
      const item = { assignment: result.assignment, position: result.position, index: this.items.length, id: result.item.id, text: result.item.text, topic: result.item.topic ?? "", typesTotal: result.types_total ?? null, references: result.references ?? [], units: [] };
      const parts = this.types.length
        ? this.types.filter(({ code }) => result.asked?.includes(code) ?? true).map(({ code }) => ({ part: code, type: code, question: null, row: result.types?.[code] ?? null }))
        : result.questions.map((/** @type {any} */ { row, ...question }) => ({ part: question.id, type: null, question, row: row ?? null }));
      for (const { part, type, question, row } of parts) {
        const unit = { key: `${item.assignment}:${part}`, assignment: item.assignment, item, type, question, row, revision: row?.revision ?? 0, countedAtLoad: isDecided(row) };
        item.units.push(unit);
        this.flat.push(unit);
        this.byKey.set(unit.key, unit);
      }
      this.items.push(item);
    }
    if (next === null) {
      this.complete = true;
      this.itemsTotal = this.items.length;
      this.unitsTotal = this.flat.length;
    }
  }

  /** @returns {number | null} the position after which the next page starts; null when all is there */
  get nextAfter() {
    return this.complete ? null : (this.items.at(-1)?.position ?? 0);
  }

  /** @returns {number} how many units there are, loaded or not */
  get length() {
    return Math.max(this.flat.length, this.complete ? 0 : this.unitsTotal);
  }

  /** @returns {number} how many places the order has: by type also those of types that a text is not asked */
  get places() {
    return this.byType ? this.types.length * this.itemsTotal : this.length;
  }

  /** @param {number} place @returns {Unit | null} */
  at(place) {
    if (!this.byType) return this.flat[place] ?? null;
    const item = this.items[place % this.itemsTotal];
    return item?.units.find(({ type }) => type === this.types[Math.floor(place / this.itemsTotal)]?.code) ?? null;
  }

  /** @param {number} place @returns {boolean} whether the text is there and is not asked this type */
  isGap(place) {
    return this.byType && place >= 0 && place < this.places && Boolean(this.items[place % this.itemsTotal]) && !this.at(place);
  }

  /** @param {Unit} unit @returns {number} */
  placeOf(unit) {
    if (!this.byType) return this.flat.indexOf(unit);
    return this.types.findIndex(({ code }) => code === unit.type) * this.itemsTotal + unit.item.index;
  }

  /** @returns {number} */
  get decided() {
    let count = this.complete ? 0 : this.decidedAtStart;
    for (const unit of this.flat) count += Number(isDecided(unit.row)) - (this.complete ? 0 : Number(unit.countedAtLoad));
    return count;
  }

  /**
   * The next unit without a decision, from `place` on and then from the start.
   *
   * @param {number} place
   * @returns {Unit | "loading" | null} "loading" when it may be on a page that is not there yet; null when all is decided
   */
  nextOpen(place) {
    const { places } = this;
    for (let step = 0; step < places; step += 1) {
      const at = (place + step) % places;
      const unit = this.at(at);
      if (!unit) {
        if (!this.complete && !this.isGap(at)) return "loading";
      } else if (!isDecided(unit.row)) {
        return unit;
      }
    }
    return null;
  }

  /**
   * @param {number} place
   * @param {1 | -1} step
   * @returns {Unit | null}
   */
  neighbour(place, step) {
    let next = place + step;
    while (this.isGap(next)) next += step;
    return this.at(next);
  }

  /** @param {Item} item @returns {boolean} whether every type that can be asked of the text is answered "no": None of the Above */
  isNoneOfTheAbove(item) {
    return this.typesTotal > 1 && item.units.length === (item.typesTotal ?? this.typesTotal) && item.units.every(({ row }) => row?.applicable === false);
  }

  /**
   * What the annotator said for one type (or any question) so far, newest first.
   *
   * @param {string | null} type
   * @param {number} [limit]
   * @returns {Unit[]}
   */
  decisionsFor(type, limit = 200) {
    return this.flat
      .filter((unit) => unit.type === type && isDecided(unit.row))
      .sort((a, b) => String(b.row?.updated_at ?? "").localeCompare(String(a.row?.updated_at ?? "")))
      .slice(0, limit);
  }

  /** @returns {Unit | null} the unit decided last, by the time of its row */
  lastDecided() {
    /** @type {Unit | null} */
    let last = null;
    for (const unit of this.flat) {
      if (isDecided(unit.row) && (!last || String(unit.row?.updated_at) > String(last.row?.updated_at))) last = unit;
    }
    return last;
  }
}

/**
 * An item as the server gives it, with the rows as they are now: what is kept for working offline.
 *
 * @param {Item} item
 * @returns {object}
 */
export function resultOf(item) {
  const { assignment, position, id, text, topic, typesTotal, references, units } = item;
  const common = { assignment, position, item: { id, text, topic } };
  if (units[0]?.type) return { ...common, types_total: typesTotal, asked: units.map(({ type }) => type), types: Object.fromEntries(units.filter(({ row }) => row).map((unit) => [unit.type, { ...unit.row, revision: unit.revision }])) };
  return { ...common, ...(references.length ? { references } : {}), questions: units.map((unit) => ({ ...unit.question, row: unit.row && { ...unit.row, revision: unit.revision } })) };
}

/**
 * Whether two units ask the same of the same text: a round may ask again, and what was said first must not show beside it.
 *
 * @param {Unit} one
 * @param {Unit} other
 * @returns {boolean}
 */
export function isSameQuestion(one, other) {
  return one.item.id === other.item.id && one.type === other.type && one.question?.id === other.question?.id;
}
