/**
 * A file dropped anywhere on a form marked data-drop is chosen in its file field. Dropped beside the form it does nothing: without
 * this the browser would leave the page and show the file.
 */

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-drop]"));
const field = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));

/** @param {DragEvent} event @returns {DataTransfer | null} what is dragged, if files are: a dragged selection is left to the browser */
const filesOf = (event) => (event.dataTransfer?.types.includes("Files") ? event.dataTransfer : null);

/** @param {DragEvent} event @returns {boolean} */
const isOver = (event) => form.contains(/** @type {Node} */ (event.target));

/** @param {"" | "near" | "over"} state */
const show = (state) => {
  if (form.dataset.drop !== state) form.dataset.drop = state;
};

document.addEventListener("dragover", (event) => {
  const files = filesOf(event);
  if (!files) return;
  event.preventDefault();
  files.dropEffect = isOver(event) ? "copy" : "none";
  show(isOver(event) ? "over" : "near");
});

// Without what it went to, the pointer left the window.
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) show(""); });

document.addEventListener("drop", (event) => {
  const files = filesOf(event);
  if (!files) return;
  event.preventDefault();
  show("");
  if (!isOver(event) || !files.files.length) return;
  const chosen = new DataTransfer();
  for (const file of field.multiple ? files.files : [files.files[0]]) chosen.items.add(file);
  field.files = chosen.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.focus();
});
