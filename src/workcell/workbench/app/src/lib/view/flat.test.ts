import { expect, test } from "vitest";
import { shapeOfPatch } from "./flat";

const IDENTITY = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
const square = (low: number, high: number): [number, number][] => [[low, low], [high, low], [high, high], [low, high]];

/** The area of the triangles of a shape, whatever way they look. */
function area({ positions, indices }: ReturnType<typeof shapeOfPatch>): number {
  let sum = 0;
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => [...positions.slice(3 * indices[i + k]!, 3 * indices[i + k]! + 3)]) as [number[], number[], number[]];
    const [u, v] = [b, c].map((one) => one.map((value, k) => value - a[k]!)) as [number[], number[]];
    sum += Math.hypot(u[1]! * v[2]! - u[2]! * v[1]!, u[2]! * v[0]! - u[0]! * v[2]!, u[0]! * v[1]! - u[1]! * v[0]!) / 2;
  }
  return sum;
}

test("a surface is filled between its outline and its holes, and every contour is drawn", () => {
  const clockwise = square(1, 2).reverse();
  const shape = shapeOfPatch({ regions: [[square(0, 3), clockwise], [square(5, 6)]], matrix: IDENTITY, colour: [1, 0, 0] });
  expect(area(shape)).toBeCloseTo(9);
  expect(shape.edges.length / 6).toBe(12);
});

test("a surface is where it is in its thing", () => {
  const upright = [[1, 0, 0, 0.5], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]];
  const shape = shapeOfPatch({ regions: [[square(0, 2)]], matrix: upright, colour: [1, 0, 0] });
  expect([...shape.positions.slice(6, 9)]).toEqual([2.5, 0, 2]);
  expect([...shape.normals.slice(0, 3)].map((value) => value + 0)).toEqual([0, -1, 0]);
});
