// Poses as matrices: from the wire, and as the command language writes them.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { UnitNames } from "./protocol";
import { plain, zyx } from "./text";

const ONE = new Vector3(1, 1, 1);

/** A matrix of four rows, as commands return it. */
export function fromRows(rows: readonly (readonly number[])[]): Matrix4 {
  return new Matrix4().fromArray(rows.flat()).transpose();
}

/** A pose of seven numbers: x y z, quaternion w x y z. */
export function fromSeven(pose: ArrayLike<number>): Matrix4 {
  const turn = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
  return new Matrix4().compose(new Vector3(pose[0], pose[1], pose[2]), turn, ONE);
}

/** Position [m] and the angles W, P, R [rad] of a pose: R = Rz(R)·Ry(P)·Rx(W). */
export function placeOf(matrix: Matrix4): { xyz: [number, number, number]; wpr: [number, number, number] } {
  const [position, turn] = [new Vector3(), new Quaternion()];
  matrix.decompose(position, turn, new Vector3());
  const [r, p, w] = zyx(turn.w, turn.x, turn.y, turn.z);
  return { xyz: [position.x, position.y, position.z], wpr: [w, p, r] };
}

/** The pose with a position [m] and angles W, P, R [rad]. */
export function fromPlace(xyz: readonly number[], wpr: readonly number[]): Matrix4 {
  const about = (axis: Vector3, angle: number) => new Quaternion().setFromAxisAngle(axis, angle);
  const turn = about(new Vector3(0, 0, 1), wpr[2]!)
    .multiply(about(new Vector3(0, 1, 0), wpr[1]!))
    .multiply(about(new Vector3(1, 0, 0), wpr[0]!));
  return new Matrix4().compose(new Vector3(xyz[0], xyz[1], xyz[2]), turn, ONE);
}

/** A pose as a command line has it, in the units of the cell. */
export function poseText(matrix: Matrix4, units: UnitNames): string {
  const { xyz, wpr } = placeOf(matrix);
  const lengths = xyz.map((value) => plain(value / units.lengthSize)).join(",");
  const angles = wpr.map((value) => plain(value / units.angleSize)).join(",");
  return `${lengths} euler fanuc_wpr ${angles}`;
}
