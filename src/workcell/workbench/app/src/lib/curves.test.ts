import { expect, test } from "vitest";
import type { Series } from "./commands";
import { curvesOf, momentOf, rangeOf, unitOf } from "./curves";
import type { UnitNames } from "./protocol";

const UNITS: UnitNames = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };

const series = (times: number[], values: (number | null)[], unit = "rad"): Series => ({
  robot: "Puma",
  quantity: "position",
  times,
  lines: [{ name: "joint 1", unit, values }],
  text: "",
  pairs: [],
  start: times[0]!,
  end: times.at(-1)!,
  sampled: false,
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
  expect(both.whole).toEqual([5, 7]);
});

test("parts of two runs are drawn where they are in their runs", () => {
  const both = curvesOf({ ...series([6, 7], [1, 2], "1"), start: 5 }, UNITS, { ...series([11.5, 12], [1, 2], "1"), start: 10, end: 14 });
  expect(both.times).toEqual([6, 6.5, 7]);
  expect(both.whole).toEqual([5, 9]);
});

test("the values at a moment are those of the server, in the units of the cell", () => {
  const moment = momentOf({ ...series([2], [Math.PI / 2]), pairs: [["a", "b"]] }, UNITS);
  expect([moment.time, moment.pair]).toEqual([2, ["a", "b"]]);
  expect(moment.values.get("joint 1")).toBeCloseTo(90, 9);
  expect(momentOf(series([2], [null]), UNITS).values.get("joint 1")).toBe(null);
});

test("curves that may have extremes between their points say how many these are", () => {
  expect(curvesOf(series([0, 1], [0, 1]), UNITS).samples).toBe(0);
  expect(curvesOf({ ...series([0, 1], [0, 1]), sampled: true }, UNITS).samples).toBe(2);
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
