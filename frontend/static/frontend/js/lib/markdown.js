/**
 * The little Markdown of a type's guideline, built as nodes: paragraphs, lists, **strong** and *emphasis*. Anything else stays text.
 * The whole guideline comes from the server as sanitised HTML; this is for the few lines of one type.
 */

/** @typedef {{kind: "text" | "strong" | "em", text: string}} Piece */

/** @param {string} line @returns {Piece[]} */
export function pieces(line) {
  return line
    .split(/(\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith("**") && part.endsWith("**") && part.length > 4) return { kind: "strong", text: part.slice(2, -2) };
      if (part.startsWith("*") && part.endsWith("*") && part.length > 2) return { kind: "em", text: part.slice(1, -1) };
      return { kind: "text", text: part };
    });
}

/** @param {string} markdown @returns {{list: boolean, lines: string[]}[]} */
export function blocks(markdown) {
  return markdown
    .trim()
    .split(/\n\s*\n/)
    .filter(Boolean)
    .map((block) => {
      const lines = block.split("\n");
      const list = lines.every((line) => /^\s*[-*] /.test(line));
      return { list, lines: list ? lines.map((line) => line.replace(/^\s*[-*] /, "")) : [lines.join(" ")] };
    });
}

/** @param {string} markdown @returns {DocumentFragment} */
export function markdownNodes(markdown) {
  const fragment = document.createDocumentFragment();
  for (const { list, lines } of blocks(markdown)) {
    const parent = list ? document.createElement("ul") : fragment;
    for (const line of lines) {
      const element = document.createElement(list ? "li" : "p");
      for (const { kind, text } of pieces(line)) {
        element.append(kind === "text" ? text : Object.assign(document.createElement(kind), { textContent: text }));
      }
      parent.append(element);
    }
    if (list) fragment.append(parent);
  }
  return fragment;
}
