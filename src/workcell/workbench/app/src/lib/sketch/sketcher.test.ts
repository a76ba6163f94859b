import { expect, test } from "vitest";
import { Sketcher } from "./sketcher.svelte";

test("a rectangle and a circle are drawn by two clicks or by a drag, a polygon by clicks", () => {
  const sketcher = new Sketcher();
  for (const mode of ["rectangle", "circle"] as const) {
    sketcher.mode = mode;
    sketcher.click([0, 0]);
    sketcher.click([0.03, 0.04]);
    const clicked = sketcher.loops.at(-1);
    sketcher.click([0, 0]);
    sketcher.release([0.03, 0.04]);
    expect(sketcher.loops.at(-1)).toEqual(clicked);
    sketcher.release([0.1, 0.1]); // nothing was begun
    expect(sketcher.open).toEqual([]);
  }
  expect(sketcher.loops).toHaveLength(4);
  sketcher.mode = "polygon";
  sketcher.click([0, 0]);
  sketcher.release([0.03, 0.04]);
  expect(sketcher.open).toEqual([[0, 0]]);
});

test("a drag without a width leaves the first corner", () => {
  const sketcher = new Sketcher();
  sketcher.mode = "rectangle";
  sketcher.click([0, 0]);
  sketcher.release([0, 0.04]);
  expect([sketcher.loops.length, sketcher.open.length]).toEqual([0, 1]);
});
