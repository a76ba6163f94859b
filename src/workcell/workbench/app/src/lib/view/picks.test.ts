import { Raycaster, Vector3 } from "three";
import { expect, test } from "vitest";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import { Bodies, CROWD } from "./bodies";
import { edgeUnder, faceUnder } from "./picks";

/** Two squares of a metre side by side in the plane z = 0, each a face, and the edge between them. */
function pair(): Shape {
  return {
    positions: new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0, 2, 1, 0]),
    normals: new Float32Array(18).map((_, i) => (i % 3 === 2 ? 1 : 0)),
    indices: new Uint32Array([0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2]),
    edges: new Float32Array([1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0]),
    faces: { names: ["left", "right"], triangles: [0, 2, 1, 2], edges: [0, 1, 1, -1, 0, 1] },
  };
}

/** Bodies ten metres apart along x, turned a quarter about z. */
function row(count: number): Bodies {
  const bodies = new Bodies(false);
  bodies.store("other", { ...pair(), indices: new Uint32Array([0, 1, 2]), faces: { names: ["only"], triangles: [0, 1], edges: [] } });
  bodies.store("pair", pair());
  const turn = Math.SQRT1_2;
  const piece = (glb: string) => ({ glb, colour: [1, 1, 1] as [number, number, number], ghost: false, opacity: 1 });
  const infos = Array.from({ length: count }, (_, i): BodyInfo => {
    const name = `b${i}`;
    return { id: name, name, owner: name, link: -1, pieces: [piece("none"), piece("pair")], pose: [10 * i, 0, 0, turn, 0, 0, turn], movable: false };
  });
  bodies.update([{ ...infos[0]!, id: "first", pieces: [piece("other")], pose: [0, 0, -9, 1, 0, 0, 0] }, ...infos]);
  return bodies;
}

const down = (x: number, y: number) => new Raycaster(new Vector3(x, y, 5), new Vector3(0, 0, -1));

test.each([2, CROWD + 3])("the face under a ray, of %s bodies with one shape", (count) => {
  const bodies = row(count);
  const at = 10 * (count - 1); // turned, the squares lie along y, to the left of x = at
  const spot = (y: number) => faceUnder(bodies, down(at - 0.5, y))?.spot;
  expect(spot(0.25)).toEqual({ kind: "face", body: `b${count - 1}`, piece: 1, faces: [0] });
  expect(spot(1.75)).toEqual({ kind: "face", body: `b${count - 1}`, piece: 1, faces: [1] });
  expect(spot(2.5)).toBe(undefined);
  bodies.place("b1", [500, 0, 0, 1, 0, 0, 0], 0);
  expect(faceUnder(bodies, down(501.5, 0.5))?.spot.faces).toEqual([1]);
});

test.each([2, CROWD + 3])("the edge nearest to a ray, of %s bodies with one shape", (count) => {
  const bodies = row(count);
  const edge = (x: number, y: number) => {
    const ray = down(x, y);
    return edgeUnder(bodies, ray, bodies.pick(ray));
  };
  expect(edge(9.5, 1.01)?.spot).toEqual({ kind: "edge", body: "b1", piece: 1, faces: [0, 1] });
  expect(edge(9.5, 1.01)?.point.toArray().map((value) => Math.round(100 * value) / 100)).toEqual([9.5, 1, 0]);
  expect(edge(10.02, 0.5)?.spot.faces).toEqual([-1, 0]); // beside the body
  expect(edge(9.5, 0.5)).toBe(undefined);
  bodies.hide(new Set(["b1"]));
  expect(edge(9.5, 1.01)).toBe(undefined);
});

test("an edge behind a surface is not picked", () => {
  const bodies = row(2);
  bodies.place("b0", [9, 0.5, 2, 1, 0, 0, 0], 0); // two metres above the edge of b1
  const ray = down(9.5, 1.01);
  expect(edgeUnder(bodies, ray, bodies.pick(ray))).toBe(undefined);
  expect(faceUnder(bodies, ray)?.spot.body).toBe("b0");
});
