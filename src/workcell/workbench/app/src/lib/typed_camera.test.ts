import { expect, test } from "vitest";
import { typedCamera } from "./typed_camera";
import type { CameraState } from "./views.svelte";

const units = { length: "mm", lengthSize: 0.001, angle: "deg", angleSize: Math.PI / 180 };
const camera: CameraState = { from: [2, 0, 1], at: [0, 0, 1], zoom: 1 };

test("one number of the camera is typed, the others stay", () => {
  expect(typedCamera(camera, { of: "from", axis: 1, value: -3 }, units)).toEqual({ from: [2, -3, 1], at: [0, 0, 1], zoom: 1 });
  expect(typedCamera(camera, { of: "at", axis: 2, value: 0.5 }, units)).toEqual({ from: [2, 0, 1], at: [0, 0, 0.5], zoom: 1 });
  expect(typedCamera(camera, { of: "zoom", value: 2 }, units)).toMatchObject({ zoom: 2 });
  expect(camera).toEqual({ from: [2, 0, 1], at: [0, 0, 1], zoom: 1 });
});

test("a camera that cannot be is refused with the reason", () => {
  expect(typedCamera(camera, { of: "from", axis: 0, value: 0 }, units)).toBe("The eye must be 50 mm to 80000 mm from the target; this would be 0 mm.");
  expect(typedCamera(camera, { of: "at", axis: 0, value: -90 }, units)).toMatch(/^The eye must be/);
  expect(typedCamera(camera, { of: "zoom", value: 0 }, units)).toBe("The zoom must be more than 0.");
});
