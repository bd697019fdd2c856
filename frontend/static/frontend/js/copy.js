/** Buttons that copy a field: <button data-copy="ID" data-done="Copied">. Without the clipboard the text is selected. */

document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button[data-copy]"));
  if (!button) return;
  const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy ?? ""));
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    // Only HTTPS and localhost have the clipboard: the text stays selected for the keyboard.
    return;
  }
  button.textContent = button.dataset.done ?? "";
});
