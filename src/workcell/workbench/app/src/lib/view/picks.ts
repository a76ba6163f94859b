// What a ray hits: the nearest instance with its piece and triangle, and the edge that passes nearest to the ray.
import { type BatchedMesh, Box3, type Intersection, Matrix4, Ray, type Raycaster, Vector3 } from "three";
import { faceOf, sidesOf } from "../marked";
import type { Bodies } from "./bodies";
import { Crowd, type Instances } from "./crowd";
import type { Owner } from "./drawn";
import type { Hit, SpotHit } from "./layer";
import { depthOf } from "./near";

const NONE: ReadonlySet<string> = new Set();

/** The nearest hit among the instances of some batches and crowds, leaving out some bodies. */
export function nearestHit(owners: ReadonlyMap<Instances, ReadonlyMap<number, Owner>>, among: Iterable<Instances>, ray: Raycaster, except: ReadonlySet<string>): Hit | undefined {
  const stands = new Matrix4();
  let nearest: Hit | undefined;
  for (const batch of among) {
    const hits: Intersection[] = [];
    const mesh = batch instanceof Crowd ? batch.mesh : (batch as BatchedMesh);
    mesh.raycast(ray, hits);
    for (const { distance, point, face, batchId, instanceId, faceIndex } of hits) {
      const owner = owners.get(batch)?.get(batchId ?? instanceId ?? -1);
      if (!owner || except.has(owner.id) || (nearest && distance >= nearest.distance)) continue;
      const first = batchId === undefined ? 0 : rangeOf(batch as BatchedMesh, batchId) / 3;
      mesh.getMatrixAt(batchId ?? instanceId ?? 0, stands);
      const normal = face!.normal.clone().transformDirection(stands);
      nearest = { ...owner, distance, point, normal, triangle: (faceIndex ?? 0) - first };
    }
  }
  return nearest;
}

/** Where the indices of an instance begin in its batch. */
function rangeOf(batch: BatchedMesh, instance: number): number {
  return batch.getGeometryRangeAt(batch.getGeometryIdAt(instance))?.start ?? 0;
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
  const { ray, near, far } = raycaster;
  const own = new Ray();
  const back = new Matrix4();
  const room = new Box3();
  const [from, to, on] = [new Vector3(), new Vector3(), new Vector3()];
  const farthest = Math.min(far, (surface?.distance ?? Infinity) * (1 + BEHIND));
  let best: { body: string; piece: number; segment: number; distance: number; off: number; point: Vector3; ends: [Vector3, Vector3] } | undefined;
  for (const { info, matrix, pieces } of bodies.shown()) {
    if (except.has(info.id)) continue;
    own.copy(ray).applyMatrix4(back.copy(matrix).invert());
    for (const { place: piece, box } of pieces) {
      const shape = bodies.shapeOf(info.id, piece);
      const size = box.getSize(to).length();
      room.copy(box).expandByScalar(WITHIN * depthOf(raycaster, box.distanceToPoint(own.origin) + size));
      if (!shape?.edges.length || !own.intersectsBox(room)) continue;
      for (let segment = 0; 6 * segment < shape.edges.length; segment += 1) {
        from.fromArray(shape.edges, 6 * segment);
        to.fromArray(shape.edges, 6 * segment + 3);
        const off = Math.sqrt(own.distanceSqToSegment(from, to, undefined, on));
        const distance = on.distanceTo(own.origin);
        const width = depthOf(raycaster, distance);
        if (off > WITHIN * width || distance < near || distance > farthest || (best && off / width >= best.off)) continue;
        const [point, ...ends] = [on, from, to].map((one) => one.clone().applyMatrix4(matrix)) as [Vector3, Vector3, Vector3];
        best = { body: info.id, piece, segment, distance, off: off / width, point, ends };
      }
    }
  }
  if (!best) return undefined;
  const { body, piece, segment, distance, point, ends } = best;
  const faces = sidesOf(bodies.shapeOf(body, piece)?.faces, segment);
  return faces && { spot: { kind: "edge", body, piece, faces }, distance, point, ends };
}
