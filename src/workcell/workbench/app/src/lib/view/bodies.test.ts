import { BatchedMesh, type Material, Raycaster, Vector3, Vector4 } from "three";
import { expect, test } from "vitest";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import { Bodies } from "./bodies";

/** A square of a metre in the plane z = 0, seen from above. */
function square(): Shape {
  return {
    positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]),
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
    edges: new Float32Array([0, 0, 0, 1, 0, 0]),
  } as Shape;
}

function body(name: string, z: number, ghost: boolean, opacity = ghost ? 0.3 : 1): BodyInfo {
  const pieces = [{ glb: "square", colour: [0.5, 0.5, 0.5] as [number, number, number], ghost, opacity }];
  return { name, owner: name, link: -1, pieces, pose: [0, 0, z, 1, 0, 0, 0], movable: false };
}

const down = (x: number) => new Raycaster(new Vector3(x, 0.5, 10), new Vector3(0, 0, -1));

test("ghosts are translucent, cast no shadow, hide nothing and are picked last", () => {
  const bodies = new Bodies(true);
  bodies.store("square", square());
  bodies.show([body("table", 0, false), body("room", 1, true)]);
  const [faces, ghosts] = bodies.group.children as BatchedMesh[];
  expect([faces!.instanceCount, ghosts!.instanceCount]).toEqual([1, 1]);
  const glass = ghosts!.material as Material;
  expect(glass.transparent && !glass.depthWrite).toBe(true);
  expect((ghosts!.getColorAt(0, new Vector4()) as Vector4).w).toBeCloseTo(0.3);
  expect(ghosts!.castShadow).toBe(false);
  expect((faces!.material as Material).transparent).toBe(false);
  expect(bodies.pick(down(0.5))).toBe(0);
  bodies.hide(new Set([0]));
  expect(bodies.pick(down(0.5))).toBe(1);
  expect(bodies.pick(down(3))).toBe(-1);
});

test("a body becomes a ghost and solid again", () => {
  const bodies = new Bodies(false);
  bodies.store("square", square());
  const [faces, ghosts] = bodies.group.children as BatchedMesh[];
  for (const ghost of [false, true, false]) {
    bodies.show([body("room", 0, ghost)]);
    expect([faces!.instanceCount, ghosts!.instanceCount]).toEqual(ghost ? [0, 1] : [1, 0]);
    expect(bodies.box().max.x).toBe(1);
  }
  bodies.dispose();
});

test("each body is as opaque as it says, and one that is not seen is not there", () => {
  const bodies = new Bodies(false);
  bodies.store("square", square());
  const [faces, glass] = bodies.group.children as BatchedMesh[];
  bodies.show([body("a", 0, false, 0.4), body("b", 1, false, 0.9), body("c", 2, true, 1), body("d", 3, false, 0)]);
  expect([faces!.instanceCount, glass!.instanceCount]).toEqual([1, 2]);
  const seen = [0, 1].map((i) => (glass!.getColorAt(i, new Vector4()) as Vector4).w);
  expect(seen[0]).toBeCloseTo(0.4);
  expect(seen[1]).toBeCloseTo(0.9);
  expect(glass!.sortObjects).toBe(true);
});
