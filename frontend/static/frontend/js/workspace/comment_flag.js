/** What stands beside an answer, the same on both protocols' pages: a comment, and that its annotator is unsure. */

/**
 * @typedef {import("./units.js").Unit} Unit
 * @typedef {import("./focus/focus_page.js").FocusPage | import("./questions/questions_page.js").QuestionsPage} Page
 */

/** Open the note for a comment; `leave` closes it once the comment is kept. @param {Page} page @param {Unit} unit @param {string} label @param {() => void} leave */
export function askComment(page, unit, label, leave) {
  page.openNote("comment", label, unit, (comment) => {
    page.change(unit, { comment });
    if (!page.wrong) leave();
    return page.wrong;
  });
  return true;
}

/** @param {Page} page @param {Unit} unit */
export function toggleUnsure(page, unit) {
  page.change(unit, { unsure: !page.session.draft(unit).unsure });
  page.shell.sayFlag(page.session.draft(unit).unsure);
  return true;
}
