/**
 * The units of a round in the order in which the annotator meets them. A text may be there without its words (from the round's outline),
 * with them, or not yet at all: then its place is empty.
 *
 * @typedef {Record<string, any>} Row  the stored answer with `revision`, `active_seconds`, `updated_at`; of a text without its words no more than the decision
 * @typedef {{id: number, position: number, text: string, references?: number[]}} Question  in a matching round with the keys of the references offered for it
 * @typedef {{id: number, applicable?: boolean, start?: number | null, end?: number | null, quote?: string, label?: string}} Suggestion
 * @typedef {[number, number, (string | number)[] | null, string, number]} Outlined  assignment, position, what it asks (null: all types), a mark for each, revisions
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

/** @param {string} a @param {string} b */
const compared = (a, b) => Number(a > b) - Number(a < b);

/** @type {Record<string, Row>} */
const MARKED = { y: { applicable: true }, n: { applicable: false }, u: { label: "USE" }, h: { label: "UN" }, i: { label: "IN" }, r: { label: "REF" }, c: { cannot_judge: true, comment: "" } };

/** @param {string} mark @returns {Row | null} */
function rowOf(mark) {
  const answer = MARKED[mark.toLowerCase()];
  return answer ? { ...answer, unsure: mark !== mark.toLowerCase(), revision: 0 } : null;
}

/** What is judged of a text: a type (FOCUS) or a question (CQs-Gen). */
export class Unit {
  /**
   * @param {Units} units
   * @param {Item} item
   * @param {string | null} type  code of the type
   * @param {Question | null} question
   * @param {Row | null} row
   */
  constructor(units, item, type, question, row) {
    this.units = units;
    this.item = item;
    this.type = type;
    this.question = question;
    /** "assignment:code" or "assignment:question" */
    this.key = `${item.assignment}:${type ?? question?.id}`;
    this.assignment = item.assignment;
    /** What a language model suggests, where the round shows something here. @type {Suggestion | null} */
    this.suggestion = null;
    /** Of the stored row; 0 for none. */
    this.revision = row?.revision ?? 0;
    /** @type {Row | null} */
    this.known = row;
  }

  /** @returns {Row | null} as last seen: stored, or decided here and on its way */
  get row() {
    return this.known;
  }

  set row(row) {
    this.units.decided += Number(isDecided(row)) - Number(isDecided(this.known));
    this.known = row;
  }
}

/** A text of the round. Its words may come later: until then it is not `loaded`. */
export class Item {
  /** @param {number} assignment @param {number} position @param {number} index */
  constructor(assignment, position, index) {
    this.assignment = assignment;
    this.position = position;
    this.index = index;
    this.loaded = false;
    this.id = "";
    this.text = "";
    this.topic = "";
    /** @type {number | null} */
    this.typesTotal = null;
    /** @type {{id: number, text: string}[]} */
    this.references = [];
    /** @type {Unit[]} */
    this.units = [];
    /** The sum of the revisions that the server had, as long as the rows are not here. */
    this.outlined = 0;
  }

  /** @returns {number} the sum of the revisions of the rows as the server has them, as far as is known here */
  get revisions() {
    return this.loaded ? this.units.reduce((sum, { revision }) => sum + revision, 0) : this.outlined;
  }

