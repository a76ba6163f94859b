// Poses as matrices: from the wire, as position and named angles, and as the command language writes them.
import { Euler, Matrix4, Quaternion, Vector3 } from "three";
import type { UnitNames } from "./protocol";
import { plain } from "./text";

/** Three angles with names: R is the product in `order`, and `places[i]` is the number that turns about axis i of it. */
interface Angles {
  names: readonly [string, string, string];
  order: "XYZ" | "ZYX";
  places: readonly [number, number, number];
  meaning: string;
}

/** The conventions of the command language that the page offers, by their names there. */
export const CONVENTIONS = {
  fanuc_wpr: { names: ["W", "P", "R"], order: "ZYX", places: [2, 1, 0], meaning: "Fanuc: Rz(R)·Ry(P)·Rx(W)" },
  kuka_abc: { names: ["A", "B", "C"], order: "ZYX", places: [0, 1, 2], meaning: "KUKA: Rz(A)·Ry(B)·Rx(C)" },
  abb_zyx: { names: ["rz", "ry", "rx"], order: "ZYX", places: [0, 1, 2], meaning: "ABB: Rz·Ry·Rx" },
  yaskawa_xyz: { names: ["Rx", "Ry", "Rz"], order: "ZYX", places: [2, 1, 0], meaning: "Yaskawa: Rz·Ry·Rx" },
  staubli_xyz: { names: ["Rx", "Ry", "Rz"], order: "XYZ", places: [0, 1, 2], meaning: "Stäubli: Rx·Ry·Rz" },
  urdf_rpy: { names: ["roll", "pitch", "yaw"], order: "ZYX", places: [2, 1, 0], meaning: "URDF: Rz(yaw)·Ry(pitch)·Rx(roll)" },
  ding_ypr: { names: ["yaw", "pitch", "roll"], order: "XYZ", places: [0, 1, 2], meaning: "Ding: Rx(yaw)·Ry(pitch)·Rz(roll)" },
} as const satisfies Record<string, Angles>;
export type Convention = keyof typeof CONVENTIONS;

export type Seven = [number, number, number, number, number, number, number];
type Three = [number, number, number];

export interface Place {
  xyz: Three;
  angles: Three;
}

const ONE = new Vector3(1, 1, 1);
/** Where the middle turn is a right angle to so much [rad], the two others are about one axis. */
const LOCKED = 1e-6;

/** A matrix of four rows, as commands return it. */
export function fromRows(rows: readonly (readonly number[])[]): Matrix4 {
  return new Matrix4().fromArray(rows.flat()).transpose();
}

/** A pose of seven numbers: x y z, quaternion w x y z. */
export function fromSeven(pose: ArrayLike<number>): Matrix4 {
  const turn = new Quaternion(pose[4], pose[5], pose[6], pose[3]);
  return new Matrix4().compose(new Vector3(pose[0], pose[1], pose[2]), turn, ONE);
}

/** A pose as seven numbers: x y z, quaternion w x y z. */
export function toSeven(matrix: Matrix4): Seven {
  const [at, turn] = [new Vector3(), new Quaternion()];
  matrix.decompose(at, turn, new Vector3());
  return [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z];
}

/** Whether two poses are the same, to a micrometre. */
export function isAt(a: Matrix4, b: Matrix4): boolean {
  return a.elements.every((value, i) => Math.abs(value - b.elements[i]!) < 1e-6);
}

/** The position [m] and the angles [rad] of a pose. */
export function placeOf(matrix: Matrix4, convention: Convention): Place {
  const { order, places }: Angles = CONVENTIONS[convention];
  const about = turnsOf(matrix, order);
  const angles: Three = [0, 0, 0];
  places.forEach((place, i) => (angles[place] = about[order[i] as "X" | "Y" | "Z"]));
  const at = new Vector3().setFromMatrixPosition(matrix);
  return { xyz: [at.x, at.y, at.z], angles };
}

/** The turns [rad] about the axes in an order; exact up to a right angle, which `Euler` of three is not. */
function turnsOf({ elements }: Matrix4, order: Angles["order"]): Record<"X" | "Y" | "Z", number> {
  const { atan2, hypot } = Math;
  const [xx, yx, zx, , xy, yy, zy, , xz, yz, zz] = elements;
  const across = order === "XYZ" ? hypot(xx, xy) : hypot(xx, yx);
  if (order === "XYZ") {
    const Y = atan2(xz, across);
    return across < LOCKED ? { X: atan2(zy, yy), Y, Z: 0 } : { X: atan2(-yz, zz), Y, Z: atan2(-xy, xx) };
  }
  const Y = atan2(-zx, across);
  return across < LOCKED ? { X: 0, Y, Z: atan2(-xy, yy) } : { X: atan2(zy, zz), Y, Z: atan2(yx, xx) };
}

/** The pose with a position [m] and angles [rad]. */
export function fromPlace({ xyz, angles }: Place, convention: Convention): Matrix4 {
  const { order, places }: Angles = CONVENTIONS[convention];
  const about = { X: 0, Y: 0, Z: 0 };
  places.forEach((place, i) => (about[order[i] as "X" | "Y" | "Z"] = angles[place]!));
  const turn = new Quaternion().setFromEuler(new Euler(about.X, about.Y, about.Z, order));
  return new Matrix4().compose(new Vector3(...xyz), turn, ONE);
}

/** As `poseText`, without angles that are zero. */
export function shortPoseText(matrix: Matrix4, units: UnitNames, convention: Convention): string {
  const text = poseText(matrix, units, convention);
  return text.endsWith(" 0,0,0") ? text.slice(0, text.indexOf(" ")) : text;
}

/** A pose as a command line has it, in the units of the cell. */
export function poseText(matrix: Matrix4, units: UnitNames, convention: Convention): string {
  const { xyz, angles } = placeOf(matrix, convention);
  const lengths = xyz.map((value) => plain(value / units.lengthSize)).join(",");
  return `${lengths} euler ${convention} ${angles.map((value) => plain(value / units.angleSize)).join(",")}`;
}
