// The loops of a sketch in its plane [m]: circles, and polygons whose edges are straight or arcs.
import type { Boundary } from "../commands";
import { plain } from "../text";

export type Point = readonly [number, number];

/** Corners in order; edge i goes from corner i to the next one, as an arc through `via[i]` if there is one. */
export interface Polygon {
  kind: "polygon";
  points: readonly Point[];
  via: readonly (Point | null)[];
}

export interface Circle {
  kind: "circle";
  centre: Point;
  radius: number;
}

export type Loop = Polygon | Circle;

const TURN = Math.PI / 36; // between the points that stand for an arc
const SQUARE = 1e-6; // of the lengths: a right angle

export const polygon = (points: readonly Point[]): Polygon => ({ kind: "polygon", points, via: points.map(() => null) });

export const distance = (a: Point, b: Point) => Math.hypot(b[0] - a[0], b[1] - a[1]);

/** The loops of a sketch that the server read. */
export function fromBoundaries(boundaries: readonly Boundary[]): Loop[] {
  const pair = (value: readonly unknown[]): Point => [Number(value[0]), Number(value[1])];
  return boundaries.map((one) =>
    one.kind === "circle"
      ? { kind: "circle", centre: pair(one.points[0]!), radius: one.radius }
      : { kind: "polygon", points: one.points.map(pair), via: one.via.map((via) => (via ? pair(via) : null)) },
  );
}

/** The circle through three points: centre and radius; undefined if they lie on a line. */
export function throughThree(a: Point, b: Point, c: Point): { centre: Point; radius: number } | undefined {
  const d = 2 * (a[0] * (b[1] - c[1]) + b[0] * (c[1] - a[1]) + c[0] * (a[1] - b[1]));
  const size = Math.max(distance(a, b), distance(b, c));
  if (Math.abs(d) <= 1e-9 * size * size) return undefined;
  const [sa, sb, sc] = [a, b, c].map(([x, y]) => x * x + y * y) as [number, number, number];
  const x = (sa * (b[1] - c[1]) + sb * (c[1] - a[1]) + sc * (a[1] - b[1])) / d;
  const y = (sa * (c[0] - b[0]) + sb * (a[0] - c[0]) + sc * (b[0] - a[0])) / d;
  return { centre: [x, y], radius: distance([x, y], a) };
}

/** The points of an edge after its first, ending with its last. */
export function edgePoints(from: Point, via: Point | null, to: Point): Point[] {
  const round = via && throughThree(from, via, to);
  if (!round) return [to];
  const { centre, radius } = round;
  const angle = (p: Point) => Math.atan2(p[1] - centre[1], p[0] - centre[0]);
  const whole = 2 * Math.PI;
  const start = angle(from);
  const run = (((angle(to) - start) % whole) + whole) % whole;
  const middle = (((angle(via) - start) % whole) + whole) % whole;
  const sweep = middle > run ? run - whole : run;
  const count = Math.max(2, Math.ceil(Math.abs(sweep) / TURN));
  const inner = Array.from({ length: count - 1 }, (_, i): Point => {
    const at = start + (sweep * (i + 1)) / count;
    return [centre[0] + radius * Math.cos(at), centre[1] + radius * Math.sin(at)];
  });
  return [...inner, to];
}

/** A loop as a closed polyline; the last point is joined to the first. */
export function outline(loop: Loop): Point[] {
  if (loop.kind === "circle") {
    const count = Math.round((2 * Math.PI) / TURN);
    return Array.from({ length: count }, (_, i): Point => {
      const at = (2 * Math.PI * i) / count;
      return [loop.centre[0] + loop.radius * Math.cos(at), loop.centre[1] + loop.radius * Math.sin(at)];
    });
  }
  return loop.points.flatMap((from, i) => [from, ...edgePoints(from, loop.via[i] ?? null, next(loop.points, i)).slice(0, -1)]);
}

const next = <T>(all: readonly T[], i: number): T => all[(i + 1) % all.length]!;

/** Whether a point lies inside a closed polyline. */
export function inside([x, y]: Point, line: readonly Point[]): boolean {
  let found = false;
  line.forEach(([ax, ay], i) => {
    const [bx, by] = next(line, i);
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) found = !found;
  });
  return found;
}

/** Which loops are holes: those that lie in an odd number of others. */
export function holes(loops: readonly Loop[]): boolean[] {
  const lines = loops.map(outline);
  return lines.map((line, i) => lines.filter((other, k) => k !== i && inside(line[0]!, other)).length % 2 === 1);
}

/** The enclosed area with its sign: positive if the loop runs counter-clockwise. */
export function signedArea(line: readonly Point[]): number {
  return line.reduce((sum, [x, y], i) => sum + x * next(line, i)[1] - next(line, i)[0] * y, 0) / 2;
}