  /** @returns {boolean} */
  get isLeft() {
    return this.units.some(({ row }) => !isDecided(row));
  }
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
    /** How many are decided: what the server counted, then kept by difference. */
    this.decided = unitsDecided;
    /** Whether each text has its place, with or without its words. */
    this.complete = false;
    /** How many units the text with the most has. */
    this.width = Math.max(1, types.length);
    /** By their places; empty where a text is not there yet. @type {(Item | undefined)[]} */
    this.items = [];
    /** @type {Map<number, Item>} */
    this.byAssignment = new Map();
    /** @type {Map<string, Unit>} */
    this.byKey = new Map();
  }

  /** @returns {Unit[]} all that are there, in the order of their texts */
  get flat() {
    return this.items.flatMap((item) => item?.units ?? []);
  }

  /**
   * Take in the next page of a round that comes page by page from its start. An item that is there already is left alone.
   *
   * @param {{results: any[], next: number | null}} page
   */
  add({ results, next }) {
    for (const result of results) {
      if (result.position > (this.items.at(-1)?.position ?? 0)) this.put(result, this.items.length);
    }
    if (next === null) this.finish();
  }

  /** Take in a text with its words at its place. @param {any} result @param {number} index @returns {Item} */
  put(result, index) {
    const item = this.placed(result.assignment, result.position, index);
    this.fill(result);
    return item;
  }

  /**
   * Take in the words of a text that has its place, and what the server has for it that is newer than what is here.
   *
   * @param {any} result
   * @returns {Item | null}
   */
  fill(result) {
    const item = this.byAssignment.get(result.assignment);
    if (!item) return null;
    item.id = result.item.id;
    item.text = result.item.text;
    item.topic = result.item.topic ?? "";
    item.typesTotal = result.types_total ?? null;
    item.references = result.references ?? [];
    const asked = this.types.length ? result.asked ?? this.types.map(({ code }) => code) : result.questions.map((/** @type {Question} */ { id }) => id);
    const isNew = !item.units.length && !this.complete;
    this.ask(item, asked, []);
    const rows = new Map(rowsOf(result));
    for (const unit of item.units) {
      if (unit.question) {
        const { row: _row, ...question } = result.questions.find((/** @type {Question} */ { id }) => id === unit.question?.id);
        unit.question = question;
      }
      unit.suggestion = result.suggestions?.[unit.type ?? ""] ?? /** @type {any} */ (unit.question)?.suggestion ?? null;
      const row = rows.get(unit.key) ?? null;
      const revision = row?.revision ?? 0;
      // What was stored or is on its way from here since the server was asked stays.
      if (item.loaded ? revision <= unit.revision : revision < unit.revision) continue;
      // The server has counted what it gives of a text that was not here at all.
      if (isNew) unit.known = row;
      else unit.row = row;
      unit.revision = revision;
    }
    item.loaded = true;
    return item;
  }

  /**
   * Take in a part of the outline: texts without their words, from the place `index` on.
   *
   * @param {Outlined[]} texts @param {number} index
   * @returns {Item[]} those whose rows the server has changed since they came here
   */
  outline(texts, index) {
    const changed = [];
    for (const [assignment, position, asked, marks, revisions] of texts) {
      const item = this.placed(assignment, position, index);
      index += 1;
      const parts = asked ?? this.types.map(({ code }) => code);
      if (item.loaded) {
        if (item.revisions < revisions || item.units.length !== parts.length) changed.push(item);
        continue;
      }
      this.ask(item, parts, marks);
      if (item.outlined !== revisions) item.units.forEach((unit, at) => { unit.row = rowOf(marks[at]); });
      item.outlined = revisions;
    }
    return changed;
  }

  /** @param {number} assignment @param {number} position @param {number} index @returns {Item} */
  placed(assignment, position, index) {
    let item = this.byAssignment.get(assignment);
    if (item && item.index !== index && this.items[item.index] === item) delete this.items[item.index];
    item ??= new Item(assignment, position, index);
    item.index = index;
    this.items[index] = item;
    this.itemsTotal = Math.max(this.itemsTotal, index + 1);
    this.byAssignment.set(assignment, item);
    return item;
  }

  /** Make the units of a text, unless they are there. @param {Item} item @param {(string | number)[]} asked @param {string | never[]} marks */
  ask(item, asked, marks) {
    if (item.units.length === asked.length && asked.every((part, at) => item.units[at].key === `${item.assignment}:${part}`)) return;
    const before = item.units.length;
    for (const unit of item.units) {
      unit.row = null;
      this.byKey.delete(unit.key);
    }
    const codes = this.types.length ? this.types.map(({ code }) => code).filter((code) => asked.includes(code)) : asked;
    item.units = codes.map((part, at) => {
      const question = typeof part === "number" ? { id: part, position: at + 1, text: "" } : null;
      return new Unit(this, item, question ? null : String(part), question, rowOf(marks[at] ?? "."));
    });
    for (const unit of item.units) this.byKey.set(unit.key, unit);
    if (this.complete) this.unitsTotal += item.units.length - before;
    this.width = Math.max(this.width, item.units.length);
  }

  /** Each text has its place now: what was counted is exact. @param {number} [total] */
  finish(total = this.items.length) {
    for (const item of this.items.splice(total)) if (item) this.byAssignment.delete(item.assignment);
    this.complete = true;
    this.itemsTotal = total;
    const { flat } = this;
    this.unitsTotal = flat.length;
    this.decided = flat.reduce((sum, { row }) => sum + Number(isDecided(row)), 0);
  }

  /** @returns {number | null} the position after which the next page starts; null when all is there */
  get nextAfter() {
    return this.complete ? null : (this.items.at(-1)?.position ?? 0);
  }

  /** @returns {number} how many units there are, here or not */
  get length() {
    return this.unitsTotal;
  }

  /** @returns {number} how many places the order has, also those of units that a text is not asked */
  get places() {
    return this.width * this.itemsTotal;
  }

  /** @param {number} place @returns {[Item | undefined, number]} the text there, and which of its units */
  partsOf(place) {
    return this.byType
      ? [this.items[place % this.itemsTotal], Math.floor(place / this.itemsTotal)]
      : [this.items[Math.floor(place / this.width)], place % this.width];
  }

  /** @param {number} place @returns {Unit | null} */
  at(place) {
    const [item, part] = this.partsOf(place);
    if (!item) return null;
    if (!this.types.length || item.units.length === this.types.length) return item.units[part] ?? null;
    return item.units.find(({ type }) => type === this.types[part]?.code) ?? null;
  }

  /** @param {number} place @returns {boolean} whether the text is there and is not asked this */
  isGap(place) {
    return place >= 0 && place < this.places && Boolean(this.partsOf(place)[0]) && !this.at(place);
  }

  /** @param {Unit} unit @returns {number} */
  placeOf(unit) {
    const part = this.types.length ? this.types.findIndex(({ code }) => code === unit.type) : unit.item.units.indexOf(unit);
    return this.byType ? part * this.itemsTotal + unit.item.index : unit.item.index * this.width + part;
  }

  /**
   * The next unit without a decision, from `place` on and then from the start.
   *
   * @param {number} place
   * @returns {Unit | "loading" | null} "loading" when it may be in a text that is not there yet; null when all is decided
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
   * Texts whose words are needed soon: those with something left from a text on, then all that are flagged.
   *
   * @param {number} index  of the text on the screen
   * @param {number} ahead  how many texts with something left
   * @param {(item: Item) => boolean} isWanted  also wherever it stands
   * @param {number} most
   * @returns {Item[]} those that are not here, nearest first
   */
  needed(index, ahead, isWanted, most) {
    const found = [];
    let left = ahead;
    for (let step = 0; step < this.itemsTotal && found.length < most; step += 1) {
      const item = this.items[(index + step) % this.itemsTotal];
      if (!item) continue;
      const isAhead = left > 0 && item.isLeft;
      left -= Number(isAhead);
      if (!item.loaded && (isAhead || isWanted(item))) found.push(item);
    }
    return found;
  }

  /**
   * @param {number} place
   * @param {1 | -1} step
   * @returns {Unit | null}
   */
  neighbour(place, step) {
    let next = place + step;
    while (this.isGap(next)) next += step;
    return next < 0 ? null : this.at(next);
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
      .sort((a, b) => compared(b.row?.updated_at ?? "", a.row?.updated_at ?? ""))
      .slice(0, limit);
  }

  /** @returns {Unit | null} the unit decided last, by the time of its row, which comes with the words of a text */
  lastDecided() {
    /** @type {Unit | null} */
    let last = null;
    for (const unit of this.flat) {
      const at = unit.row?.updated_at;
      if (at && isDecided(unit.row) && (!last || compared(at, last.row?.updated_at) > 0)) last = unit;
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
  const shown = units.filter(({ suggestion }) => suggestion);
  const suggestions = shown.length ? { suggestions: Object.fromEntries(shown.map(({ type, suggestion }) => [type, suggestion])) } : {};
  if (units[0]?.type) return { ...common, ...suggestions, types_total: typesTotal, asked: units.map(({ type }) => type), types: Object.fromEntries(units.filter(({ row }) => row).map((unit) => [unit.type, { ...unit.row, revision: unit.revision }])) };
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
