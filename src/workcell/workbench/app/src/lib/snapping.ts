// Snapping of a dragged thing: to steps of a grid and of angles, and to what is under the pointer.
import { Matrix4, Quaternion, Vector3 } from "three";

/** What the pointer is on, beside the dragged thing itself; all in the world [m]. */
export interface Under {
  kind: "face" | "edge" | "corner" | "floor";
  point: Vector3;
  /** The outward normal of the surface. */
  normal: Vector3;
}

/** A flat face of the dragged thing, in the world where the drag began. */
export interface Flat {
  centre: Vector3;
  normal: Vector3;
}

/** A drag: from where, along which axes (letters of `XYZ`), whose axes, and what the thing has to snap with. */
export interface Drag {
  start: Matrix4;
  axis: string;
  own: boolean;
  flats: readonly Flat[];
  /** From the origin of the thing, how far it extends along a direction, at its start: least and greatest [m]. */
  extent: (direction: Vector3) => readonly [number, number];
}

export interface Steps {
  length: number;
  angle: number;
}

/** A snapped pose, and what it was snapped to: a point that is shown. */
export interface Snapped {
  pose: Matrix4;
  caught?: { kind: Under["kind"]; point: Vector3 };
}

/** What a target lays onto a surface: the tip of the tool, whose z axis then points into the surface. */
export function tipOf(pose: Matrix4): Flat {
  return { centre: new Vector3().setFromMatrixPosition(pose), normal: new Vector3().setFromMatrixColumn(pose, 2) };
}

const PARALLEL = 0.9995;
const FINEST = 1e-6; // of a metre, and of the length of a normal: the shapes that are picked are no finer
const REACH = 2; // steps that an axis is dragged away to meet what is under the pointer

/** The axes of a drag in the world, one for each letter. */
export function axesOf({ start, axis, own }: Drag): Vector3[] {
  const turn = new Quaternion().setFromRotationMatrix(start);
  return ["X", "Y", "Z"].flatMap((letter, place) => {
    if (!axis.includes(letter)) return [];
    const unit = new Vector3().setComponent(place, 1);
    return [own && axis !== "XYZ" ? unit.applyQuaternion(turn) : unit];
  });
}

export const rounded = (value: number, step: number) => (step > 0 ? Math.round(value / step) * step : value);
const originOf = (pose: Matrix4) => new Vector3().setFromMatrixPosition(pose);

/** A moved pose without the noise of the shapes that were picked: whole micrometres, and what did not move stays exact. */
export function toMicrometres(pose: Matrix4, start: Matrix4): Matrix4 {
  const [at, from] = [originOf(pose).toArray(), originOf(start).toArray()];
  const clean = at.map((value, i) => (Math.abs(value - from[i]!) < FINEST / 2 ? from[i]! : rounded(value, FINEST)));
  return pose.clone().setPosition(clean[0]!, clean[1]!, clean[2]!);
}

/** A normal that is exact where it is along an axis of the world. */
function cleaned(normal: Vector3): Vector3 {
  const [x, y, z] = normal.toArray().map((part) => (Math.abs(part) < FINEST ? 0 : part)) as [number, number, number];
  return new Vector3(x, y, z).normalize();
}

/** A moved pose, snapped: onto what is under the pointer, otherwise to the grid. */
export function snapMove(drag: Drag, raw: Matrix4, under: Under | undefined, steps: Steps): Snapped {
  if (drag.axis === "XYZ" && under) return ontoSurface(drag, under, steps);
  const axes = axesOf(drag);
  if (under && under.kind !== "floor" && axes.length === 1) {
    const met = alongAxis(drag, raw, axes[0]!, under, steps);
    if (met) return met;
  }
  const at = originOf(raw);
  const from = drag.own && drag.axis !== "XYZ" ? originOf(drag.start) : new Vector3();
  for (const axis of axes) {
    const far = at.clone().sub(from).dot(axis);
    at.addScaledVector(axis, rounded(far, steps.length) - far);
  }
  return { pose: raw.clone().setPosition(at) };
}

