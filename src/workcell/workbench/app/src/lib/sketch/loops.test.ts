import { describe, expect, it } from "vitest";
import { dimensions, holes, type Loop, outline, type Point, polygon, signedArea, throughThree, withArc, withCorner, withLength, withoutCorner, words } from "./loops";

const L: Point[] = [[0, 0], [0.1, 0], [0.1, 0.04], [0.04, 0.04], [0.04, 0.1], [0, 0.1]];
const hole: Loop = { kind: "circle", centre: [0.02, 0.02], radius: 0.01 };

describe("loops of a sketch", () => {
  it("are written as the command reads them, contours first and holes by where they lie", () => {
    expect(words([hole, polygon(L)], 0.001)).toBe("contour (0,0) (100,0) (100,40) (40,40) (40,100) (0,100) bore 10 at 20,20");
    expect(words([hole], 0.001)).toBe("disc 10 at 20,20");
  });

  it("know holes by how many others are around them", () => {
    const island: Loop = { kind: "circle", centre: [0.02, 0.02], radius: 0.002 };
    expect(holes([polygon(L), hole, island])).toEqual([false, true, false]);
  });

  it("keep their right angles when an edge gets another length", () => {
    const longer = withLength(polygon(L), 0, 0.15);
    expect(longer.points).toEqual([[0, 0], [0.15, 0], [0.15, 0.04], [0.04, 0.04], [0.04, 0.1], [0, 0.1]]);
    expect(dimensions(longer)[0]!.value).toBeCloseTo(0.15, 12);
    const other = withLength(polygon(L), 2, 0.03); // goes back along x, so that the step moves
    expect(dimensions(other).map((one) => one.value)).toHaveLength(6);
    [0.1, 0.04, 0.03, 0.06, 0.07, 0.1].forEach((value, i) => expect(dimensions(other)[i]!.value).toBeCloseTo(value, 12));
  });

  it("move only the end of an edge when no right angle follows", () => {
    const triangle = polygon([[0, 0], [0.1, 0], [0, 0.1]]);
    expect(withLength(triangle, 0, 0.2).points).toEqual([[0, 0], [0.2, 0], [0, 0.1]]);
  });

  it("get and lose corners, and stay polygons", () => {
    const more = withCorner(polygon(L), 1);
    expect(more.points[2]).toEqual([0.1, 0.02]);
    expect(withoutCorner(more, 2)).toEqual(polygon(L));
    const triangle = polygon([[0, 0], [1, 0], [0, 1]]);
    expect(withoutCorner(triangle, 0)).toBe(triangle);
  });

  it("have arcs through a point, exact in the command and close in the picture", () => {
    const half = withArc(polygon([[0, 0], [0.02, 0], [0.02, 0.01], [0, 0.01]]), 1, [0.025, 0.005]);
    expect(words([half], 0.001)).toBe("contour (0,0) (20,0) arc (25,5) (20,10) (0,10)");
    expect(dimensions(half)[1]).toHaveProperty("arc", true);
    expect(dimensions(half)[1]!.value).toBeCloseTo(0.005, 12);
    expect(signedArea(outline(half))).toBeCloseTo(0.0002 + (Math.PI * 0.005 ** 2) / 2, 6);
    expect(throughThree([0, 0], [1, 1], [2, 2])).toBeUndefined();
  });

  it("close with an arc by naming the first corner again", () => {
    const closed = withArc(polygon([[0, 0], [0.02, 0], [0.02, 0.01]]), 2, [0.005, 0.01]);
    expect(words([closed], 0.001)).toBe("contour (0,0) (20,0) (20,10) arc (5,10) (0,0)");
  });
});
