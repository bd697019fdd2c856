import { drawn } from "../../lib/offsets.js";
import { watch } from "./given.js";

/**
 * A text on the page: one text node that never changes while someone selects in it. Highlights are drawn over it by the CSS Custom
 * Highlight API, or by boxes of their own where the browser has none. Offsets are UTF-16 units, as in the node.
 *
 * @typedef {import("../../lib/offsets.js").Range} TextRange
 * @typedef {import("./segmentation.js").Cut} Cut
 */

const REGISTRY = /** @type {any} */ (globalThis.CSS)?.highlights;

export class TextView {
  /**
   * @param {HTMLElement} box
   * @param {HTMLElement} paragraph
   * @param {HTMLElement | null} overlay
   * @param {() => void} [onForeign]  a translator or an extension changed the text, and it was put back
   */
  constructor(box, paragraph, overlay, onForeign = () => {}) {
    this.box = box;
    this.paragraph = paragraph;
    this.overlay = overlay;
    this.node = document.createTextNode("");
    /** @type {Map<string, TextRange[]>} */
    this.drawn = new Map();
    this.text = "";
    paragraph.replaceChildren(this.node);
    this.trust = watch(paragraph, () => this.mend(), onForeign);
    if (!REGISTRY && overlay) new ResizeObserver(() => this.redraw()).observe(box);
  }

  /** @param {string} text */
  show(text) {
    if (this.text === text && !this.isForeign()) return;
    this.clear();
    this.trust();
    this.text = text;
    this.place();
  }

  place() {
    this.node = document.createTextNode(drawn(this.text));
    this.paragraph.replaceChildren(this.node);
  }

  /** @returns {boolean} whether what is on the page is not this text in its one node */
  isForeign() {
    const { childNodes } = this.paragraph;
    return childNodes.length !== 1 || childNodes[0] !== this.node || this.node.data !== drawn(this.text);
  }

  /** Put the text back, with all that is drawn over it, where another program changed it. @returns {boolean} whether one had */
  mend() {
    if (!this.isForeign()) return false;
    this.place();
    for (const [name, ranges] of [...this.drawn]) this.draw(name, ranges);
    return true;
  }

  /** @returns {TextRange | null} what of the text the browser's own selection covers */
  selected() {
    const selection = document.getSelection();
    if (!selection?.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(this.node)) return null;
    const start = range.startContainer === this.node ? range.startOffset : 0;
    const end = range.endContainer === this.node ? range.endOffset : this.text.length;
    const before = this.text.slice(start, end);
    const from = start + before.length - before.trimStart().length;
    const to = from + before.trim().length;
    return from < to ? { start: from, end: to } : null;
  }

  /** Nothing selected by the browser may stand beside what is highlighted. */
  forgetSelected() {
    const selection = document.getSelection();
    if (selection?.rangeCount && selection.getRangeAt(0).intersectsNode(this.node)) selection.removeAllRanges();
  }

  /** @param {string} name @param {TextRange[]} ranges */
  draw(name, ranges) {
    this.drawn.set(name, ranges);
    if (REGISTRY) {
      if (ranges.length) REGISTRY.set(name, new /** @type {any} */ (globalThis).Highlight(...ranges.map((range) => this.domRange(range))));
      else REGISTRY.delete(name);
    } else {
      this.redraw();
    }
  }

  clear() {
    for (const name of this.drawn.keys()) this.draw(name, []);
    this.drawn.clear();
  }

  redraw() {
    if (!this.overlay) return;
    const origin = this.box.getBoundingClientRect();
    const boxes = [];
    for (const [name, ranges] of this.drawn) {
      for (const range of ranges) {
        for (const rect of this.domRange(range).getClientRects()) {
          const box = document.createElement("i");
          if (name !== "ws-span" && name !== "ws-stored") box.className = "cursor";
          box.style.left = `${rect.left - origin.left}px`;
          box.style.top = `${rect.top - origin.top}px`;
          box.style.width = `${rect.width}px`;
          box.style.height = `${rect.height}px`;
          boxes.push(box);
        }
      }
    }
    this.overlay.replaceChildren(...boxes);
  }

  /** @param {TextRange} range @returns {globalThis.Range} */
  domRange({ start, end }) {
    const range = document.createRange();
    const { length } = this.node;
    range.setStart(this.node, Math.min(start, length));
    range.setEnd(this.node, Math.min(end, length));
    return range;
  }

  /** @param {TextRange} range @returns {DOMRect} the box of its last line */
  lastRect(range) {
    const rects = this.domRange(range).getClientRects();
    return rects[rects.length - 1] ?? this.paragraph.getBoundingClientRect();
  }

  /** @param {TextRange} range @returns {DOMRect} the box of its first line */
  firstRect(range) {
    return this.domRange(range).getClientRects()[0] ?? this.paragraph.getBoundingClientRect();
  }

