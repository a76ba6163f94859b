import { expect, test } from "vitest";
import { decided, decisionOf, lineFor } from "./pairs";

test("a decision is one command, with its reason", () => {
  expect(lineFor("allow", "Puma/link6", "my box", 'it "lies" there')).toBe('allow Puma/link6 with "my box" because "it %22lies%22 there"');
  expect(lineFor("test", "a", "b", "")).toBe("test a with b");
  expect(lineFor("ignore body", "my box", "", "")).toBe('ignore body "my box"');
});

test("each row of the pair table is taken back by its own command, or confirmed", () => {
  const rows = decided([
    ["allowed", "a", "my b", "rests"],
    ["tested", "a", "b", ""],
    ["margin", "a", "b", "20 mm"],
    ["not used", "a b", "", ""],
    ["not against itself", "Puma", "", ""],
    ["not tested", "Puma/link1", "Puma/link3", "drawn"],
    ["proposed", "a", "b", "touch"],
    ["something new", "a", "b", ""],
  ]);
  expect(rows.map((row) => decisionOf(row)?.line)).toEqual([
    'forget a with "my b"',
    "forget a with b",
    "forget a with b",
    'use body "a b"',
    "test-self Puma yes",
    "test Puma/link1 with Puma/link3",
    'allow a with b because "they touch in the initial state"',
    undefined,
  ]);
  expect(rows.map((row) => decisionOf(row)?.back ?? false)).toEqual([true, true, true, true, true, false, false, false]);
});
