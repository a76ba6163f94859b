import { BatchedMesh, type InstancedMesh, Raycaster, Vector3, Vector4 } from "three";
import { expect, test } from "vitest";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import { Bodies, CROWD } from "./bodies";

/** A square of a metre in the plane z = 0, seen from above. */
function square(): Shape {
  return {
    positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]),
    normals: new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]),
    indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
    edges: new Float32Array([0, 0, 0, 1, 0, 0]),
  };
}

function body(name: string, z: number, ghost: boolean, opacity = ghost ? 0.3 : 1): BodyInfo {
  const pieces = [{ glb: "square", colour: [0.5, 0.5, 0.5] as [number, number, number], ghost, opacity }];
  return { id: name, name, owner: name, link: -1, pieces, pose: [0, 0, z, 1, 0, 0, 0], movable: false };
}

const down = (x: number) => new Raycaster(new Vector3(x, 0.5, 10), new Vector3(0, 0, -1));

test("ghosts are translucent, cast no shadow, hide nothing and are picked last", () => {
  const bodies = new Bodies(true);
  bodies.store("square", square());
  bodies.update([body("table", 0, false), body("room", 1, true)]);
  const [faces, ghosts] = bodies.group.children as BatchedMesh[];
  expect([faces!.instanceCount, ghosts!.instanceCount]).toEqual([1, 1]);
  const glass = ghosts!.material;
  expect(glass.transparent && !glass.depthWrite).toBe(true);
  expect((ghosts!.getColorAt(0, new Vector4())).w).toBeCloseTo(0.3);
  expect(ghosts!.castShadow).toBe(false);
  expect((faces!.material).transparent).toBe(false);
  expect(bodies.pick(down(0.5))?.id).toBe("table");
  bodies.hide(new Set(["table"]));
  expect(bodies.pick(down(0.5))?.id).toBe("room");
  expect(bodies.pick(down(3))).toBe(undefined);
});

test("a body becomes a ghost and solid again", () => {
  const bodies = new Bodies(false);
  bodies.store("square", square());
  const [faces, ghosts] = bodies.group.children as BatchedMesh[];
  for (const ghost of [false, true, false]) {
    bodies.update([body("room", 0, ghost)]);
    expect([faces!.instanceCount, ghosts!.instanceCount]).toEqual(ghost ? [0, 1] : [1, 0]);
    expect(bodies.box().max.x).toBe(1);
  }
  bodies.dispose();
});

test("only what changed is drawn again, and shapes that nothing has are freed", () => {
  const bodies = new Bodies(false);
  const [faces, , lines] = bodies.group.children as BatchedMesh[];
  const other = { ...body("crate", 2, false), pieces: [{ glb: "other", colour: [1, 0, 0] as [number, number, number], ghost: false, opacity: 1 }] };
  bodies.update([body("table", 0, false), other]);
  expect(faces!.instanceCount).toBe(0);
  for (const hash of ["square", "other"]) {
    bodies.store(hash, square());
    bodies.refresh(hash);
  }
  expect([faces!.instanceCount, lines!.instanceCount, bodies.triangles]).toEqual([2, 2, 4]);
  expect(bodies.sweep()).toEqual([]);
  bodies.update([{ ...other, pose: [0, 0, 3, 1, 0, 0, 0] }]);
  expect(bodies.box(new Set(["crate"])).max.z).toBe(3);
  expect(bodies.box(new Set(["table"])).max.z).toBe(0);
  bodies.remove(["crate"]);
  expect(bodies.sweep()).toEqual(["other"]);
  expect([faces!.instanceCount, lines!.instanceCount, bodies.triangles, bodies.has("other")]).toEqual([1, 1, 2, false]);
  expect(bodies.wanted).toEqual(["square"]);
});

test("the room of freed shapes is used again", () => {
  const bodies = new Bodies(false);
  const faces = bodies.group.children[0] as BatchedMesh;
  for (let round = 0; round < 30_000; round++) {
    const info = { ...body("part", 0, false), pieces: [{ glb: `${round}`, colour: [0, 0, 0] as [number, number, number], ghost: false, opacity: 1 }] };
    bodies.update([info]);
    bodies.store(`${round}`, square());
    bodies.refresh(`${round}`);
    bodies.sweep();
  }
  expect(faces.geometry.getAttribute("position").count).toBeLessThanOrEqual(30_000);
  expect(bodies.box().max.x).toBe(1);
});

test("each body is as opaque as it says, and one that is not seen is not there", () => {
  const bodies = new Bodies(false);
  bodies.store("square", square());
  const [faces, glass] = bodies.group.children as BatchedMesh[];
  bodies.update([body("a", 0, false, 0.4), body("b", 1, false, 0.9), body("c", 2, true, 1), body("d", 3, false, 0)]);
  expect([faces!.instanceCount, glass!.instanceCount]).toEqual([1, 2]);
  const seen = [0, 1].map((i) => (glass!.getColorAt(i, new Vector4())).w);
  expect(seen[0]).toBeCloseTo(0.4);
  expect(seen[1]).toBeCloseTo(0.9);
  expect(glass!.sortObjects).toBe(true);
});

test("a shape that many bodies have is drawn once, and each of them is picked, moved, hidden and removed alone", () => {
  const bodies = new Bodies(false);
  bodies.store("square", square());
  const [faces, , lines] = bodies.group.children as BatchedMesh[];
  const many = Array.from({ length: 40 }, (_, i) => ({ ...body(`b${i}`, 0, false), pose: [2 * i, 0, 0, 1, 0, 0, 0] as BodyInfo["pose"] }));
  bodies.update(many.slice(0, CROWD - 1));
  expect(faces!.instanceCount).toBe(CROWD - 1);
  bodies.update(many.slice(CROWD - 1));
  expect([faces!.instanceCount, lines!.instanceCount, bodies.triangles]).toEqual([0, 0, 80]);
  const crowds = bodies.group.children[3]!.children as InstancedMesh[];
  expect(crowds.map((mesh) => mesh.count)).toEqual([40, 40]);
  for (const i of [0, 11, 12, 39]) expect(bodies.pick(down(2 * i + 0.5))?.id).toBe(`b${i}`);
  bodies.place("b3", [1000, 0, 0, 1, 0, 0, 0], 0);
  expect([bodies.pick(down(6.5)), bodies.pick(down(1000.5))?.id]).toEqual([undefined, "b3"]);
  bodies.hide(new Set(["b4"]));
  bodies.remove(["b5"]);
  expect([bodies.pick(down(8.5)), bodies.pick(down(10.5))]).toEqual([undefined, undefined]);
  bodies.update([body("late", 0, false)]); // takes the free place
  expect(crowds.map((mesh) => mesh.count)).toEqual([40, 40]);
  expect(bodies.pick(down(0.5))?.id).toMatch(/b0|late/);
  bodies.remove([...many.map((one) => one.id), "late"]);
  expect(bodies.sweep()).toEqual(["square"]);
  expect([bodies.group.children[3]!.children.length, bodies.triangles]).toEqual([0, 0]);
});
