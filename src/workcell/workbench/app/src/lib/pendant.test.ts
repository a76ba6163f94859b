import { Matrix4 } from "three";
import { describe, expect, it } from "vitest";
import { closest, freeName, moved } from "./pendant.svelte";
import { fromPlace as made, placeOf as read } from "./rigid";

type Three = [number, number, number];
const fromPlace = (xyz: Three, angles: Three) => made({ xyz, angles }, "fanuc_wpr");
const placeOf = (pose: Matrix4) => read(pose, "fanuc_wpr");

describe("jogging", () => {
  const pose = fromPlace([0.5, 0.2, 0.3], [Math.PI, 0.3, -0.4]);

  it("shifts along the axes of the world", () => {
    const { xyz, angles } = placeOf(moved(pose, fromPlace([0, 0, 0.01], [0, 0, 0]), "world"));
    expect(xyz[2]).toBeCloseTo(0.31, 12);
    expect(angles[1]).toBeCloseTo(0.3, 9);
  });

  it("shifts along the axes of the hand", () => {
    const after = moved(pose, fromPlace([0, 0, 0.01], [0, 0, 0]), "hand");
    const z = [8, 9, 10].map((k) => pose.elements[k]!);
    placeOf(after).xyz.forEach((value, i) => expect(value).toBeCloseTo([0.5, 0.2, 0.3][i]! + 0.01 * z[i]!, 12));
  });

  it("turns about the point of the hand in both frames", () => {
    for (const frame of ["world", "hand"] as const) {
      const after = moved(pose, fromPlace([0, 0, 0], [0, 0, 0.5]), frame);
      placeOf(after).xyz.forEach((value, i) => expect(value).toBeCloseTo([0.5, 0.2, 0.3][i]!, 12));
      const turn = frame === "world" ? after.clone().multiply(pose.clone().invert()) : pose.clone().invert().multiply(after);
      turn.setPosition(0, 0, 0);
      new Matrix4().makeRotationZ(0.5).elements.forEach((value, i) => expect(turn.elements[i]).toBeCloseTo(value, 9));
    }
  });
});

describe("choices", () => {
  it("take the nearest way", () => {
    const ways = [[3, 0], [0.2, -0.1], [0.3, 0]].map((joints) => ({ joints }));
    expect(closest(ways, [0, 0])).toBe(ways[1]);
    expect(closest(ways.slice(3), [0])).toBeUndefined();
  });

  it("name a thing by the first free number", () => {
    expect(freeName("target", new Set(["target1", "target3"]))).toBe("target2");
  });
});
