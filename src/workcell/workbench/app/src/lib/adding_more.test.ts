import { expect, test } from "vitest";
import { MORE, moreLines } from "./adding_more";

const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
const first = (which: string, on = "") => moreLines(which, "a b", MORE[which]!.sizes.map((one) => one.first), [1, 0, MORE[which]!.height ?? 0], on, units);

test("each of the other things is a command in the units of the cell", () => {
  expect(first("target", "my crate")).toEqual(['add target "a b" 1000,0,500 euler fanuc_wpr 180deg,0,0 on "my crate"']);
  expect(first("zone")).toEqual(['add zone "a b" box 500 500 500 at 1000,0,250 rule keep-out']);
  expect(first("conveyor")).toEqual(['add conveyor "a b" 2000 at 1000,0,0']);
  expect(first("positioner")).toEqual(['add positioner "a b" at 1000,0,0']);
  expect(first("light barrier")).toEqual(['add light-barrier "a b" length 1000 at 1000,0,500']);
  expect(first("lamp")).toEqual(['create light "a b"', 'place light:"a b" at 1000,0,2000']);
  expect(first("signal")).toEqual(['create signal "a b"']);
});
