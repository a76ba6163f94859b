import { Matrix4 } from "three";
import { describe, expect, it } from "vitest";
import { SHAPES } from "./adding";
import type { SizedBlock } from "./commands";
import { resizeLines, sizeName } from "./sizes";

const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
const block = (shape: string, sizes: number[], more: Partial<SizedBlock> = {}) => ({ block: "a b", shape, names: ["x", "y", "z"], sizes, density: null, others: [], placed: false, ...more });
const at = (x: number, y: number, z: number) => new Matrix4().makeTranslation(x, y, z);

describe("other sizes", () => {
  const box = block("box", [0.2, 0.2, 0.2]);
  const shape = 'modify block:"a b" shape box 200 200 400';

  it("keep the foot of what stands upright", () => {
    expect(resizeLines(box, [0.2, 0.2, 0.4], units, "object:crate", at(0.5, 0, 0.1))).toEqual([shape, "place object:crate at 500,0,200 euler fanuc_wpr 0,0,0"]);
    expect(resizeLines(box, [0.4, 0.2, 0.2], units, "object:crate", at(0.5, 0, 0.1))).toHaveLength(1);
  });

  it("leave alone what is carried, tilted, or lies elsewhere in its object", () => {
    const tilted = at(0, 0, 1).multiply(new Matrix4().makeRotationX(0.3));
    expect(resizeLines(box, [0.2, 0.2, 0.4], units, "object:crate", undefined)).toEqual([shape]);
    expect(resizeLines(box, [0.2, 0.2, 0.4], units, "object:crate", tilted)).toEqual([shape]);
    expect(resizeLines({ ...box, placed: true }, [0.2, 0.2, 0.4], units, "object:crate", at(0, 0, 0))).toEqual([shape]);
  });

  it("have names", () => {
    expect([sizeName(block("cylinder", [1, 2]), 0), sizeName(block("box", [1, 2, 3]), 2)]).toEqual(["radius", "z"]);
  });
});

it("the foot of a shape is below its centre of mass", () => {
  const foot = (shape: string, sizes: number[]) => SHAPES[shape]!.foot(sizes);
  expect(foot("cone", [1, 8])).toBe(2);
  expect(foot("pyramid", [1, 1, 8])).toBe(2);
  expect(foot("wedge", [1, 1, 6])).toBe(2);
  expect(foot("truncated-cone", [1, 1, 8])).toBeCloseTo(4, 12); // a cylinder
  expect(foot("truncated-cone", [0, 1, 8])).toBeCloseTo(2, 12); // a cone
});
