/** One's own pace in a round, and how long the rest takes at it. */

import { gettext, interpolate, ngettext } from "../lib/i18n.js";
import { isDecided } from "./units.js";

/**
 * @param {import("./units.js").Units} units
 * @returns {{each: number, left: number, seconds: number} | null} seconds a unit and for those left; null before anything was timed
 */
export function paceOf(units) {
  const timed = units.flat.filter(({ row }) => row && isDecided(row) && row.active_seconds > 0);
  if (!timed.length) return null;
  const each = timed.reduce((sum, { row }) => sum + row?.active_seconds, 0) / timed.length;
  const left = Math.max(0, units.length - units.decided);
  return { each, left, seconds: each * left };
}

/** @param {import("./units.js").Units} units @param {string | null} dueOn  such as 2026-11-30 @param {string} language @returns {string} */
export function paceWords(units, dueOn, language) {
  const said = [];
  const pace = paceOf(units);
  if (pace) said.push(interpolate(gettext("Your pace: %(seconds)s s a unit."), { seconds: Math.max(1, Math.round(pace.each)) }));
  const left = Math.max(0, units.length - units.decided);
  if (left && pace) {
    const minutes = Math.max(1, Math.round(pace.seconds / 60));
    said.push(minutes < 90
      ? interpolate(ngettext("%(left)s left: about %(n)s minute.", "%(left)s left: about %(n)s minutes.", minutes), { left, n: minutes })
      : interpolate(ngettext("%(left)s left: about %(n)s hour.", "%(left)s left: about %(n)s hours.", Math.round(minutes / 60)), { left, n: Math.round(minutes / 60) }));
  } else if (left) {
    said.push(interpolate(gettext("%(left)s left."), { left }));
  }
  if (left && dueOn) {
    // Noon: no time zone makes another day of it.
    const day = new Date(`${dueOn}T12:00:00`).toLocaleDateString(language, { weekday: "long", day: "numeric", month: "long" });
    said.push(interpolate(gettext("Due on %(day)s."), { day }));
  }
  return said.join(" ");
}
