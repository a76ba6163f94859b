import { Vector3 } from "three";
import { expect, test } from "vitest";
import { gripsOf, reachOf, resized } from "./sizing.svelte";

test.each([["box", [0.3, 0.2, 0.1], 6], ["cylinder", [0.04, 0.1], 6], ["sphere", [0.05], 6], ["cone", [0.1, 0.1], 0]] as const)(
  "a %s has its grips, and dragging one moves its face by as much as the pointer",
  (shape, sizes, count) => {
    const grips = gripsOf(shape);
    expect(grips.length).toBe(count);
    for (const grip of grips) {
      const value = sizes[grip.size]! + 0.02;
      const { sizes: now, shift } = resized({ sizes }, grip, value);
      const moved = shift.dot(grip.outward) + reachOf(grip, now) - reachOf(grip, sizes);
      expect(moved).toBeCloseTo(0.02);
      const opposite = -shift.dot(grip.outward) + reachOf(grip, now) - reachOf(grip, sizes);
      expect(opposite).toBeCloseTo(grip.oneSided ? 0 : 0.02); // the opposite face of a box stays; what is round grows evenly
      expect(now.filter((size, i) => size !== sizes[i]).length).toBe(1);
    }
  },
);

test("no size goes below a millimetre", () => {
  const grip = gripsOf("box")[0]!;
  const { sizes, shift } = resized({ sizes: [0.3, 0.2, 0.1] }, grip, -0.4);
  expect(sizes[0]).toBe(1e-3);
  expect(shift.equals(new Vector3(-0.1495, 0, 0))).toBe(true);
});
