import { expect, test } from "vitest";
import type { PatternAsked, PatternKind } from "./making.svelte";
import { fieldsOf, patternLine, stepFor, type Values } from "./target_patterns";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const asked = (kind: PatternKind, flat = true): PatternAsked => ({ kind, id: "o1", faces: ["left", "top"], step: 0.05, flat, first: [0.1, 0, 0.2, 0, 1, 0, 0] });
const WORDS = { thing: "object:crate", carrier: "object:crate", path: "my seam", faces: ["left", "cut 1"] };

/** The line with the first values of the fields, and some others. */
function line(kind: PatternKind, others: Values = {}, words: Partial<typeof WORDS> = {}): string {
  const first = Object.fromEntries(fieldsOf(asked(kind)).map((field) => [field.id, field.first]));
  return patternLine(kind, { ...WORDS, ...words }, { ...first, ...others }, MM, "fanuc_wpr");
}

test("the first values of a card make a line without what the command takes by itself", () => {
  expect(line("along-edge")).toBe('targets along-edge object:crate left "cut 1" to "my seam" spacing 50');
  expect(line("over-face", {}, { faces: ["top"] })).toBe('targets over-face object:crate top to "my seam" rows 100 spacing 50');
  expect(line("along-curve", {}, { thing: "curve:arch", carrier: "" })).toBe('targets along-curve "my seam" normal 0,0,1 of curve:arch spacing 50');
  expect(line("grid")).toBe('targets grid 3x3 to "my seam" pitch 50,50 on object:crate at 100,0,200 euler fanuc_wpr 180,0,0');
  expect(line("mirror", {}, { thing: "path:spots" })).toBe('targets mirror path:spots to "my seam" across 1,0,0');
});

test("every value of a card is in its line, in the units of the cell", () => {
  const right = Math.PI / 2;
  const edge = { spacing: 0.02, gap: 0.001, approach: "second", even: true, backward: true, start: 0.01, end: 0.02, tilt: right, side: -right, roll: right / 9, edge: 2 };
  expect(line("along-edge", edge)).toMatch(/ spacing 20 start 10 end 20 edge 2 approach second tilt 90 side -90 roll 10 gap 1 --even --backward$/);
  expect(line("along-edge", { at: "0, 100, 250", gaps: "1, 2", gap: 0.005 })).toMatch(/ at 0,100,250 gaps 1,2$/);
  expect(line("over-face", { margin: 0.01, angle: right, retract: 0.05, gap: 0.2, "one-way": true })).toMatch(/ margin 10 angle 90 retract 50 gap 200 --one-way$/);
  expect(line("over-face", { along: "v" })).toMatch(/ along v$/);
  expect(line("grid", { size: [4, 3, 2], pitch: [0.1, -0.1, 0.2], link: 0, stagger: 0.05, "layer-turn": 2 * right, zigzag: true }, { carrier: "robot:Puma" })).toMatch(
    /^targets grid 4x3x2 .* pitch 100,-100,200 on robot:Puma link 0 at .* stagger 50 layer-turn 180 --zigzag$/,
  );
  expect(line("grid", { link: 3 }, { carrier: "" })).not.toMatch(/ on | link /);
  expect(line("mirror", { through: [0.6, 0, 0] })).toMatch(/ through 600,0,0$/);
});

test("a curved face has rows around it or along it, a flat one rows at an angle", () => {
  const ids = (flat: boolean) => fieldsOf(asked("over-face", flat)).map((field) => field.id);
  expect(ids(true)).toContain("angle");
  expect(ids(true)).not.toContain("along");
  expect(ids(false)).toContain("along");
  expect(ids(false)).not.toContain("angle");
});

test("a first step is round, and about a sixth of the whole", () => {
  expect([0.4, 1.1, 0.06, 3, 0].map(stepFor)).toEqual([0.05, 0.1, 0.01, 0.5, 0.1]);
});
