import { expect, test } from "vitest";
import { shapeOf, zoneLine } from "./zones";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };

test("the sizes of a shape are read from the words of show", () => {
  const found = shapeOf("block gate-solid: box x 300 y 300.5 z 1e3, pointed_by 1\n  id: 1");
  expect(found).toEqual({ kind: "box", sizes: [{ name: "x", value: 300 }, { name: "y", value: 300.5 }, { name: "z", value: 1000 }] });
  expect(shapeOf("block way: mesh of 300 triangles, pointed_by 1")).toBeUndefined();
});

test("a zone is a command in the units of the cell", () => {
  expect(zoneLine("the gate", "box", [0.3, 0.2, 1], [1, 0, 0.5], "slow-down", "", MM)).toBe('add zone "the gate" box 300 200 1000 at 1000,0,500 rule slow-down');
  expect(zoneLine("gate", "cylinder", [1, 1], [0, 0, 0], "shared", "Puma", MM)).toMatch(/ rule shared for Puma$/);
});
