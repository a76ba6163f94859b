// The plane of a sketch in the world: parallel to one of the world, or on a face.
import { Matrix4, Vector3 } from "three";

export const PLANES = {
  xy: { label: "xy, from above", x: [1, 0, 0], y: [0, 1, 0] },
  xz: { label: "xz, from the front", x: [1, 0, 0], y: [0, 0, 1] },
  yz: { label: "yz, from the right", x: [0, 1, 0], y: [0, 0, 1] },
} as const;
export type PlaneName = keyof typeof PLANES;

/** The frame of a plane that is parallel to one of the world, with its origin at a place [m]. */
export function worldPlane(name: PlaneName, origin: readonly number[]): Matrix4 {
  const [x, y] = [new Vector3(...PLANES[name].x), new Vector3(...PLANES[name].y)];
  return new Matrix4().makeBasis(x, y, new Vector3().crossVectors(x, y)).setPosition(origin[0]!, origin[1]!, origin[2]!);
}

/** The frame in the middle of a face: z points out of it, and y up, or along y of the world if the face is level. */
export function facePlane(centre: Vector3, normal: Vector3): Matrix4 {
  const z = normal.clone().normalize();
  const up = Math.abs(z.z) > 0.999 ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
  const x = new Vector3().crossVectors(up, z).normalize();
  return new Matrix4().makeBasis(x, new Vector3().crossVectors(z, x), z).setPosition(centre);
}
