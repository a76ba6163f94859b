// What a ray hits: the nearest piece with its triangle, and the edge that passes nearest to the ray.
import { Box3, Matrix4, Ray, type Raycaster, Vector3 } from "three";
import type { Shape } from "../glb";
import { faceOf, sidesOf } from "../marked";
import type { Bodies } from "./bodies";
import type { Drawn, Placed } from "./drawn";
import type { Hit, SpotHit } from "./layer";
import { depthOf } from "./near";

const NONE: ReadonlySet<string> = new Set();

/** A piece of a body whose box a ray passes: its shape, where it is, and the ray in the frame of the shape. */
interface Passed {
  drawn: Drawn;
  piece: Placed;
  shape: Shape;
  own: Ray;
}

/** The pieces of the visible bodies whose boxes are no farther beside a ray than `room` [m] at them; some bodies may be left out. */
function* passed(bodies: Bodies, { ray }: Raycaster, except: ReadonlySet<string>, room: (nearest: Vector3, size: number) => number): Generator<Passed> {
  const [own, back, wide, middle] = [new Ray(), new Matrix4(), new Box3(), new Vector3()];
  for (const drawn of bodies.shown()) {
    if (except.has(drawn.info.id)) continue;
    let turned = false;
    for (const piece of drawn.pieces) {
      const size = piece.box.getSize(middle).length();
      const beside = room(piece.box.getCenter(middle).applyMatrix4(drawn.matrix), size);
      if (ray.distanceSqToPoint(middle) > (size / 2 + beside) ** 2) continue;
      if (!turned) own.copy(ray).applyMatrix4(back.copy(drawn.matrix).invert());
      turned = true;
      if (!own.intersectsBox(wide.copy(piece.box).expandByScalar(beside))) continue;
      const shape = bodies.shapeOf(drawn.info.id, piece.place);
      if (shape) yield { drawn, piece, shape, own };
    }
  }
}

const FLAT = 1e-6; // m: a box that is flat is hit, too

/** The nearest triangle under a ray, of the pieces that are translucent or of those that are not; some bodies may be left out. */
export function nearestHit(bodies: Bodies, raycaster: Raycaster, clear: boolean, bothSides: boolean, except: ReadonlySet<string>): Hit | undefined {
  const { near, far } = raycaster;
  const [a, b, c, on] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  const corners = ({ positions, indices }: Shape, triangle: number) =>
    [a, b, c].forEach((corner, k) => corner.fromArray(positions, 3 * indices[3 * triangle + k]!));
  let best: { drawn: Drawn; piece: Placed; shape: Shape; triangle: number } | undefined;
  let limit = far;
  for (const { drawn, piece, shape, own } of passed(bodies, raycaster, except, () => FLAT)) {
    if (piece.opacity < 1 !== clear || piece.faces < 0) continue;
    bodies.trees.along(shape, "triangles", own, 0, limit, (triangle) => {
      corners(shape, triangle);
      if (!own.intersectTriangle(a, b, c, !bothSides, on)) return limit;
      const distance = own.origin.distanceTo(on);
      if (distance < near || distance > limit || (best && distance === limit)) return limit;
      best = { drawn, piece, shape, triangle };
      limit = distance;
      return limit;
    });
  }
  if (!best) return undefined;
  const { drawn, piece, shape, triangle } = best;
  corners(shape, triangle);
  const normal = b.sub(a).cross(c.sub(a)).normalize().transformDirection(drawn.matrix);
  return { id: drawn.info.id, piece: piece.place, distance: limit, point: raycaster.ray.at(limit, new Vector3()), normal, triangle };
}

/** The face under a ray. */
export function faceUnder(bodies: Bodies, ray: Raycaster, except: ReadonlySet<string> = NONE): SpotHit | undefined {
  const hit = bodies.pick(ray, except);
  if (hit?.piece === undefined || hit.triangle === undefined) return undefined;
  const face = faceOf(bodies.shapeOf(hit.id, hit.piece)?.faces, hit.triangle);
  if (face === undefined) return undefined;
  return { spot: { kind: "face", body: hit.id, piece: hit.piece, faces: [face] }, distance: hit.distance, point: hit.point, ...(hit.normal ? { normal: hit.normal } : {}) };
}

const WITHIN = 0.012; // of the distance: as far beside the ray an edge may be
const BEHIND = 0.02; // of the distance: as far behind the surface under the ray an edge may be

/** The edge that passes nearest to a ray and is not hidden, with the ends of its segment; some bodies may be left out. */
export function edgeUnder(
  bodies: Bodies,
  raycaster: Raycaster,
  surface: Hit | undefined,
  except: ReadonlySet<string> = NONE,
): (SpotHit & { ends: [Vector3, Vector3] }) | undefined {
  const { near, far } = raycaster;
  const [from, to, on] = [new Vector3(), new Vector3(), new Vector3()];
  const farthest = Math.min(far, (surface?.distance ?? Infinity) * (1 + BEHIND));
  let best: { body: string; piece: number; segment: number; distance: number; off: number; point: Vector3; ends: [Vector3, Vector3] } | undefined;
  const room = (middle: Vector3, size: number) => WITHIN * depthOf(raycaster, middle.distanceTo(raycaster.ray.origin) + size);
  for (const { drawn, piece, shape, own } of passed(bodies, raycaster, except, room)) {
    const { info, matrix } = drawn;
    const beside = room(piece.box.getCenter(on).applyMatrix4(matrix), piece.box.getSize(to).length());
    bodies.trees.along(shape, "segments", own, beside, farthest, (segment) => {
      from.fromArray(shape.edges, 6 * segment);
      to.fromArray(shape.edges, 6 * segment + 3);
      const off = Math.sqrt(own.distanceSqToSegment(from, to, undefined, on));
      const distance = on.distanceTo(own.origin);
      const width = depthOf(raycaster, distance);
      if (off > WITHIN * width || distance < near || distance > farthest || (best && off / width >= best.off)) return farthest;
      const [point, ...ends] = [on, from, to].map((one) => one.clone().applyMatrix4(matrix)) as [Vector3, Vector3, Vector3];
      best = { body: info.id, piece: piece.place, segment, distance, off: off / width, point, ends };
      return farthest;
    });
  }
  if (!best) return undefined;
  const { body, piece, segment, distance, point, ends } = best;
  const faces = sidesOf(bodies.shapeOf(body, piece)?.faces, segment);
  return faces && { spot: { kind: "edge", body, piece, faces }, distance, point, ends };
}
