import { expect, test } from "vitest";
import type { FaceFacts } from "./commands";
import type { Shape } from "./glb";
import { middleOf, spotsOf } from "./spot_list";

const MARKS = { names: ["top", "front"], triangles: [0, 1, 1, 1], edges: [0, 1, 3, 0, -1, 2, 0, 1, 1] };

test("faces are listed by name, and edges by the names of the two faces that meet, each once", () => {
  expect(spotsOf("face", "b", [undefined, MARKS], ["", "left."])).toEqual([
    { name: "left.top", spot: { kind: "face", body: "b", piece: 1, faces: [0] } },
    { name: "left.front", spot: { kind: "face", body: "b", piece: 1, faces: [1] } },
  ]);
  expect(spotsOf("edge", "b", [MARKS], [""])).toEqual([{ name: "top + front", spot: { kind: "edge", body: "b", piece: 0, faces: [0, 1] } }]);
});

test("the middle of a flat face is the one that the server states, that of a curved one lies on a triangle", () => {
  const shape = { positions: new Float32Array([0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3]), indices: new Uint32Array([0, 1, 2, 0, 1, 3]), faces: MARKS } as unknown as Shape;
  const flat = { kind: "plane", centre: [1, 2, 3], normal: [0, 0, 1] } as unknown as FaceFacts;
  expect(middleOf(shape, 0, flat)?.point.toArray()).toEqual([1, 2, 3]);
  const round = { ...flat, kind: "cylinder" };
  expect(middleOf(shape, 1, round)?.point.toArray()).toEqual([1, 0, 1]);
  expect(middleOf(shape, 1, round)?.normal.toArray()).toEqual([0, -1, 0]);
  expect(middleOf(undefined, 1, round)).toBeUndefined();
});
