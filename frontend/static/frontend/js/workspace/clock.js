/**
 * Active seconds of a unit: while the page is visible and the person did something in the last minute.
 */

export const IDLE_AFTER = 60_000;

/** Count the time spent on one unit after another. Times are milliseconds of any steady clock, given by the caller. */
export class Clock {
  /** @param {number} now @param {boolean} [visible] */
  constructor(now, visible = true) {
    this.visible = visible;
    this.counted = 0;
    this.since = now;
    this.lastActivity = now;
  }

  /** @param {number} now */
  settle(now) {
    if (this.visible) {
      const until = Math.min(now, this.lastActivity + IDLE_AFTER);
      if (until > this.since) this.counted += until - this.since;
    }
    this.since = Math.max(this.since, now);
  }

  /** The person pressed, moved or touched. @param {number} now */
  activity(now) {
    this.settle(now);
    this.lastActivity = now;
  }

  /** @param {boolean} visible @param {number} now */
  visibility(visible, now) {
    this.settle(now);
    this.visible = visible;
    if (visible) this.lastActivity = now;
  }

  /** Another unit is on the screen. @param {number} now */
  restart(now) {
    this.counted = 0;
    this.since = now;
    this.lastActivity = now;
  }

  /** @param {number} now @returns {number} whole seconds since restart */
  seconds(now) {
    this.settle(now);
    return Math.round(this.counted / 1000);
  }
}
