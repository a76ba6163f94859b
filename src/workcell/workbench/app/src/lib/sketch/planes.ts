// The plane of a sketch in the world: parallel to one of the world, or on a face.
import { Matrix4, Vector3 } from "three";
import type { FaceFacts } from "../commands";

export const PLANES = {
  xy: { label: "xy, from above", x: [1, 0, 0], y: [0, 1, 0] },
  xz: { label: "xz, from the front", x: [1, 0, 0], y: [0, 0, 1] },
  yz: { label: "yz, from the right", x: [0, 1, 0], y: [0, 0, 1] },
} as const;
const SAME = 1e-6;
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

/** A face that is drawn on: its thing, what is known of it there, and the frame of the drawing in the thing and in the world. */
export interface DrawnOn {
  /** The line of the tree of the thing. */
  id: string;
  thing: string;
  facts: FaceFacts;
  inside: Matrix4;
  frame: Matrix4;
}

/** A thing, one of its faces if it still has it, and where the thing is in the world. */
export interface FaceNow {
  thing: string;
  facts: FaceFacts | undefined;
  pose: Matrix4;
}

/** Draw on a face of a thing; as it `was` drawn on, if the face looks in the same direction. */
export function drawnOn(id: string, thing: string, facts: FaceFacts, pose: Matrix4, was?: DrawnOn): DrawnOn {
  const [centre, normal] = [new Vector3(...facts.centre), new Vector3(...facts.normal)];
  const turned = !was || normal.distanceTo(new Vector3(...was.facts.normal)) > SAME;
  const fresh = () => pose.clone().invert().multiply(facePlane(centre.clone().applyMatrix4(pose), normal.transformDirection(pose)));
  const inside = turned ? fresh() : was.inside.clone().setPosition(centre);
  return { id, thing, facts, inside, frame: pose.clone().multiply(inside) };
}

/** Whether a face has the shape that it had, as far as its middle, normal and area show it. */
export function isSameFace(was: FaceFacts, now: FaceFacts): boolean {
  const numbers = ({ centre, normal, area }: FaceFacts) => [...centre, ...normal, area];
  const before = numbers(was);
  return was.kind === now.kind && numbers(now).every((value, i) => Math.abs(value - before[i]!) < SAME);
}
