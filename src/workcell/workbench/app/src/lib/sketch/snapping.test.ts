import { describe, expect, it } from "vitest";
import { gridStep, snapped } from "./snapping";

describe("snapping", () => {
  it("puts a point on the grid, and on a corner that is near", () => {
    expect(snapped([0.0123, 0.0381], { grid: 0.01, near: 0.001, corners: [] }).at).toEqual([0.01, 0.04]);
    expect(snapped([0.0123, 0.0381], { grid: 0.01, near: 0.002, corners: [[0.0125, 0.0385]] }).at).toEqual([0.0125, 0.0385]);
  });

  it("shows right angles, level edges and corners in line", () => {
    const found = snapped([0.1, 0.052], { grid: 0.01, near: 0.001, corners: [[0, 0], [0.1, 0]], from: [0.1, 0], before: [0, 0] });
    expect(found).toMatchObject({ at: [0.1, 0.05], straight: true, square: true, guides: [[[0.1, 0], [0.1, 0.05]]] });
    const slanted = snapped([0.13, 0.05], { grid: 0.01, near: 0.001, corners: [], from: [0.1, 0], before: [0, 0] });
    expect(slanted).toMatchObject({ straight: false, square: false });
  });

  it("has a grid of round steps that are not too close", () => {
    expect(gridStep(1000, 0.001)).toBeCloseTo(0.02, 12);
    expect(gridStep(3000, 0.001)).toBeCloseTo(0.005, 12);
  });
});
