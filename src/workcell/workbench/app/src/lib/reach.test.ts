import { expect, test } from "vitest";
import { reachSurface, rounded } from "./reach";

const RING: [number, number][] = [[1, -0.5], [2, -0.5], [2, 0.5], [1, 0.5]];

/** The volume inside closed triangles, as the sum of the tetrahedra to the origin. */
function volume(points: Float32Array, triangles: readonly number[]): number {
  const at = (i: number) => [...points.slice(3 * i, 3 * i + 3)] as [number, number, number];
  let sum = 0;
  for (let k = 0; k < triangles.length; k += 3) {
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [at(triangles[k]!), at(triangles[k + 1]!), at(triangles[k + 2]!)];
    sum += (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6;
  }
  return Math.abs(sum);
}

test("a section that turns all the way encloses the volume of the ring", () => {
  const { points, triangles } = reachSurface({ outline: [RING], first: [-Math.PI, Math.PI], slides: false });
  const exact = Math.PI * (2 ** 2 - 1 ** 2);
  expect(volume(points, triangles)).toBeGreaterThan(0.995 * exact);
  expect(volume(points, triangles)).toBeLessThanOrEqual(exact);
});

test("a range is begun and ended by the section, and limits that are wider than a turn count as one", () => {
  const { points, lines } = reachSurface({ outline: [RING], first: [0, Math.PI / 2], slides: false });
  const ends = lines.map((i) => Math.atan2(points[3 * i + 1]!, points[3 * i]!));
  expect(new Set(ends.map((angle) => Math.round((180 * angle) / Math.PI)))).toEqual(new Set([0, 90]));
  const wide = reachSurface({ outline: [RING], first: [-7, 7], slides: false });
  expect(volume(wide.points, wide.triangles)).toBeCloseTo(Math.PI * 3, 1);
});

test("a first joint that slides carries the section along its axis", () => {
  const { points } = reachSurface({ outline: [RING], first: [0.25, 3], slides: true });
  const heights = [...points].filter((_, i) => i % 3 === 2);
  expect([Math.min(...heights), Math.max(...heights)]).toEqual([-0.25, 3.5]);
});

test("the steps of a grid are rounded by less than a step", () => {
  const stairs = [...Array(20).keys()].flatMap((i): [number, number][] => [[i, i], [i + 1, i]]);
  const line = rounded(stairs).slice(4, -4);
  for (const [x, y] of line) expect(Math.abs(x - y - 0.5)).toBeLessThan(0.1);
});
