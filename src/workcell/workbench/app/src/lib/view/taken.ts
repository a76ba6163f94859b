// What a rectangle in the view takes: things that are wholly in it, or that it touches.
import { Matrix4, Vector3, Vector4 } from "three";
import type { Scene } from "../scene.svelte";
import type { Section } from "./appearance";
import type { Band, Outline } from "./layer";
import type { Pane } from "./pane";
import type { Stage } from "./stage";

/** A half space of the clip space: a point is in it if the product with its coordinates is not below zero. */
export type Side = readonly [number, number, number, number];

/**
 * The half spaces whose common part is seen in a rectangle.
 * @param left, right, bottom, top edges of the rectangle, from -1 to 1 over the pane.
 */
export function sidesOf(left: number, right: number, bottom: number, top: number): Side[] {
  return [
    [0, 0, 1, 1], // before the camera
    [1, 0, 0, -left],
    [-1, 0, 0, right],
    [0, 1, 0, -bottom],
    [0, -1, 0, top],
  ];
}

const inside = ([x, y, z, w]: Side, point: Vector4) => x * point.x + y * point.y + z * point.z + w * point.w;

/** Whether a point, segment or polygon has a part in all half spaces. */
export function meets(corners: readonly Vector4[], sides: readonly Side[]): boolean {
  let part = [...corners];
  for (const side of sides) {
    const far = part.map((point) => inside(side, point));
    if (far.every((value) => value >= 0)) continue;
    const next: Vector4[] = [];
    part.forEach((point, i) => {
      const k = (i + 1) % part.length;
      if (far[i]! >= 0) next.push(point);
      if (far[i]! * far[k]! < 0) next.push(point.clone().lerp(part[k]!, far[i]! / (far[i]! - far[k]!)));
    });
    if (next.length === 0) return false;
    part = next;
  }
  return true;
}

/**
 * Whether an outline is in the half spaces: the whole of it, or some part.
 * @param seen brings its points into the clip space.
 * @param cut what a section leaves; what is cut away does not count.
 */
export function within({ positions, indices, corners }: Outline, seen: Matrix4, sides: readonly Side[], whole: boolean, cut?: Side): boolean {
  const points: Vector4[] = [];
  for (let i = 0; i < positions.length; i += 3) points.push(new Vector4(positions[i], positions[i + 1], positions[i + 2], 1).applyMatrix4(seen));
  if (whole) {
    const left = cut ? points.filter((point) => inside(cut, point) >= 0) : points;
    return left.length > 0 && left.every((point) => sides.every((side) => inside(side, point) >= 0));
  }
  const all = cut ? [...sides, cut] : sides;
  if (all.some((side) => points.every((point) => inside(side, point) < 0))) return false; // the whole of it is beside
  const count = indices?.length ?? points.length;
  for (let i = 0; i < count; i += corners) {
    const some = Array.from({ length: corners }, (_, k) => points[indices ? indices[i + k]! : i + k]!);
    if (meets(some, all)) return true;
  }
  return false;
}

/** What a section leaves, as a half space of the clip space. */
function kept({ normal, at }: Section, view: Matrix4): Side {
  const [x, y, z] = new Vector3(...normal).normalize().toArray();
  return new Vector4(x, y, z, -at).applyMatrix4(view.clone().invert().transpose()).toArray();
}

/** The ids of the things that a rectangle takes: robots and objects as a whole, and what else can be clicked. */
export function taken(scene: Scene, stage: Stage, pane: Pane, { from, to }: Band): string[] {
  const { width, height } = pane.rect;
  const [left, right] = [from.x, to.x].map((x) => (2 * x) / width - 1).sort((a, b) => a - b) as [number, number];
  const [bottom, top] = [from.y, to.y].map((y) => 1 - (2 * y) / height).sort((a, b) => a - b) as [number, number];
  const touching = to.x < from.x;
  const { camera } = pane;
  camera.updateMatrixWorld();
  const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
  const sides = sidesOf(left, right, bottom, top);
  const { section } = pane.appearance;
  const cut = section ? kept(section, view) : undefined;
  const found = new Map<string, boolean>();
  for (const outline of stage.outlines(pane)) {
    const id = scene.holdersOf(outline.id)[0] ?? (scene.node(outline.id) ? outline.id : "");
    if (!id || found.get(id) === touching) continue; // decided: one part in it, or one part outside
    found.set(id, within(outline, view.clone().multiply(outline.matrix), sides, !touching, cut));
  }
  return [...found].filter(([, has]) => has).map(([id]) => id);
}
