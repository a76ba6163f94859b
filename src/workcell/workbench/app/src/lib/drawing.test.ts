import { Vector3 } from "three";
import { expect, test } from "vitest";
import { curveLine, patchLine, patchRows, wallEdges, wallLine, wallOn } from "./drawing";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };

test("a curve needs two points, and is a command in the units of the cell", () => {
  expect(curveLine("arch", [[0, 0, 0]], "through", MM)).toBe("");
  expect(curveLine("my arch", [[0, 0, 0], [0.1, 0, 0.05]], "control", MM)).toBe('create curve "my arch" control (0,0,0) (100,0,50)');
});

test("a patch over a rectangle has rows of control points in the plane of its first corner", () => {
  const rows = patchRows([[0, 0, 0.2], [0.2, 0.1, 0.5]], [0, 0, 1], [3, 2]);
  expect(patchLine("sheet", rows, MM)).toBe("create patch sheet (0,0,200) (0,100,200) row (100,0,200) (100,100,200) row (200,0,200) (200,100,200)");
  const upright = patchRows([[0, 0, 0], [5, 1, 1]], [1, 0, 0], [2, 2]).flat();
  expect(upright.every(([x]) => Math.abs(x) < 1e-12)).toBe(true);
  expect(upright.at(-1)!.map((value) => Math.round(value * 1e9) / 1e9)).toEqual([0, 1, 1]);
  expect(patchRows([[0, 0, 0], [1, 0, 0]], [0, 0, 1], [3, 3])).toEqual([]);
  expect(patchLine("sheet", [], MM)).toBe("");
});

test("a wall stands on its line, turned along it, as a zone or as a solid", () => {
  const wall = wallOn([[0, 0, 0.1], [1, 1, 0.5]], 0.05, 2)!;
  expect(wallLine("fence", wall, "keep-out", MM, "fanuc_wpr")).toBe("add zone fence box 1414.213562 50 2000 at 500,500,1100 euler fanuc_wpr 0,0,45 rule keep-out");
  expect(wallLine("fence", wallOn([[0, 0, 0], [1, 0, 0]], 0.05, 2)!, "solid", MM, "fanuc_wpr")).toBe("add solid fence box 1000 50 2000 at 500,0,1000");
  const ends = wallEdges(wall).flat().map((corner) => new Vector3(...(corner as [number, number, number])));
  expect(Math.min(...ends.map(({ z }) => z))).toBeCloseTo(0.1);
  expect(Math.min(...ends.map((corner) => corner.distanceTo(new Vector3(0, 0, 0.1))))).toBeCloseTo(0.025);
  expect(wallOn([[0, 0, 0], [0, 0, 1]], 0.05, 2)).toBeUndefined();
  expect(wallOn([[0, 0, 0], [1, 0, 0]], 0, 2)).toBeUndefined();
});
