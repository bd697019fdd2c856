import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore } from "../../frontend/static/frontend/js/workspace/saving/storage.js";
import { Supply } from "../../frontend/static/frontend/js/workspace/supply.js";
import { Units } from "../../frontend/static/frontend/js/workspace/units.js";

const TYPES = [{ code: "LE" }, { code: "WE" }];
const no = { applicable: false, cannot_judge: false, revision: 1, updated_at: "2020-01-01T10:00:00Z" };
const text = (position, types = {}) => ({ assignment: 100 + position, position, item: { id: `I-${position}`, text: `Text ${position}`, topic: "" }, types });
const outlined = (position, marks = "..", revisions = 0) => [100 + position, position, null, marks, revisions];

/** A supply of a round whose outline is known; `server` has what it gives of each text, by assignment. */
function supplied(outline, server) {
  const units = new Units({ types: TYPES, order: "by_argument", itemsTotal: outline.length, unitsTotal: 2 * outline.length, unitsDecided: 0 });
  units.outline(outline, 0);
  units.finish(outline.length);
  const store = memoryStore();
  const asked = [];
  const supply = new Supply({
    units, store, unitsUrl: "u", outlineUrl: "o", round: "r", index: () => 0, isWanted: () => false, onItems: () => {}, onStep: () => {}, isStillMe: async () => true,
    ask: async (url) => {
      asked.push(url);
      const only = (url.split("only=")[1] ?? "").split(",").map(Number);
      return { results: only.flatMap((assignment) => server[assignment] ?? []) };
    },
  }, true);
  return { units, store, supply, asked, kept: () => store.getTextsAt(["r:item:000000001"]).then(([one]) => one) };
}

test("a text is kept for working offline as it is stored, never with a decision on its way", async () => {
  const { units, supply, kept } = supplied([outlined(1)], { 101: text(1) });
  await supply.work();
  const [le, we] = units.items[0].units;
  we.row = { ...no, revision: 1 };  // on its way
  le.row = no;
  le.revision = 1;  // stored
  supply.keep(units.items[0]);
  assert.deepEqual((await kept()).types, {});
  we.revision = 1;
  supply.keep(units.items[0]);
  assert.deepEqual([Object.keys((await kept()).types), (await kept()).revisions], [["LE", "WE"], 2]);
});

test("a text that was taken away meanwhile asks nothing, and what was counted of it goes", async () => {
  const { units, supply } = supplied([outlined(1), outlined(2, "n.", 1)], { 101: text(1) });
  assert.deepEqual([units.decided, units.unitsTotal], [1, 4]);
  await supply.work();
  assert.deepEqual([units.items[1].loaded, units.items[1].units, units.byKey.get("102:LE")], [true, [], undefined]);
  assert.deepEqual([units.decided, units.unitsTotal, units.nextOpen(2).key], [0, 2, "101:LE"]);
});

test("a text that is waited for and has no place any more is asked for once", async () => {
  const { units, supply, asked } = supplied([outlined(1), outlined(2)], { 101: text(1) });
  const [, gone] = units.items;
  units.finish(1);
  supply.want(gone);
  await new Promise(setImmediate);
  assert.deepEqual([gone.loaded, asked], [true, ["u?only=102,101"]]);
});
