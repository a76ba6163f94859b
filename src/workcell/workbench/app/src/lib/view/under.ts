// What the pointer is on beside a dragged thing, and the sides of the thing that snap to it.
import { Plane, Raycaster, Vector3 } from "three";
import type { Shape } from "../glb";
import { trianglesOf } from "../marked";
import type { Flat, Under } from "../snapping";
import type { Spot } from "../spots";
import type { Bodies } from "./bodies";
import { edgeUnder, faceUnder } from "./picks";

const CORNER = 0.012; // of the distance: as near to a corner the pointer has to be
const FLAT = 0.999;
const FLOOR = new Plane(new Vector3(0, 0, 1), 0);

/** What is under a ray, leaving out some bodies: a corner before an edge before a face before the floor. */
export function under(bodies: Bodies, ray: Raycaster, except: ReadonlySet<string>): (Under & { spot?: Spot }) | undefined {
  const surface = bodies.pick(ray, except);
  const face = surface && faceUnder(bodies, ray, except);
  const normal = surface?.normal;
  const edge = edgeUnder(bodies, ray, surface, except);
  if (edge) {
    const { spot, point, distance, ends } = edge;
    const corner = ends.find((end) => end.distanceTo(point) < CORNER * distance);
    const up = normal ?? ray.ray.direction.clone().negate();
    return { kind: corner ? "corner" : "edge", point: corner ?? point, normal: up, spot };
  }
  if (surface && normal) return { kind: "face", point: surface.point, normal, ...(face ? { spot: face.spot } : {}) };
  const floor = ray.ray.direction.z < 0 ? ray.ray.intersectPlane(FLOOR, new Vector3()) : null;
  return floor ? { kind: "floor", point: floor, normal: FLOOR.normal.clone() } : undefined;
}

function corners(shape: Shape, triangle: number): [Vector3, Vector3, Vector3] {
  return [0, 1, 2].map((k) => new Vector3().fromArray(shape.positions, 3 * shape.indices[3 * triangle + k]!)) as [Vector3, Vector3, Vector3];
}

/** The flat faces of some bodies, as they are drawn. */
export function flatsOf(bodies: Bodies, ids: Iterable<string>): Flat[] {
  return [...pieces(bodies, ids)].flatMap(({ shape, matrix }) =>
    ownFlats(shape).map(({ centre, normal }) => ({
      centre: centre.clone().applyMatrix4(matrix),
      normal: normal.clone().transformDirection(matrix),
    })),
  );
}

const known = new WeakMap<Shape, Flat[]>();

/** The flat faces of a shape, in its own frame. */
function ownFlats(shape: Shape): Flat[] {
  const before = known.get(shape);
  if (before) return before;
  const marks = shape.faces;
  const found = (marks?.names ?? []).flatMap((_, face) => {
    const [sum, middle] = [new Vector3(), new Vector3()];
    let area = 0;
    for (const [first, count] of trianglesOf(marks!, face)) {
      for (let triangle = first; triangle < first + count; triangle += 1) {
        const [a, b, c] = corners(shape, triangle);
        const centre = a.clone().add(b).add(c).divideScalar(3);
        const across = b.sub(a).cross(c.sub(a));
        area += across.length();
        middle.addScaledVector(centre, across.length());
        sum.add(across);
      }
    }
    return area > 0 && sum.length() > FLAT * area ? [{ centre: middle.divideScalar(area), normal: sum.normalize() }] : [];
  });
  known.set(shape, found);
  return found;
}

function* pieces(bodies: Bodies, ids: Iterable<string>) {
  for (const id of ids) {
    const matrix = bodies.matrix(id);
    for (let piece = 0, shape; matrix && (shape = bodies.shapeOf(id, piece)); piece += 1) yield { shape, matrix };
  }
}

/** How far bodies extend along a direction from a point, as they are drawn: least and greatest [m]; nothing is 0, 0. */
export function extentOf(bodies: Bodies, ids: Iterable<string>, from: Vector3, direction: Vector3): [number, number] {
  let [least, greatest] = [Infinity, -Infinity];
  const point = new Vector3();
  for (const { shape, matrix } of pieces(bodies, ids)) {
    for (let i = 0; i < shape.positions.length; i += 3) {
      const far = point.fromArray(shape.positions, i).applyMatrix4(matrix).sub(from).dot(direction);
      least = Math.min(least, far);
      greatest = Math.max(greatest, far);
    }
  }
  return least <= greatest ? [least, greatest] : [0, 0];
}

const SAMPLES = 24; // points at the bottom from which a thing falls
const LIFT = 1e-4; // m above its bottom, where the way down begins

/** How far bodies can go down until they stand on something, or on the floor [m]; below nothing it is the way up to the floor. */
export function fallOf(bodies: Bodies, ids: Iterable<string>, except: ReadonlySet<string>): number {
  const points: Vector3[] = [];
  for (const { shape, matrix } of pieces(bodies, ids)) {
    for (let i = 0; i < shape.positions.length; i += 3) points.push(new Vector3().fromArray(shape.positions, i).applyMatrix4(matrix));
  }
  if (points.length === 0) return 0;
  const bottom = Math.min(...points.map((point) => point.z));
  const feet = points.filter((point) => point.z < bottom + LIFT);
  const every = Math.ceil(feet.length / SAMPLES);
  const middle = feet.reduce((sum, foot) => sum.add(foot), new Vector3()).divideScalar(feet.length);
  let highest = -Infinity;
  for (const foot of [middle, ...feet.filter((_, i) => i % every === 0)]) {
    const inward = foot.clone().lerp(middle, 0.02).setZ(bottom + LIFT);
    const hit = bodies.pick(new Raycaster(inward, new Vector3(0, 0, -1)), except);
    if (hit) highest = Math.max(highest, hit.point.z);
  }
  if (bottom > -LIFT) highest = Math.max(highest, 0);
  return bottom - (highest === -Infinity ? 0 : highest);
}
