// What is drawn in the view by points: curves, patches and walls. Points are in the world [m].
import { Matrix4, Vector3 } from "three";
import type { UnitNames } from "./protocol";
import { type Convention, shortPoseText } from "./rigid";
import { plain, quoted } from "./text";

export type Point = readonly [number, number, number];

function pointsText(points: readonly Point[], { lengthSize }: UnitNames): string {
  return points.map((point) => `(${point.map((value) => plain(value / lengthSize)).join(",")})`).join(" ");
}

/** The line that makes a curve through points, or by control points; "" without two points. */
export function curveLine(name: string, points: readonly Point[], how: "through" | "control", units: UnitNames): string {
  const [first] = points;
  return points.every((point) => point.every((value, i) => value === first?.[i])) ? "" : `create curve ${quoted(name)} ${how} ${pointsText(points, units)}`;
}

/**
 * The control points of a flat patch over a rectangle, row by row; none if its sides are not both longer than zero.
 *
 * @param corners two opposite corners; the second one is brought into the plane of the first.
 * @param normal of the plane.
 * @param counts of control points, along the first side and along the second.
 */
export function patchRows(corners: readonly Point[], normal: Point, counts: readonly [number, number]): Point[][] {
  if (corners.length < 2) return [];
  const n = new Vector3(...normal).normalize();
  const u = new Vector3(...(Math.abs(n.x) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
  u.addScaledVector(n, -u.dot(n)).normalize();
  const v = n.clone().cross(u);
  const from = new Vector3(...corners[0]!);
  const across = new Vector3(...corners[1]!).sub(from);
  const [wide, high] = [across.dot(u), across.dot(v)];
  if (Math.min(Math.abs(wide), Math.abs(high)) < 1e-6) return [];
  return Array.from({ length: counts[0] }, (_, i) =>
    Array.from({ length: counts[1] }, (_, k) => {
      const at = from.clone().addScaledVector(u, (wide * i) / (counts[0] - 1)).addScaledVector(v, (high * k) / (counts[1] - 1));
      return at.toArray();
    }),
  );
}

/** The line that makes a patch by rows of control points; "" without any. */
export function patchLine(name: string, rows: readonly (readonly Point[])[], units: UnitNames): string {
  return rows.length < 2 ? "" : `create patch ${quoted(name)} ${rows.map((row) => pointsText(row, units)).join(" row ")}`;
}

/** A wall: a box that stands on a line. */
export interface Wall {
  length: number;
  thickness: number;
  height: number;
  pose: Matrix4;
}

/** The wall on a line, at the height of its first end; undefined without two points, or if they are the same in plan. */
export function wallOn(ends: readonly Point[], thickness: number, height: number): Wall | undefined {
  const [from, to] = ends;
  if (!from || !to) return undefined;
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(x, y);
  if (length < 1e-6 || thickness <= 0 || height <= 0) return undefined;
  const pose = new Matrix4().makeRotationZ(Math.atan2(y, x)).setPosition(from[0] + x / 2, from[1] + y / 2, from[2] + height / 2);
  return { length, thickness, height, pose };
}

/** The line that adds a wall: `as` a zone with a rule, or a solid. */
export function wallLine(name: string, wall: Wall, as: string, units: UnitNames, convention: Convention): string {
  const sizes = [wall.length, wall.thickness, wall.height].map((value) => plain(value / units.lengthSize)).join(" ");
  const what = `${quoted(name)} box ${sizes} at ${shortPoseText(wall.pose, units, convention)}`;
  return as === "solid" ? `add solid ${what}` : `add zone ${what} rule ${as}`;
}

/** The edges of a wall, as lines of points. */
export function wallEdges({ length, thickness, height, pose }: Wall): number[][][] {
  const corner = (x: number, y: number, z: number) => new Vector3((x * length) / 2, (y * thickness) / 2, (z * height) / 2).applyMatrix4(pose).toArray();
  const ring = (z: number) => [corner(-1, -1, z), corner(1, -1, z), corner(1, 1, z), corner(-1, 1, z), corner(-1, -1, z)];
  const [low, high] = [ring(-1), ring(1)];
  return [low, high, ...low.slice(0, 4).map((foot, i) => [foot, high[i]!])];
}
