import { Box3, Vector3 } from "three";
import { expect, test } from "vitest";
import { cornersOf, fitted, inReach } from "./fitting";

const box = (...[a, b, c, d, e, f]: number[]) => new Box3(new Vector3(a, b, c), new Vector3(d, e, f));

test("boxes that are empty, endless, nowhere or too far have no corners", () => {
  expect(cornersOf(box(0, 0, 0, 1, 2, 3))).toHaveLength(8);
  for (const wrong of [new Box3(), box(0, 0, 0, Infinity, 1, 1), box(NaN, 0, 0, 1, 1, 1), box(0, 0, NaN, 1, 1, NaN), box(1e300, 0, 0, 1e300, 1, 1), box(-2e6, 0, 0, 1, 1, 1)]) expect(cornersOf(wrong)).toEqual([]);
});

test("points that are in reach are fitted by a finite camera", () => {
  const points = [new Vector3(1e6, 0, 0), new Vector3(0, -1e6, 1e6), new Vector3(1e300, 0, 0), new Vector3(0, NaN, 0)];
  const { target, distance } = fitted(points.filter(inReach), new Vector3(1, -1, 0.8), 30, 1.5, false);
  expect(points.filter(inReach)).toHaveLength(2);
  expect([...target.toArray(), distance].every(Number.isFinite)).toBe(true);
});
