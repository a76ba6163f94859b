import { expect, it } from "vitest";
import { curvePoint, type Form, linesOf, patchPoint, withControl } from "./nurbs";

const half = Math.SQRT1_2;
/** A quarter of a circle of radius 2 about z, exact as a rational curve of degree 2. */
const quarter: Form = { control: [[[2, 0, 0], [2, 2, 0], [0, 2, 0]]], weights: [[1, half, 1]], knots: [[0, 0, 0, 1, 1, 1]], degrees: [2] };

it("has every point of a rational arc on its circle", () => {
  for (const [x, y, z] of linesOf(quarter)[0]!) {
    expect(Math.hypot(x, y)).toBeCloseTo(2, 12);
    expect(z).toBe(0);
  }
  expect(curvePoint(quarter, 0)).toEqual([2, 0, 0]);
  expect(curvePoint(quarter, 1)[1]).toBeCloseTo(2, 12);
});

it("goes through its ends and stays on one side of an inner point that is dragged", () => {
  const moved = withControl(quarter, 0, 1, [2, 2, 1]);
  expect(curvePoint(moved, 1)).toEqual(curvePoint(quarter, 1));
  expect(curvePoint(moved, 0.5)[2]).toBeCloseTo((half * 0.5) / (0.5 + half * 0.5), 12); // its share of the weights
});

it("is bilinear for degree one in both directions", () => {
  const patch: Form = { control: [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1, 4]]], weights: [[1, 1], [1, 1]], knots: [[0, 0, 1, 1], [0, 0, 1, 1]], degrees: [1, 1] };
  expect(patchPoint(patch, 0.5, 0.25)).toEqual([0.5, 0.25, 0.5]);
  expect(linesOf(patch)).toHaveLength(10);
});
