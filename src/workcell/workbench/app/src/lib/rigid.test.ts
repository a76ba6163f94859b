import { Matrix4 } from "three";
import { describe, expect, it } from "vitest";
import { fromPlace, fromRows, fromSeven, placeOf, poseText } from "./rigid";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };

function near(a: Matrix4, b: Matrix4): void {
  a.elements.forEach((value, i) => expect(value).toBeCloseTo(b.elements[i]!, 9));
}

describe("poses", () => {
  it("come back from position and angles", () => {
    for (let k = 0; k < 50; k++) {
      const wpr = [Math.sin(k) * 3, Math.sin(2 * k) * 1.5, Math.cos(3 * k) * 3];
      const pose = fromPlace([k / 10, -k / 7, 0.3], wpr);
      const { xyz, wpr: found } = placeOf(pose);
      near(fromPlace(xyz, found), pose);
    }
  });

  it("turn about x first, then y, then z", () => {
    const pose = fromPlace([0, 0, 0], [Math.PI / 2, 0, Math.PI / 2]);
    near(pose, new Matrix4().makeRotationZ(Math.PI / 2).multiply(new Matrix4().makeRotationX(Math.PI / 2)));
  });

  it("are the same from rows and from seven numbers", () => {
    const half = Math.SQRT1_2;
    near(fromSeven([1, 2, 3, half, 0, 0, half]), fromRows([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]));
  });

  it("are written in the units of the cell", () => {
    expect(poseText(fromPlace([0.5, -0.1, 0.3], [Math.PI, 0, Math.PI / 2]), MM)).toBe("500,-100,300 euler fanuc_wpr 180,0,90");
  });
});
