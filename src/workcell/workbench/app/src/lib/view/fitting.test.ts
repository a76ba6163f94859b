import { Box3, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
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

for (const parallel of [false, true]) {
  test(`points fill what tools and cards leave of the picture, ${parallel ? "in parallel" : "in perspective"}`, () => {
    const points = cornersOf(box(-1, -2, 0, 1, 2, 1.5));
    const way = new Vector3(1, -1.25, 0.78).normalize();
    const [left, right, top, bottom] = [0.1, 0.2, 0.15, 0.05];
    const { target, distance } = fitted(points, way, 30, 1.5, parallel, { left, right, top, bottom });
    const half = distance * Math.tan(Math.PI / 12);
    const camera = parallel ? new OrthographicCamera(-1.5 * half, 1.5 * half, half, -half, -100, 100) : new PerspectiveCamera(30, 1.5);
    camera.up.set(0, 0, 1);
    camera.position.copy(target).addScaledVector(way, distance);
    camera.lookAt(target);
    camera.updateMatrixWorld();
    const seen = new Box3().setFromPoints(points.map((point) => point.project(camera)));
    const free = [-1 + 2 * left, 1 - 2 * right, -1 + 2 * bottom, 1 - 2 * top];
    const gaps = [seen.min.x - free[0]!, free[1]! - seen.max.x, seen.min.y - free[2]!, free[3]! - seen.max.y];
    for (const gap of gaps) expect(gap).toBeGreaterThan(0.05);
    expect(gaps[0]).toBeCloseTo(gaps[1]!, parallel ? 6 : 1);
    expect(Math.min(...gaps)).toBeLessThan(0.08);
  });
}

const body = (id: string) => ({ info: { id }, pieces: [{ box: new Box3(new Vector3(-1, 0, 0), new Vector3(1, 1, 1)) }] }) as unknown as Drawn;

test("a recording covers the boxes of bodies at all their poses, without those that are absent", () => {
  const half = Math.SQRT1_2;
  const poses = [[0, 0, 0, 1, 0, 0, 0], [5, 0, 2, half, 0, half, 0], [0, 0, -9000, 1, 0, 0, 0], [NaN, 0, 0, 1, 0, 0, 0]].map((pose) => Float32Array.from(pose));
  const covered = new Box3().setFromPoints(cornersAlong([body("a"), body("still")], new Map([["a", poses], ["gone", poses]])));
  expect(covered.min.toArray().map((value) => Number(value.toFixed(6)) + 0)).toEqual([-1, 0, 0]);
  expect(covered.max.toArray().map((value) => Number(value.toFixed(6)))).toEqual([6, 1, 3]);
});
