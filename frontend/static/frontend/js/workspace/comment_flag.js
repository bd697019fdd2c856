/** What stands beside an answer, the same on both protocols' pages: a comment, and that its annotator is unsure. */

/**
 * @typedef {import("./units.js").Unit} Unit
 *
 * What both pages have of it, named here: a type taken from their files would close a circle of hashed names.
 * @typedef {object} Page
 * @property {import("./shell.js").Shell} shell
 * @property {import("./session.js").Session} session
 * @property {string} wrong
 * @property {(unit: Unit, change: object) => void} change
 * @property {(purpose: any, label: string, unit: Unit, keep: (text: string) => string) => void} openNote
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
