import assert from "node:assert/strict";
import { test } from "node:test";

import { paceOf, paceWords } from "../../frontend/static/frontend/js/workspace/pace.js";

const unit = (seconds, applicable = true) => ({ row: seconds === null ? null : { applicable, active_seconds: seconds } });
const units = (flat, length = flat.length) => ({ flat, length, decided: flat.filter(({ row }) => row && row.applicable !== null).length });

test("the pace is that of what was decided and timed, and what is left is counted with texts that are not here yet", () => {
  const some = units([unit(10), unit(20), unit(0), unit(null), unit(40, null)], 13);
  assert.deepEqual(paceOf(some), { each: 15, left: 10, seconds: 150 });
  assert.equal(paceWords(some, "2026-11-30", "en"), "Your pace: 15 s a unit. 10 left: about 3 minutes. Due on Monday, November 30.");
});

test("before anything was timed there is no pace, and after the last unit no day", () => {
  assert.equal(paceOf(units([unit(null)])), null);
  assert.equal(paceWords(units([unit(null)]), null, "en"), "1 left.");
  assert.equal(paceWords(units([unit(30)]), "2026-11-30", "en"), "Your pace: 30 s a unit.");
  assert.equal(paceWords(units([unit(60), unit(null)]), null, "en"), "Your pace: 60 s a unit. 1 left: about 1 minute.");
  assert.equal(paceWords(units([unit(60)], 241), null, "en"), "Your pace: 60 s a unit. 240 left: about 4 hours.");
});
