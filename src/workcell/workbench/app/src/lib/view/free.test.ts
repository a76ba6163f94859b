import { expect, test } from "vitest";
import { insetsOf, NONE } from "./free";

const edges = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });
const PANE = edges(100, 50, 1100, 650);

test("tools take the side at which they stand", () => {
  expect(insetsOf(PANE, [edges(110, 60, 150, 340)])).toEqual({ ...NONE, left: 0.05 });
  expect(insetsOf(PANE, [edges(110, 60, 150, 340), edges(110, 90, 160, 120)])).toEqual({ ...NONE, left: 0.06 });
});

test("a low wide card takes the top, one that is narrow and high the side", () => {
  expect(insetsOf(PANE, [edges(840, 62, 1088, 110)])).toEqual({ ...NONE, top: 0.1 });
  expect(insetsOf(PANE, [edges(900, 62, 1090, 600)])).toEqual({ ...NONE, right: 0.2 });
});

test("what is beside the pane or takes too much of it is not regarded", () => {
  expect(insetsOf(PANE, [edges(0, 60, 90, 340), edges(200, 100, 1000, 600)])).toEqual(NONE);
});
