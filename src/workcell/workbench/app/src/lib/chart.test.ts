import { expect, test } from "vitest";
import { barAt, stepsOf } from "./chart";

const bar = (begin: number, end: number, text: string) => ({ begin, end, text, colour: "#000", waits: false });

test("a time is in at most one bar; where two meet, in the later one", () => {
  const row = { label: "Puma", robot: true, bars: [bar(0, 1, "a"), bar(1, 2, "b"), bar(3, 4, "c")], curve: [] as [number, number][] };
  expect([0, 0.5, 1, 2.5, 4, 5].map((time) => barAt(row, time)?.text)).toEqual(["a", "a", "b", undefined, "c", undefined]);
});

test("the values of a sensor are steps that hold to the end", () => {
  expect(stepsOf([[10, 0], [15, 1]], 10, 20)).toBe("0,95 50,95 50,5 100,5");
  expect(stepsOf([[10, 2]], 10, 20)).toBe("0,95 100,95"); // a value that never changes
});
