import { describe, expect, it } from "vitest";
import { chosenRobot, freePlace, robotLine, robotsWith, SHAPES, solidLine, toolLines } from "./adding";

const MM = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const ROBOTS = [
  { name: "puma560", maker: "Unimation", model: "PUMA 560", joints: 6, reach: 0.864, payload: 2.5, computed: false },
  { name: "kr210", maker: "KUKA", model: "KR 210", joints: 6, reach: 2.7, payload: 210, computed: false },
  { name: "irb6400", maker: "ABB", model: "IRB 6400", joints: 6, reach: null, payload: 150, computed: false },
];

describe("adding", () => {
  it("writes shapes in the units of the cell", () => {
    expect(solidLine("my box", "box", [0.1, 0.2, 0.3], [1, 0, 0.15], MM, { colour: "#ff0000", movable: true })).toBe(
      'add solid "my box" box 100 200 300 at 1000,0,150 colour #ff0000 --movable',
    );
    const metres = { ...MM, length: "m", lengthSize: 1 };
    expect(solidLine("ball", "sphere", [0.1], [0, 0, 0.1], metres)).toBe("add solid ball sphere 0.1 at 0,0,0.1");
  });

  it("makes a table a fixed box", () => {
    expect(solidLine("t", "table", [0.8, 0.6, 0.4], [0, 0, 0.2], MM, { movable: true })).toBe("add solid t box 800 600 400 at 0,0,200");
  });

  it("has a first value for every size, and stands on the floor", () => {
    for (const shape of Object.values(SHAPES)) {
      expect(shape.first.length).toBe(shape.sizes.length);
      expect(shape.foot(shape.first)).toBeGreaterThan(0);
    }
  });

  it("finds robots by name, reach and payload; what is not stated is not enough", () => {
    const names = (text: string, reach: number, payload: number) => robotsWith(ROBOTS, text, reach, payload).map((one) => one.name);
    expect(names("", 0, 0)).toEqual(["puma560", "kr210", "irb6400"]);
    expect(names("kuka", 0, 0)).toEqual(["kr210"]);
    expect(names("", 0.864, 0)).toEqual(["puma560", "kr210"]);
    expect(names("", 0, 100)).toEqual(["kr210", "irb6400"]);
    expect(names("", 1, 100)).toEqual(["kr210"]);
  });

  it("chooses what was picked while it is found, else the first, else nothing", () => {
    const found = (text: string) => robotsWith(ROBOTS, text, 0, 0);
    expect(chosenRobot(found(""), "")).toBe("puma560");
    expect(chosenRobot(found(""), "irb6400")).toBe("irb6400");
    expect(chosenRobot(found("kr"), "irb6400")).toBe("kr210");
    expect(chosenRobot(found("nothing such"), "irb6400")).toBe("");
  });

  it("puts every shape beside everything, at a round place", () => {
    expect(freePlace(0, 0.1)).toBe(0.3);
    expect(freePlace(1.1 + 0.4, 0.1)).toBe(1.8);
    for (const shape of Object.values(SHAPES)) {
      const side = shape.side(shape.first.map((size) => 5 * size));
      expect(side).toBeGreaterThan(0);
      expect(freePlace(1.23, side) - side).toBeGreaterThan(1.23 + 0.199);
    }
  });

  it("writes robots and tools", () => {
    expect(robotLine("R 1", "kr210", [1, 2, 0], MM)).toBe('create robot "R 1" kr210 at 1000,2000,0');
    expect(toolLines("vac", "vacuum-2x2", "")).toEqual(["create tool vac vacuum-2x2"]);
    expect(toolLines("vac", "vacuum-2x2", "R 1")).toEqual(["create tool vac vacuum-2x2", 'fit tool vac to "R 1"']);
  });
});
