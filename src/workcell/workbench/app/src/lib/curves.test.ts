import { expect, test } from "vitest";
import type { Series } from "./commands";
import { curvesOf, placeOf, rangeOf, unitOf, valueAt } from "./curves";
import type { UnitNames } from "./protocol";

const UNITS: UnitNames = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };

const series = (times: number[], values: (number | null)[], unit = "rad"): Series => ({
  robot: "Puma",
  quantity: "position",
  times,
  lines: [{ name: "joint 1", unit, values }],
  text: "",
  pairs: [],
});

test("values are in the units of the cell, also speeds and accelerations", () => {
  expect(unitOf("rad/s", UNITS)[0]).toBe("deg/s");
  expect(unitOf("m/s²", UNITS)).toEqual(["mm/s²", 1000]);
  expect(unitOf("1", UNITS)).toEqual(["1", 1]);
  const { curves } = curvesOf(series([0, 1], [0, Math.PI]), UNITS);
  expect(curves[0]!.unit).toBe("deg");
  expect(curves[0]!.values[1]).toBeCloseTo(180);
});

test("two runs begin together, and each keeps its own points", () => {
  const both = curvesOf(series([5, 6, 7], [0, 1, 2], "1"), UNITS, series([0, 1, 1.5], [0, 10, 20], "1"));
  expect(both.times).toEqual([5, 6, 6.5, 7]);
  expect(both.curves.map((curve) => curve.values)).toEqual([
    [0, 1, undefined, 2],
    [0, 10, 20, undefined],
  ]);
  expect(both.curves.map((curve) => [curve.colour, curve.other])).toEqual([[0, false], [0, true]]);
  expect(valueAt(both.times, both.curves[0]!.values, 6.5)).toBeCloseTo(1.5); // between its own points
  expect(valueAt(both.times, both.curves[1]!.values, 6.75)).toBe(null); // the other run has ended
});

test("a value between two points lies on the line between them", () => {
  const times = [0, 1, 2, 3];
  const values = [0, 10, null, 30];
  expect(valueAt(times, values, 0.25)).toBeCloseTo(2.5);
  expect(valueAt(times, values, 1)).toBe(10);
  expect(valueAt(times, values, 3)).toBe(30);
  for (const time of [-0.1, 1.5, 2, 2.5, 3.1]) expect(valueAt(times, values, time)).toBe(null);
});

test("the place of a time is the same as by looking at every one", () => {
  const times = [0, 0.5, 0.5, 1, 4];
  for (let time = -1; time < 5; time += 0.25) {
    expect(placeOf(times, time)).toBe(times.filter((one) => one <= time).length - 1);
  }
});

test("an axis shows all values, and is never empty", () => {
  const cases: [number | null, number | null, boolean][] = [[null, null, false], [3, 3, false], [0, 0, true], [-2, 5, false], [0.2, 0.9, true], [-1, 1, true]];
  for (const [low, high, fromZero] of cases) {
    const [first, last] = rangeOf(low, high, fromZero);
    expect(last).toBeGreaterThan(first);
    if (low !== null && high !== null) expect([first <= low, last >= high]).toEqual([true, true]);
    if (fromZero) expect(first).toBeLessThanOrEqual(0);
  }
});
