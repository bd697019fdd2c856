/** Buttons that copy a field or a text: <button data-copy="ID" data-done="Copied">. Without the clipboard it is selected. */

document.addEventListener("click", async (event) => {
  const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("button[data-copy]"));
  if (!button) return;
  const copied = /** @type {HTMLElement} */ (document.getElementById(button.dataset.copy ?? ""));
  if (copied instanceof HTMLInputElement) copied.select();
  else getSelection()?.selectAllChildren(copied);
  try {
    await navigator.clipboard.writeText(copied instanceof HTMLInputElement ? copied.value : (copied.textContent ?? ""));
  } catch {
    // Only HTTPS and localhost have the clipboard: the text stays selected for the keyboard.
    return;
  }
  button.textContent = button.dataset.done ?? "";
});
