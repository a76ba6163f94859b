import { Matrix4, PerspectiveCamera, Vector4 } from "three";
import { expect, test } from "vitest";
import type { Outline } from "./layer";
import { meets, sidesOf, within } from "./taken";

const at = (...numbers: number[]) => new Vector4(numbers[0], numbers[1], numbers[2] ?? 0, numbers[3] ?? 1);
const RECTANGLE = sidesOf(-0.5, 0.5, -0.5, 0.5);

/** A triangle of the plane z = 0. */
const triangle = (...positions: number[]): Outline => ({ id: "t", matrix: new Matrix4(), positions, corners: 3 });

test("a triangle around the rectangle, across it or in it meets it, one beside it does not", () => {
  expect(meets([at(-9, -9), at(9, -9), at(0, 9)], RECTANGLE)).toBe(true);
  expect(meets([at(-2, 0), at(2, 0), at(2, 0.01)], RECTANGLE)).toBe(true);
  expect(meets([at(0, 0), at(0.1, 0), at(0, 0.1)], RECTANGLE)).toBe(true);
  expect(meets([at(0.6, 0), at(2, 0), at(2, 1)], RECTANGLE)).toBe(false);
  expect(meets([at(0.4, 1.2), at(1.2, 0.4), at(2, 2)], RECTANGLE)).toBe(false); // its box does, itself does not
  expect(meets([at(0, 0)], RECTANGLE)).toBe(true);
  expect(meets([at(0.7, 0)], RECTANGLE)).toBe(false);
});

test("what is in it wholly is touched, and what is touched need not be in it", () => {
  const seen = new Matrix4();
  const small = triangle(-0.1, -0.1, 0, 0.1, -0.1, 0, 0, 0.1, 0);
  const large = triangle(-0.1, -0.1, 0, 2, -0.1, 0, 0, 0.1, 0);
  expect([true, false].map((whole) => within(small, seen, RECTANGLE, whole))).toEqual([true, true]);
  expect([true, false].map((whole) => within(large, seen, RECTANGLE, whole))).toEqual([false, true]);
});

test("what is behind the camera is not taken", () => {
  const camera = new PerspectiveCamera(50, 1, 0.1, 100);
  camera.updateMatrixWorld();
  const whole = sidesOf(-1, 1, -1, 1);
  const seen = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  expect(within(triangle(-1, -1, -5, 1, -1, -5, 0, 1, -5), seen, whole, false)).toBe(true);
  expect(within(triangle(-1, -1, 5, 1, -1, 5, 0, 1, 5), seen, whole, false)).toBe(false);
  expect(within(triangle(-1, -1, 5, 1, -1, 5, 0, 0, -5), seen, whole, false)).toBe(true); // one corner before it
  expect(within(triangle(-0.01, 0, -0.05, 0.01, 0, -0.05, 0, 0.01, -0.05), seen, whole, false)).toBe(false); // too near to be drawn
});

test("what a section cuts away does not count", () => {
  const seen = new Matrix4();
  const half = [1, 0, 0, 0] as const; // x above zero is left
  const wide = triangle(-2, 0, 0, 0.1, 0.1, 0, 0.1, -0.1, 0);
  expect(within(wide, seen, RECTANGLE, true)).toBe(false);
  expect(within(wide, seen, RECTANGLE, true, half)).toBe(true);
  const gone = triangle(-0.1, 0, 0, -0.2, 0.1, 0, -0.2, -0.1, 0);
  expect([true, false].map((whole) => within(gone, seen, RECTANGLE, whole, half))).toEqual([false, false]);
});
