import { expect, test } from "vitest";
import { type FaceMarks, faceOf, gathered, segmentsOf, sidesOf, trianglesOf } from "./marked";

const marks: FaceMarks = { names: ["top", "side", "bottom"], triangles: [0, 2, 1, 3, 0, 1, 2, 4], edges: [0, 1, 2, -1, 2, 1, 0, 1, 1] };

test("every triangle and every segment belongs to the faces of its run", () => {
  expect(Array.from({ length: 11 }, (_, i) => faceOf(marks, i))).toEqual([0, 0, 1, 1, 1, 0, 2, 2, 2, 2, undefined]);
  expect([0, 1, 2, 3, 4].map((i) => sidesOf(marks, i))).toEqual([[0, 1], [0, 1], [-1, 2], [0, 1], undefined]);
  expect([faceOf(undefined, 0), sidesOf(undefined, 0)]).toEqual([undefined, undefined]);
});

test("a face and an edge may consist of several runs", () => {
  expect(trianglesOf(marks, 0)).toEqual([[0, 2], [5, 1]]);
  expect(segmentsOf(marks, [0, 1])).toEqual([[0, 2], [3, 1]]);
  const indices = Uint32Array.from({ length: 30 }, (_, i) => i);
  expect([...gathered(indices, trianglesOf(marks, 0), 3)]).toEqual([0, 1, 2, 3, 4, 5, 15, 16, 17]);
});