/** Along one axis: the side or the origin of the thing meets the level of what is under the pointer, if it is near. */
function alongAxis(drag: Drag, raw: Matrix4, axis: Vector3, under: Under, steps: Steps): Snapped | undefined {
  const facing = under.normal.dot(axis);
  if (under.kind === "face" && Math.abs(facing) < PARALLEL) return undefined;
  const at = originOf(raw);
  const gap = under.point.clone().sub(at).dot(axis);
  const [least, greatest] = drag.extent(axis);
  const sides = under.kind === "face" ? [facing > 0 ? least : greatest] : [least, greatest, 0];
  const shift = sides.map((side) => gap - side).reduce((a, b) => (Math.abs(b) < Math.abs(a) ? b : a));
  if (Math.abs(shift) > Math.max(REACH * steps.length, 0.1 * (greatest - least))) return undefined;
  return { pose: raw.clone().setPosition(at.addScaledVector(axis, shift)), caught: { kind: under.kind, point: under.point } };
}

/** The face of the thing that looks most towards a surface is turned onto it, with its centre at the point under the pointer. */
function ontoSurface(drag: Drag, under: Under, steps: Steps): Snapped {
  const down = cleaned(under.normal).negate();
  const face = drag.flats.reduce<Flat | undefined>((best, one) => (best && best.normal.dot(down) >= one.normal.dot(down) ? best : one), undefined);
  const turn = new Quaternion();
  const contact = originOf(drag.start);
  if (face) {
    turn.setFromUnitVectors(cleaned(face.normal), down);
    if (turn.angleTo(new Quaternion()) < 2 * FINEST) turn.identity(); // it lies flat already
    contact.copy(face.centre);
  } else contact.addScaledVector(under.normal, drag.extent(under.normal)[0]);
  const origin = originOf(drag.start).sub(contact).applyQuaternion(turn).add(under.point);
  if (under.kind === "face" || under.kind === "floor") alignToGrid(origin, under.normal, steps.length);
  const pose = new Matrix4().makeRotationFromQuaternion(turn).multiply(drag.start).setPosition(origin);
  return { pose, caught: { kind: under.kind, point: under.point } };
}

/** Round the coordinates that lie in a surface whose normal is along an axis of the world. */
export function alignToGrid(point: Vector3, normal: Vector3, step: number): void {
  const parts = normal.toArray();
  const up = parts.findIndex((part) => Math.abs(part) > PARALLEL);
  if (up < 0) return;
  for (let i = 0; i < 3; i += 1) if (i !== up) point.setComponent(i, rounded(point.getComponent(i), step));
}

/** A turned pose, snapped to steps of the angle. */
export function snapTurn({ start, axis }: Drag, raw: Matrix4, steps: Steps): Snapped {
  const [way, angle] = turned(start, raw);
  if (axis === "XYZE" || angle === 0) return { pose: raw };
  return { pose: turnedBy(start, way, rounded(angle, steps.angle)) };
}

/** The axis in the world and the angle [rad] from one pose to another. */
export function turned(from: Matrix4, to: Matrix4): [Vector3, number] {
  const [a, b] = [from, to].map((pose) => new Quaternion().setFromRotationMatrix(pose)) as [Quaternion, Quaternion];
  const by = b.multiply(a.invert());
  if (by.w < 0) by.set(-by.x, -by.y, -by.z, -by.w);
  const axis = new Vector3(by.x, by.y, by.z);
  const sine = axis.length();
  return sine < 1e-9 ? [new Vector3(0, 0, 1), 0] : [axis.divideScalar(sine), 2 * Math.atan2(sine, by.w)];
}

/** A pose turned about its own origin, about an axis of the world. */
export function turnedBy(pose: Matrix4, axis: Vector3, angle: number): Matrix4 {
  return new Matrix4().makeRotationAxis(axis, angle).multiply(pose).setPosition(originOf(pose));
}
