import { Vector3 } from "three";
import { expect, test } from "vitest";
import { facing } from "./from_geometry";

test("a target at a face has its z axis against the normal, and its x axis along that of the world if it can", () => {
  for (const normal of [new Vector3(0, 0, 1), new Vector3(0, -1, 0), new Vector3(1, 0, 0), new Vector3(1, 2, 3).normalize()]) {
    const pose = facing(new Vector3(1, 2, 3), normal);
    expect(new Vector3().setFromMatrixColumn(pose, 2).dot(normal)).toBeCloseTo(-1, 12);
    expect(new Vector3().setFromMatrixPosition(pose).toArray()).toEqual([1, 2, 3]);
    expect(pose.determinant()).toBeCloseTo(1, 12);
  }
  expect(new Vector3().setFromMatrixColumn(facing(new Vector3(), new Vector3(0, 0, 1)), 0).x).toBeCloseTo(1, 12);
});
