import { Matrix4, Vector3 } from "three";
import { expect, test } from "vitest";
import { adjustedTo, attachLine, type FaceJoint, poseWith } from "./face_joint";
import type { UnitNames } from "./protocol";

const JOINT: FaceJoint = {
  child: ["peg", "bottom"],
  base: ["crate", "top"],
  home: new Matrix4().makeTranslation(1, 2, 0.5).multiply(new Matrix4().makeRotationX(1)),
  centre: new Vector3(1, 2, 0.4),
  normal: new Vector3(0, 0, 1),
};
const MM = { lengthSize: 0.001, angleSize: Math.PI / 180 } as UnitNames;

test("a turn and a shift are found again in the pose that they make", () => {
  const pose = poseWith(JOINT, JOINT.home, { angle: -0.7, shift: [0.1, -0.2, 0.3] });
  const { angle, shift } = adjustedTo(JOINT, pose);
  expect(angle).toBeCloseTo(-0.7);
  [0.1, -0.2, 0.3].forEach((value, i) => expect(shift[i]).toBeCloseTo(value));
  const half = adjustedTo(JOINT, poseWith(JOINT, pose, { angle: 3, shift: [0, 0, 0] }));
  expect(half.angle).toBeCloseTo(3);
  expect(half.shift.map((value) => Math.abs(value) < 1e-9)).toEqual([true, true, true]);
});

test("an object that leans keeps its lean when it is turned", () => {
  const leaning = JOINT.home.clone().multiply(new Matrix4().makeRotationX(0.3));
  const turned = poseWith(JOINT, leaning, { ...adjustedTo(JOINT, leaning), angle: 0.5 });
  const up = (pose: Matrix4) => new Vector3(0, 0, 1).transformDirection(pose).z;
  expect(up(turned)).toBeCloseTo(up(leaning));
  expect(adjustedTo(JOINT, turned).angle).toBeCloseTo(0.5);
});

test("the command has the turn and the shift in the units of the cell", () => {
  expect(attachLine(JOINT, JOINT.home, MM)).toBe("face attach peg bottom to crate top");
  const flat = { ...JOINT, home: new Matrix4().makeTranslation(1, 2, 0.4) };
  const pose = poseWith(flat, flat.home, { angle: Math.PI / 2, shift: [0.05, 0, 0] });
  expect(attachLine(flat, pose, MM)).toBe("face attach peg bottom to crate top rotate 0,0,90 translate 50,0,0");
});
