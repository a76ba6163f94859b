// Where a camera has to be so that points just fill its picture.
import { Box3, Vector3 } from "three";
import type { Sweep } from "../recording.svelte";
import { fromSeven } from "../rigid";
import { type Drawn, STORE } from "./drawn";
import { type Insets, NONE } from "./free";

/** The share of the free part of the picture that stays empty at each side. */
const MARGIN = 0.04;
const UP = new Vector3(0, 0, 1);

/** How near and how far a camera can be from what it looks at [m]. */
export const AWAY: readonly [number, number] = [0.05, 80];
/** What is farther from the origin [m], or nowhere, is not looked at. */
const FARTHEST = 1e6;

/** Whether a camera can look at a point. */
export function inReach({ x, y, z }: Vector3): boolean {
  return Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= FARTHEST; // false for NaN, too
}

export interface Fitted {
  /** The point in the middle of the picture. */
  target: Vector3;
  /** How far before it the eye is [m]. */
  distance: number;
}

/**
 * The nearest eye that sees all points.
 *
 * @param points what has to be seen.
 * @param way from the target to the eye; its length does not matter.
 * @param field the height of the picture as an angle [degrees].
 * @param aspect the width of the picture divided by its height.
 * @param parallel whether sizes are true; the picture is then as high as one in perspective is at the target.
 * @param taken what lies over the picture at its sides; the points are seen in the rest.
 */
export function fitted(points: readonly Vector3[], way: Vector3, field: number, aspect: number, parallel: boolean, taken: Insets = NONE): Fitted {
  const back = way.clone().normalize();
  const right = new Vector3().crossVectors(UP, back).normalize();
  const up = new Vector3().crossVectors(back, right);
  const high = Math.tan((field * Math.PI) / 360);
  const [wide, tall] = [1 - taken.left - taken.right, 1 - taken.top - taken.bottom].map((free) => free * MARGIN);
  // How steep the sides are, to the right and left, up and down.
  const slopes = [
    [high * aspect * (1 - 2 * (taken.right + wide!)), high * aspect * (1 - 2 * (taken.left + wide!))],
    [high * (1 - 2 * (taken.top + tall!)), high * (1 - 2 * (taken.bottom + tall!))],
  ] as const;
  const axes = [right, up] as const;
  // A side of the pyramid of view keeps a point if x + slope · z is at most that of the eye; z points to the eye.
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  const range: [number, number] = [Infinity, -Infinity];
  for (const point of points) {
    const z = point.dot(back);
    range[0] = Math.min(range[0], z);
    range[1] = Math.max(range[1], z);
    axes.forEach((axis, i) => {
      const x = point.dot(axis);
      const [more, less] = slopes[i]!.map((slope) => (parallel ? 0 : slope * z));
      most[2 * i] = Math.max(most[2 * i]!, more! + x);
      most[2 * i + 1] = Math.max(most[2 * i + 1]!, less! - x);
    });
  }
  const middle = (range[0] + range[1]) / 2;
  const eye = Math.max(...axes.map((_, i) => (most[2 * i]! + most[2 * i + 1]!) / (slopes[i]![0] + slopes[i]![1])));
  const centre = axes.map((_, i) => (most[2 * i]! - most[2 * i + 1]! + (slopes[i]![1] - slopes[i]![0]) * eye) / 2);
  const target = right.multiplyScalar(centre[0]!).addScaledVector(up, centre[1]!).addScaledVector(back, middle);
  return { target, distance: parallel ? eye : eye - middle };
}

/** The eight corners of a box; none of an empty one, nor of one that a camera cannot look at. */
export function cornersOf({ min, max }: Box3): Vector3[] {
  if (min.x > max.x || !inReach(min) || !inReach(max)) return [];
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}

/** The corners of the boxes of bodies at all poses that a recording has of them. */
export function cornersAlong(bodies: Iterable<Drawn>, sweep: Sweep): Vector3[] {
  const found: Vector3[] = [];
  for (const { info, pieces } of bodies) {
    const corners = cornersOf(pieces.reduce((whole, { box }) => whole.union(box), new Box3()));
    for (const pose of sweep.get(info.id) ?? []) {
      if (pose[2]! < STORE) continue; // not in the cell yet, or no more
      const matrix = fromSeven(pose);
      found.push(...corners.map((corner) => corner.clone().applyMatrix4(matrix)).filter(inReach));
    }
  }
  return found;
}
