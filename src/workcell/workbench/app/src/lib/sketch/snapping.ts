// Where a click in a sketch lands: on the grid, in line with corners, at a right angle to the edge before.
import { distance, type Point } from "./loops";

export interface Snapped {
  at: Point;
  /** Dotted lines from the corners that the point is in line with. */
  guides: [Point, Point][];
  /** Whether the edge to it is level or upright. */
  straight: boolean;
  /** Whether the edge to it makes a right angle with the edge before. */
  square: boolean;
}

export interface Snapping {
  /** The grid [m]; 0 for none. */
  grid: number;
  /** How far a corner attracts [m]. */
  near: number;
  /** The corners that a point may be in line with. */
  corners: readonly Point[];
  /** The last corner, and the one before it, of what is drawn. */
  from?: Point | undefined;
  before?: Point | undefined;
}

const EXACT = 1e-9;

export function snapped(point: Point, { grid, near, corners, from, before }: Snapping): Snapped {
  const hit = corners.find((corner) => distance(corner, point) < near);
  const at = hit ?? ([0, 1].map((axis) => coordinate(point, axis as 0 | 1, grid, near, corners)) as unknown as Point);
  const guides = corners.flatMap((corner): [Point, Point][] => {
    const level = Math.abs(corner[1] - at[1]) < EXACT;
    const upright = Math.abs(corner[0] - at[0]) < EXACT;
    return level !== upright ? [[corner, at]] : [];
  });
  const edge = from && ([at[0] - from[0], at[1] - from[1]] as const);
  const last = from && before && ([from[0] - before[0], from[1] - before[1]] as const);
  const length = edge ? Math.hypot(...edge) : 0;
  const straight = !!edge && length > 0 && Math.min(Math.abs(edge[0]), Math.abs(edge[1])) < EXACT * length;
  const dot = edge && last ? Math.abs(edge[0] * last[0] + edge[1] * last[1]) : Infinity;
  return { at, guides, straight, square: length > 0 && dot < EXACT * length * Math.hypot(...(last ?? [0, 0])) };
}

/** One coordinate: that of the nearest corner, otherwise of the nearest line of the grid. */
function coordinate(point: Point, axis: 0 | 1, grid: number, near: number, corners: readonly Point[]): number {
  const value = point[axis];
  const best = corners.map((corner) => corner[axis]).sort((a, b) => Math.abs(a - value) - Math.abs(b - value))[0];
  if (best !== undefined && Math.abs(best - value) < near) return best;
  return grid > 0 ? Number((Math.round(value / grid) * grid).toPrecision(12)) : value;
}

/** A step of the grid that is 1, 2 or 5 times a power of ten of a unit, with lines at least `apart` pixels apart. */
export function gridStep(scale: number, size: number, apart = 14): number {
  const least = apart / scale / size;
  const power = 10 ** Math.floor(Math.log10(least));
  return size * ([1, 2, 5, 10].map((k) => k * power).find((step) => step >= least - 1e-12) ?? 10 * power);
}
