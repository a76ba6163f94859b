import { Box3, Ray, Vector3 } from "three";
import { expect, test } from "vitest";
import { BoxTree } from "./box_tree";

/** Numbers from 0 to 1, the same in each run. */
function randoms(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

function made(points: Float32Array, index: Uint32Array | undefined, corners: 2 | 3): BoxTree {
  const work = BoxTree.made(points, index, corners);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Small triangles in a block of two metres; all at one height if they are `flat`. */
function soup(count: number, flat: boolean): [Float32Array, Uint32Array] {
  const random = randoms(count);
  const points = new Float32Array(9 * count);
  for (let i = 0; i < points.length; i += 9) {
    const middle = [2 * random(), 2 * random(), flat ? 0.5 : 2 * random()];
    for (let k = 0; k < 9; k += 1) points[i + k] = flat && k % 3 === 2 ? 0.5 : middle[k % 3]! + 0.2 * random();
  }
  return [points, Uint32Array.from({ length: 3 * count }, (_, i) => 3 * count - 1 - i)];
}

/** Rays from around the block into it; some along an axis. */
function* rays(count: number): Generator<Ray> {
  const random = randoms(7);
  const point = () => new Vector3(2.2 * random(), 2.2 * random(), 2.2 * random());
  for (let i = 0; i < count; i += 1) {
    const origin = point().addScaledVector(new Vector3(random() - 0.5, random() - 0.5, random() - 0.5), 8);
    const to = i % 4 === 0 ? origin.clone().setComponent(i % 3, 1) : point();
    yield new Ray(origin, to.sub(origin).normalize());
  }
}

test.each([[1, false], [5, false], [777, false], [777, true], [40_000, false]])("the nearest of %s triangles is that of all, flat: %s", (count, flat) => {
  const [points, index] = soup(count, flat);
  const tree = made(points, index, 3);
  const [a, b, c, on] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
  let [hits, looks] = [0, 0];
  const some = [...rays(count > 1000 ? 25 : 300)];
  for (const ray of some) {
    const distance = (item: number) => {
      [a, b, c].forEach((corner, k) => corner.fromArray(points, 3 * index[3 * item + k]!));
      return ray.intersectTriangle(a, b, c, false, on) ? on.distanceTo(ray.origin) : Infinity;
    };
    let wanted = Infinity;
    for (let item = 0; item < count; item += 1) wanted = Math.min(wanted, distance(item));
    let found = Infinity;
    tree.along(ray, 0, Infinity, (item) => {
      looks += 1;
      return (found = Math.min(found, distance(item)));
    });
    expect(found).toBe(wanted);
    if (found < Infinity) hits += 1;
  }
  if (count > 5) expect(hits).toBeGreaterThan(some.length / 10);
  if (count > 1000) expect(looks / some.length).toBeLessThan(count / 100);
});

test("all segments within a distance of a ray are visited, up to a limit", () => {
  const random = randoms(3);
  const points = Float32Array.from({ length: 6 * 500 }, (_, i) => (i % 6 < 3 ? 2 * random() : 0));
  for (let i = 0; i < points.length; i += 6) for (let k = 3; k < 6; k += 1) points[i + k] = points[i + k - 3]! + 0.3 * random();
  const tree = made(points, undefined, 2);
  const [from, to, on] = [new Vector3(), new Vector3(), new Vector3()];
  for (const ray of rays(200)) {
    const seen = new Set<number>();
    tree.along(ray, 0.05, 6, (item) => {
      seen.add(item);
      return 6;
    });
    for (let item = 0; item < 500; item += 1) {
      const off = Math.sqrt(ray.distanceSqToSegment(from.fromArray(points, 6 * item), to.fromArray(points, 6 * item + 3), on));
      if (off < 0.05 && on.distanceTo(ray.origin) < 6) expect(seen.has(item)).toBe(true);
    }
  }
});

test("the size is the diagonal of everything", () => {
  const [points, index] = soup(777, false);
  expect(made(points, index, 3).size).toBeCloseTo(new Box3().setFromArray(points).getSize(new Vector3()).length(), 5);
});
