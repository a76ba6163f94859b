import { Raycaster, Vector3 } from "three";
import { expect, test } from "vitest";
import type { Shape } from "../glb";
import type { ZoneInfo } from "../protocol";
import { Zones } from "./zones";

/** A cube of two metres about the origin, its faces outward, with the edges of its top. */
function cube(): Shape {
  const corners = [-1, 1].flatMap((z) => [-1, 1].flatMap((y) => [-1, 1].map((x) => [x, y, z])));
  const sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] as const;
  const top = [4, 5, 7, 6];
  return {
    positions: Float32Array.from(corners.flat()),
    normals: new Float32Array(24),
    indices: Uint32Array.from(sides.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
    edges: Float32Array.from(top.flatMap((one, i) => [...corners[one]!, ...corners[top[(i + 1) % 4]!]!])),
  };
}

const zone = (id: string, x: number): ZoneInfo => ({ id, name: id, rule: "shared", glb: "cube", pose: [x, 0, 0, 1, 0, 0, 0] });
const ray = (from: [number, number, number], to: [number, number, number]) => new Raycaster(new Vector3(...from), new Vector3(...to).sub(new Vector3(...from)).normalize());

function zones(): Zones {
  const made = new Zones();
  made.store("cube", cube());
  made.show([zone("near", 0), zone("far", -5)]);
  return made;
}

test("a ray picks the zone that it goes through, as far away as where it leaves it", () => {
  const hit = zones().pick(ray([10, 0.3, 0.2], [0, 0.3, 0.2]))!;
  expect(hit.id).toBe("near");
  expect(hit.distance).toBeCloseTo(11);
  expect(hit.point.x).toBeCloseTo(1);
});

test("from inside a zone, or beside all of them, none is picked", () => {
  expect(zones().pick(ray([0.5, 0.2, 0.1], [5, 0.2, 0.1]))).toBeUndefined();
  expect(zones().pick(ray([10, 8, 0], [0, 8, 0]))).toBeUndefined();
});

test("an edge is picked beside the zone, at the distance of the edge", () => {
  const hit = zones().pick(ray([1, 10, 1.04], [1, 1, 1.04]))!;
  expect(hit.id).toBe("near");
  expect(hit.distance).toBeCloseTo(8.97);
  expect(zones().pick(ray([1, 10, 1.2], [1, 1, 1.2]))).toBeUndefined();
});

test("a hidden zone, and what a section cut away, is not picked", () => {
  const made = zones();
  const cut = ray([10, 0.3, 0.2], [0, 0.3, 0.2]);
  cut.near = 12;
  expect(made.pick(cut)?.id).toBe("far");
  made.hide(new Set(["near", "far"]));
  expect(made.pick(ray([10, 0.3, 0.2], [0, 0.3, 0.2]))).toBeUndefined();
});
