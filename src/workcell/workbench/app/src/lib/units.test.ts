import { describe, expect, test } from "vitest";
import { ANGLES, LENGTHS } from "./protocol";
import { numberIn, plain } from "./text";
import { after, decimals } from "./units";

describe("units", () => {
  test("decimals follow from the size of the unit", () => {
    expect(Object.fromEntries(Object.keys(LENGTHS).map((unit) => [unit, decimals(unit)]))).toEqual({ mm: 3, cm: 4, m: 6, um: 0, inch: 5, ft: 6 });
    expect(Object.fromEntries(Object.keys(ANGLES).map((unit) => [unit, decimals(unit)]))).toEqual({ deg: 3, rad: 5, turn: 6 });
    expect(["mm", "m", "um", "°", "in"].map((unit) => decimals(unit, 2))).toEqual([1, 4, 0, 1, 3]);
    expect([decimals(""), decimals("kg")]).toEqual([3, 3]);
  });

  test("what is shown in any unit is the value to a micrometre or a thousandth of a degree", () => {
    for (const [unit, size] of Object.entries(LENGTHS)) expect(Math.abs(Number(plain(0.33333337 / size, decimals(unit))) * size - 0.33333337)).toBeLessThanOrEqual(5.001e-7);
    for (const [unit, size] of Object.entries(ANGLES)) expect(Math.abs(Number(plain(0.1745329 / size, decimals(unit))) * size - 0.1745329)).toBeLessThanOrEqual(8.73e-6);
  });

  test("every unit of the engine may be typed, and others that mean the same", () => {
    expect(["10cm", "2in", "2 inch", "2ft", "25400um", "25400 µm", "1", "0,5 inch"].map((text) => numberIn(text, "inch"))).toEqual([3.93700787402, 2, 2, 24, 1, 1, 1, 0.5]);
    expect(["90deg", "90°", "0.25turn", "1 turn"].map((text) => numberIn(text, "turn"))).toEqual([0.25, 0.25, 0.25, 1]);
    expect(numberIn("0.5 turn", "°")).toBe(180);
    for (const [text, unit] of [["1turn", "inch"], ["2ft", "deg"], ["2ft", "kg"], ["5min", "inch"]]) expect(numberIn(text!, unit!)).toBeNaN();
  });

  test("a unit stands behind its number", () => {
    expect(["deg", "rad", "turn", "mm"].map(after)).toEqual(["°", " rad", " turn", " mm"]);
  });
});
