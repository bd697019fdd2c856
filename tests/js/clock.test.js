import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock, IDLE_AFTER } from "../../frontend/static/frontend/js/workspace/clock.js";

test("time counts while the page is visible and the person did something in the last minute", () => {
  const clock = new Clock(1000);
  assert.equal(clock.seconds(11_000), 10);
  clock.activity(50_000);
  assert.equal(clock.seconds(70_000), 69);
});

test("an idle person's time stops after a minute and goes on with the next key", () => {
  const clock = new Clock(0);
  assert.equal(clock.seconds(10 * IDLE_AFTER), 60);
  clock.activity(20 * IDLE_AFTER);
  assert.equal(clock.seconds(20 * IDLE_AFTER + 5000), 65);
});

test("a hidden page counts nothing, however long", () => {
  const clock = new Clock(0);
  clock.visibility(false, 4000);
  assert.equal(clock.seconds(3_600_000), 4);
  clock.visibility(true, 3_600_000);
  assert.equal(clock.seconds(3_603_000), 7);
});

test("each unit starts at nought, and asking twice does not count twice", () => {
  const clock = new Clock(0);
  clock.seconds(9000);
  assert.equal(clock.seconds(9000), 9);
  clock.restart(9000);
  assert.equal(clock.seconds(11_400), 2);
});
