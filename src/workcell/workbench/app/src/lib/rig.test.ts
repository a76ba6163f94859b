import { Vector3 } from "three";
import { describe, expect, it } from "vitest";
import type { JointFrames } from "./commands";
import { Rig } from "./rig";

/** A planar arm with links of 2 and 1 m, asked for when it was stretched along x, and a slide along z behind it. */
const ARM: JointFrames = {
  robot: "Arm",
  joints: [0, 0, 0.5],
  poses: [
    [0, 0, 0, 1, 0, 0, 0],
    [2, 0, 0, 1, 0, 0, 0],
    [3, 0, 0, 1, 0, 0, 0],
    [3, 0, 0.5, 1, 0, 0, 0],
  ],
  riders: [
    { body: "Arm.base", frame: 0, pose: [0, 0, 0, 1, 0, 0, 0] },
    { body: "Arm.upper", frame: 1, pose: [2, 0, 0, 1, 0, 0, 0] },
    { body: "Arm.lower", frame: 2, pose: [3, 0, 0, 1, 0, 0, 0] },
    { body: "part", frame: 3, pose: [3, 0.1, 0.5, 1, 0, 0, 0] },
    { body: "gone", frame: 3, pose: [0, 0, 0, 1, 0, 0, 0] },
  ],
  text: "",
};
const rig = new Rig(ARM, [false, false, true], new Map([["Arm.base", "b"], ["Arm.upper", "u"], ["Arm.lower", "l"], ["part", "p"]]));

function at(joints: number[], id: string): number[] {
  return new Vector3().setFromMatrixPosition(rig.posesAt(joints).get(id)!).toArray();
}

describe("a rig", () => {
  it("has its bodies where a planar arm has them", () => {
    for (const [a, b, z] of [[0, 0, 0.5], [0.7, -1.1, 0.2], [-2.5, 2, 1]] as const) {
      const elbow = [2 * Math.cos(a), 2 * Math.sin(a)];
      const hand = [elbow[0]! + Math.cos(a + b), elbow[1]! + Math.sin(a + b)];
      const part = [hand[0]! - 0.1 * Math.sin(a + b), hand[1]! + 0.1 * Math.cos(a + b), z];
      at([a, b, z], "b").forEach((value) => expect(value).toBeCloseTo(0, 12));
      [...elbow, 0].forEach((value, i) => expect(at([a, b, z], "u")[i]).toBeCloseTo(value, 12));
      [...hand, 0].forEach((value, i) => expect(at([a, b, z], "l")[i]).toBeCloseTo(value, 12));
      part.forEach((value, i) => expect(at([a, b, z], "p")[i]).toBeCloseTo(value, 12));
    }
  });

  it("leaves bodies out that are not in the picture", () => {
    expect([...rig.posesAt([0, 0, 0]).keys()]).toEqual(["b", "u", "l", "p"]);
  });

  it("agrees with its own places, and with no others", () => {
    const poses = rig.posesAt([0.3, 0.4, 0.1]);
    expect(rig.agrees([0.3, 0.4, 0.1], poses)).toBe(true);
    expect(rig.agrees([0.3, 0.4, 0.11], poses)).toBe(false);
    poses.delete("p");
    expect(rig.agrees([0.3, 0.4, 0.1], poses)).toBe(false);
  });
});
