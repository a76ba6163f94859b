import { Box3, Vector3 } from "three";
import { expect, test } from "vitest";
import type { Drawn } from "./drawn";
import { cornersAlong, cornersOf, fitted, inReach } from "./fitting";

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

const body = (id: string) => ({ info: { id }, pieces: [{ box: new Box3(new Vector3(-1, 0, 0), new Vector3(1, 1, 1)) }] }) as unknown as Drawn;

test("a recording covers the boxes of bodies at all their poses, without those that are absent", () => {
  const half = Math.SQRT1_2;
  const poses = [[0, 0, 0, 1, 0, 0, 0], [5, 0, 2, half, 0, half, 0], [0, 0, -9000, 1, 0, 0, 0], [NaN, 0, 0, 1, 0, 0, 0]].map((pose) => Float32Array.from(pose));
  const covered = new Box3().setFromPoints(cornersAlong([body("a"), body("still")], new Map([["a", poses], ["gone", poses]])));
  expect(covered.min.toArray().map((value) => Number(value.toFixed(6)) + 0)).toEqual([-1, 0, 0]);
  expect(covered.max.toArray().map((value) => Number(value.toFixed(6)))).toEqual([6, 1, 3]);
});