  /**
   * Where a range begins and ends on the screen. A line's boxes come from left to right whatever its direction, and a space that hangs
   * over the line's end has a box of its own.
   *
   * @param {TextRange} range
   * @returns {Record<"start" | "end", {x: number, y: number}>}
   */
  edges(range) {
    const rects = Array.from(this.domRange(range).getClientRects());
    const rtl = getComputedStyle(this.paragraph).direction === "rtl";
    const edge = (/** @type {DOMRect | undefined} */ at, /** @type {boolean} */ left) => {
      if (!at) return { x: 0, y: 0 };
      const line = rects.filter(({ top }) => Math.abs(top - at.top) < at.height / 2);
      return { x: left ? Math.min(...line.map((rect) => rect.left)) : Math.max(...line.map((rect) => rect.right)), y: at.bottom };
    };
    return { start: edge(rects[0], !rtl), end: edge(rects.at(-1), rtl) };
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {number | null} the gap between two letters there; null outside the text
   */
  gapAt(x, y) {
    const anyDocument = /** @type {any} */ (document);
    const position = anyDocument.caretPositionFromPoint?.(x, y);
    const range = position ? null : anyDocument.caretRangeFromPoint?.(x, y);
    const node = position?.offsetNode ?? range?.startContainer;
    if (node !== this.node) return null;
    return position?.offset ?? range.startOffset;
  }

  /**
   * The gap nearest to a point that may lie beside the text: on the line at its height, at the end that it lies beyond.
   *
   * @param {number} x
   * @param {number} y
   * @returns {number | null}
   */
  nearestGap(x, y) {
    const direct = this.gapAt(x, y);
    if (direct !== null || !this.node.length) return direct;
    const lines = Array.from(this.domRange({ start: 0, end: this.node.length }).getClientRects()).filter(({ width }) => width > 0);
    if (!lines.length) return null;
    const away = (/** @type {DOMRect} */ { top, bottom }) => Math.max(top - y, y - bottom, 0);
    const height = Math.min(...lines.map(away));
    const line = lines.filter((one) => away(one) === height);
    const left = Math.min(...line.map((one) => one.left));
    const right = Math.max(...line.map((one) => one.right));
    return this.gapAt(Math.min(Math.max(x, left + 1), right - 1), line[0].top + line[0].height / 2);
  }

  /**
   * The letter under a point: a gap right of its middle would belong to the next one.
   *
   * @param {number} x
   * @param {number} y
   * @returns {number | null}
   */
  letterAt(x, y) {
    const gap = this.gapAt(x, y);
    if (gap === null) return null;
    const covers = (/** @type {number} */ at) =>
      at >= 0 && at < this.node.length && Array.from(this.domRange({ start: at, end: at + 1 }).getClientRects()).some((rect) => x >= rect.left && x <= rect.right);
    return !covers(gap) && covers(gap - 1) ? gap - 1 : gap;
  }

  /** @param {Element} pane @returns {number} */
  linesInSight(pane) {
    return Math.max(2, Math.floor(pane.clientHeight / parseFloat(getComputedStyle(this.paragraph).lineHeight)));
  }

  /**
   * The first or last word of a word's line.
   *
   * @param {Cut} cut
   * @param {number} word
   * @param {1 | -1} step
   * @returns {number}
   */
  lineEdge({ words }, word, step) {
    const here = this.firstRect(words[word]);
    let edge = word;
    for (const next of reach(word, words.length, step)) {
      const rect = this.firstRect(words[next]);
      if (Math.abs(rect.top - here.top) > here.height / 2) break;
      edge = next;
    }
    return edge;
  }

  /**
   * The word that a press of an arrow reaches by sight: on the line above or below, or beside it where two directions mix.
   *
   * @param {Cut} cut
   * @param {number} word
   * @param {"up" | "down" | "left" | "right"} way
   * @returns {number}
   */
  wordBeside({ words }, word, way) {
    const here = this.firstRect(words[word]);
    const vertical = way === "up" || way === "down";
    const step = way === "up" || way === "left" ? -1 : 1;
    let best = word;
    let bestDistance = Infinity;
    let line = /** @type {number | null} */ (null);
    const order = vertical ? reach(word, words.length, step) : around(word, words.length);
    for (const index of order) {
      const rect = this.firstRect(words[index]);
      const below = rect.top + rect.height / 2 - (here.top + here.height / 2);
      const sameLine = Math.abs(below) < here.height / 2;
      if (vertical) {
        if (sameLine) continue;
        line ??= rect.top;
        if (Math.abs(rect.top - line) > rect.height / 2) break;
        const distance = Math.abs(rect.left + rect.width / 2 - (here.left + here.width / 2));
        if (distance < bestDistance) [best, bestDistance] = [index, distance];
      } else {
        if (!sameLine) continue;
        const distance = (rect.left - here.left) * step;
        if (distance > 0 && distance < bestDistance) [best, bestDistance] = [index, distance];
      }
    }
    return best;
  }
}

/** @param {number} from @param {number} count @param {number} step */
function* reach(from, count, step) {
  for (let index = from + step; index >= 0 && index < count; index += step) yield index;
}

/** The words around one, as far as a line reaches. @param {number} from @param {number} count */
function* around(from, count) {
  for (let index = Math.max(0, from - 60); index < Math.min(count, from + 60); index += 1) if (index !== from) yield index;
}
