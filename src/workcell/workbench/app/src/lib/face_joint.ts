// An object whose face lies on a face of another: its turn about the normal there, its shift, and the command that sets them.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { UnitNames } from "./protocol";
import { placeOf } from "./rigid";
import { plain, quoted } from "./text";

export interface FaceJoint {
  /** The objects as commands name them, each with its face. */
  child: readonly [thing: string, face: string];
  base: readonly [thing: string, face: string];
  /** Where the child is in the world without turn and shift. */
  home: Matrix4;
  /** The middle and the outward normal of the face of the base, in the world. */
  centre: Vector3;
  normal: Vector3;
}

/** A turn about the normal of the face of the base [rad], and a shift along the axes of the world [m]. */
export interface Adjusted {
  angle: number;
  shift: readonly [number, number, number];
}

/** The turn and the shift of a child at a pose of the world. */
export function adjustedTo({ home, centre, normal }: FaceJoint, pose: Matrix4): Adjusted {
  const motion = pose.clone().multiply(home.clone().invert());
  const { x, y, z, w } = new Quaternion().setFromRotationMatrix(motion);
  const angle = 2 * Math.atan2(normal.x * x + normal.y * y + normal.z * z, w);
  const shift = centre.clone().applyMatrix4(motion).sub(centre);
  return { angle: angle > Math.PI ? angle - 2 * Math.PI : angle <= -Math.PI ? angle + 2 * Math.PI : angle, shift: shift.toArray() };
}

/** The pose of the world to which a turn and a shift bring a child that is at `pose`; how it leans stays. */
export function poseWith(joint: FaceJoint, pose: Matrix4, { angle, shift }: Adjusted): Matrix4 {
  const { centre, normal } = joint;
  const now = adjustedTo(joint, pose);
  const turn = new Matrix4().makeRotationAxis(normal, angle - now.angle);
  const here = centre.clone().add(new Vector3(...now.shift));
  const there = centre.clone().add(new Vector3(...shift));
  return new Matrix4().makeTranslation(there).multiply(turn).multiply(new Matrix4().makeTranslation(here.negate())).multiply(pose);
}

/** The command that attaches the child so that it is at a pose of the world. */
export function attachLine({ child, base, home }: FaceJoint, pose: Matrix4, units: UnitNames): string {
  const { xyz, angles } = placeOf(home.clone().invert().multiply(pose), "fanuc_wpr");
  const turn = angles.map((value) => plain(value / units.angleSize)).join(",");
  const shift = xyz.map((value) => plain(value / units.lengthSize)).join(",");
  const steps = [turn === "0,0,0" ? "" : ` rotate ${turn}`, shift === "0,0,0" ? "" : ` translate ${shift}`];
  const [name, on] = [child, base].map(([thing, face]) => `${thing} ${quoted(face)}`) as [string, string];
  return `face attach ${name} to ${on}${steps.join("")}`;
}
