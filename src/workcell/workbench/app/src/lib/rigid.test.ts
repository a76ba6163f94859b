import { Matrix4 } from "three";
import { describe, expect, it } from "vitest";
import { type Convention, CONVENTIONS, fromPlace, fromRows, fromSeven, placeOf, poseText } from "./rigid";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const ALL = Object.keys(CONVENTIONS) as Convention[];

function near(a: Matrix4, b: Matrix4): void {
  a.elements.forEach((value, i) => expect(value).toBeCloseTo(b.elements[i]!, 9));
}

describe("poses", () => {
  it("come back from position and angles in every convention", () => {
    for (const convention of ALL) {
      for (let k = 0; k < 20; k++) {
        const pose = fromPlace({ xyz: [k / 10, -k / 7, 0.3], angles: [Math.sin(k) * 3, Math.sin(2 * k) * 1.5, Math.cos(3 * k) * 3] }, convention);
        near(fromPlace(placeOf(pose, convention), convention), pose);
      }
    }
  });

  it("keep their turns near a right angle in the middle, where the others are almost about one axis", () => {
    for (const convention of ALL) {
      for (const middle of [89.99, 89.9999, 90, -90, -89.99]) {
        const pose = fromPlace({ xyz: [0, 0, 0], angles: [0.4, (middle * Math.PI) / 180, -0.7] }, convention);
        fromPlace(placeOf(pose, convention), convention).elements.forEach((value, i) => expect(value).toBeCloseTo(pose.elements[i]!, 6));
      }
    }
    const down = fromRows([[0, 0, 1, 1.688], [0, 1, 0, 0], [-1, 0, 0, 2], [0, 0, 0, 1]]);
    const turned = fromSeven([1, 0, 2, Math.SQRT1_2, 0, Math.SQRT1_2, 0]);
    expect(poseText(down, MM, "fanuc_wpr")).toBe("1688,0,2000 euler fanuc_wpr 0,90,0");
    expect(poseText(turned, MM, "fanuc_wpr")).toBe("1000,0,2000 euler fanuc_wpr 0,90,0");
  });

  it("turn as the names say", () => {
    const [a, b, c] = [0.3, -0.5, 0.9];
    const x = (angle: number) => new Matrix4().makeRotationX(angle);
    const y = (angle: number) => new Matrix4().makeRotationY(angle);
    const z = (angle: number) => new Matrix4().makeRotationZ(angle);
    const of = (convention: Convention) => fromPlace({ xyz: [0, 0, 0], angles: [a, b, c] }, convention);
    near(of("fanuc_wpr"), z(c).multiply(y(b)).multiply(x(a)));
    near(of("kuka_abc"), z(a).multiply(y(b)).multiply(x(c)));
    near(of("ding_ypr"), x(a).multiply(y(b)).multiply(z(c)));
  });

  it("are the same from rows and from seven numbers", () => {
    const half = Math.SQRT1_2;
    near(fromSeven([1, 2, 3, half, 0, 0, half]), fromRows([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]));
  });

  it("are written in the units of the cell", () => {
    const pose = fromPlace({ xyz: [0.5, -0.1, 0.3], angles: [Math.PI, 0, Math.PI / 2] }, "fanuc_wpr");
    expect(poseText(pose, MM, "fanuc_wpr")).toBe("500,-100,300 euler fanuc_wpr 180,0,90");
  });
});