/** The lengths of the edges; that of an arc is its radius. */
export function dimensions(loop: Polygon): { arc: boolean; value: number; at: Point }[] {
  return loop.points.map((from, i) => {
    const to = next(loop.points, i);
    const via = loop.via[i] ?? null;
    const round = via && throughThree(from, via, to);
    const at: Point = round && via ? via : [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
    return round ? { arc: true, value: round.radius, at } : { arc: false, value: distance(from, to), at };
  });
}

/** The polygon with another place for a corner; arcs beside it keep their bulge. */
export function withPoint(loop: Polygon, i: number, to: Point): Polygon {
  const points = loop.points.map((old, k) => (k === i ? to : old));
  return { ...loop, points, via: loop.via.map((via, k) => carried(via, loop.points, points, k)) };
}

/** The point of an arc after its ends moved: at the same place between them, with the same bulge. */
function carried(via: Point | null, before: readonly Point[], after: readonly Point[], i: number): Point | null {
  const [a, b, c, d] = [before[i]!, next(before, i), after[i]!, next(after, i)];
  if (!via || (a === c && b === d)) return via;
  const [ux, uy] = [b[0] - a[0], b[1] - a[1]];
  const square = ux * ux + uy * uy || 1;
  const along = ((via[0] - a[0]) * ux + (via[1] - a[1]) * uy) / square;
  const across = (ux * (via[1] - a[1]) - uy * (via[0] - a[0])) / square;
  const [vx, vy] = [d[0] - c[0], d[1] - c[1]];
  return [c[0] + along * vx - across * vy, c[1] + along * vy + across * vx];
}

/** The polygon with another length of a straight edge. Its end moves along it, and right angles behind it stay. */
export function withLength(loop: Polygon, edge: number, length: number): Polygon {
  const count = loop.points.length;
  const [a, b] = [loop.points[edge]!, next(loop.points, edge)];
  const old = distance(a, b);
  if (!(length > 0) || old === 0) return loop;
  const step: Point = [((b[0] - a[0]) * (length - old)) / old, ((b[1] - a[1]) * (length - old)) / old];
  const moved = new Set([(edge + 1) % count]);
  for (let k = (edge + 1) % count; moved.size < count - 1; k = (k + 1) % count) {
    const [p, q] = [loop.points[k]!, next(loop.points, k)];
    const along = Math.abs((q[0] - p[0]) * (b[0] - a[0]) + (q[1] - p[1]) * (b[1] - a[1]));
    if (along > SQUARE * old * distance(p, q) || (k + 1) % count === edge) break;
    moved.add((k + 1) % count);
  }
  const points = loop.points.map((p, k): Point => (moved.has(k) ? [p[0] + step[0], p[1] + step[1]] : p));
  return { ...loop, points, via: loop.via.map((via, k) => carried(via, loop.points, points, k)) };
}

/** The polygon with a corner more, in the middle of an edge. */
export function withCorner(loop: Polygon, edge: number): Polygon {
  const at = dimensions(loop)[edge]!.at;
  const put = <T>(all: readonly T[], value: T) => [...all.slice(0, edge + 1), value, ...all.slice(edge + 1)];
  return { ...loop, points: put(loop.points, at), via: put(loop.via.map((via, k) => (k === edge ? null : via)), null) };
}

/** The polygon without a corner; the same polygon if only three are left. */
export function withoutCorner(loop: Polygon, i: number): Polygon {
  if (loop.points.length <= 3) return loop;
  const before = (i + loop.points.length - 1) % loop.points.length;
  const via = loop.via.map((one, k) => (k === before ? null : one)).filter((_, k) => k !== i);
  return { ...loop, points: loop.points.filter((_, k) => k !== i), via };
}

/** The polygon with an edge as an arc through a point, or straight. */
export function withArc(loop: Polygon, edge: number, via: Point | null): Polygon {
  return { ...loop, via: loop.via.map((old, k) => (k === edge ? via : old)) };
}

/** A point that makes a shallow arc of an edge, outside the loop. */
export function bulge(loop: Polygon, edge: number): Point {
  const [a, b] = [loop.points[edge]!, next(loop.points, edge)];
  const way = signedArea(loop.points) > 0 ? 0.25 : -0.25;
  return [(a[0] + b[0]) / 2 + way * (b[1] - a[1]), (a[1] + b[1]) / 2 - way * (b[0] - a[0])];
}

/** The loops as `create surface` and `check sketch` read them; `size` is the length unit of the cell [m]. */
export function words(loops: readonly Loop[], size: number): string {
  const pair = ([x, y]: Point, open = "(", close = ")") => `${open}${plain(x / size)},${plain(y / size)}${close}`;
  const hole = holes(loops);
  const texts = loops.map((loop, i) => {
    if (loop.kind === "circle") return `${hole[i] ? "bore" : "disc"} ${plain(loop.radius / size)} at ${pair(loop.centre, "", "")}`;
    const corners = loop.points.map((_, k) => {
      const via = loop.via[k];
      const last = k === loop.points.length - 1;
      if (via) return `arc ${pair(via)} ${pair(next(loop.points, k))}`;
      return last ? "" : pair(next(loop.points, k));
    });
    return `${hole[i] ? "hole" : "contour"} ${[pair(loop.points[0]!), ...corners].filter(Boolean).join(" ")}`;
  });
  // Contours before holes, discs and bores, as the command has them.
  const order = ["contour", "hole", "disc", "bore"];
  return texts.sort((a, b) => order.indexOf(a.split(" ")[0]!) - order.indexOf(b.split(" ")[0]!)).join(" ");
}
