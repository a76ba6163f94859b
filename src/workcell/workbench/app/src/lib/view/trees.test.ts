import { Raycaster, Vector3 } from "three";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Shape } from "../glb";
import { Bodies } from "./bodies";
import { edgeUnder, faceUnder } from "./picks";

/** A sheet of `n` times `n` waves of a metre, each row a face with an edge along it. */
function sheet(n: number): Shape {
  const at = (i: number, j: number) => [i, j, 0.3 * Math.sin(i) * Math.cos(2 * j)];
  const grid = Array.from({ length: (n + 1) ** 2 }, (_, k) => at(Math.floor(k / (n + 1)), k % (n + 1)));
  const cell = (k: number) => {
    const a = Math.floor(k / n) * (n + 1) + (k % n);
    return [a, a + n + 1, a + 1, a + 1, a + n + 1, a + n + 2];
  };
  const rows = Array.from({ length: n }, (_, i) => i);
  return {
    positions: new Float32Array(grid.flat()),
    normals: new Float32Array(3 * grid.length),
    indices: new Uint32Array(Array.from({ length: n * n }, (_, k) => cell(k)).flat()),
    edges: new Float32Array(rows.flatMap((i) => rows.flatMap((j) => [...at(i, j), ...at(i, j + 1)]))),
    faces: { names: rows.map((i) => `row ${i}`), triangles: rows.flatMap((i) => [i, 2 * n]), edges: rows.flatMap((i) => [i - 1, i, n]) },
  };
}

function drawn(n: number): Bodies {
  const bodies = new Bodies(false);
  bodies.store("sheet", sheet(n));
  const pieces = [{ glb: "sheet", colour: [1, 1, 1] as [number, number, number], ghost: false, opacity: 1 }];
  const turn = Math.SQRT1_2;
  bodies.update([1, 2].map((i) => ({ id: `b${i}`, name: "", owner: "", link: -1, pieces, pose: [0, 0, -5 * i, turn, 0, 0, turn] as const, movable: false })));
  return bodies;
}

/** What some rays find: the face and the edge, and where. */
function found(bodies: Bodies, n: number): unknown[] {
  return Array.from({ length: 60 }, (_, k) => {
    const ray = new Raycaster(new Vector3(-n / 2, n / 2, 20), new Vector3(-0.3 + 0.01 * k, 0.2 * Math.sin(k), -1).normalize());
    const surface = bodies.pick(ray);
    const edge = edgeUnder(bodies, ray, surface);
    return [surface, faceUnder(bodies, ray)?.spot, edge?.spot, edge?.point];
  });
}

async function made(): Promise<void> {
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(60_000);
}

describe("rays", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("find the same with a tree as without", async () => {
    const n = 40;
    const bodies = drawn(n);
    const all = found(bodies, n);
    expect(all.filter((one) => (one as unknown[])[2]).length).toBeGreaterThan(5);
    await made();
    expect(found(bodies, n)).toEqual(all);
  });

  it("are slow while something large has no tree, and not in a small cell", async () => {
    expect(drawn(40).trees.slow).toBe(false);
    const bodies = new Bodies(false);
    const large = (): Shape => ({ positions: new Float32Array(9), normals: new Float32Array(9), indices: new Uint32Array(1_000_000 - 1), edges: new Float32Array() });
    bodies.trees.want(large());
    expect(bodies.trees.slow).toBe(true);
    await made();
    expect(bodies.trees.slow).toBe(false);
    bodies.store("large", large());
    expect(bodies.trees.slow).toBe(true);
    bodies.sweep(); // nothing has it
    expect(bodies.trees.slow).toBe(false);
  });
});
