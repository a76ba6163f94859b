import { OrthographicCamera, PerspectiveCamera } from "three";
import { expect, test } from "vitest";
import { depthOf } from "./near";
import { FIELD } from "./pane";

test("in perspective what is far may be farther from the ray, in a parallel picture it may not", () => {
  expect(depthOf({ camera: new PerspectiveCamera() }, 40)).toBe(40);
  const half = 5 * Math.tan((FIELD * Math.PI) / 360); // as much as a camera shows at 5 m
  const parallel = { camera: new OrthographicCamera(-half, half, half, -half) };
  expect(depthOf(parallel, 40)).toBeCloseTo(5);
  expect(depthOf(parallel, 0.1)).toBeCloseTo(5);
});
