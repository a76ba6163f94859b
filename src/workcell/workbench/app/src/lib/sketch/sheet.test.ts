import { expect, test } from "vitest";
import type { Polygon } from "./loops";
import { Sheet } from "./sheet.svelte";

const square: Polygon = { kind: "polygon", points: [[0, 0], [0.1, 0], [0.1, 0.1], [0, 0.1]], via: [] };

test("the label of an edge is outside the loop, and whole where its edge is near the border", () => {
  const sheet = new Sheet();
  sheet.centre = [0.05, 0.05];
  sheet.scale = 2000; // the square takes 200 of 600 by 400 pixels
  expect(sheet.beside(square, 3)).toEqual({ x: 164, y: 200 }); // at the left, 36 pixels away
  sheet.centre = [0.14, 0.05]; // the left edge is 20 pixels from the border
  expect(sheet.beside(square, 3)).toEqual({ x: 30, y: 200 });
  sheet.centre = [0.2, 0.05]; // it is out of sight
  expect(sheet.beside(square, 3).x).toBeLessThan(0);
});
