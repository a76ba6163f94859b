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

test("the label of a radius is outside the circle, and whole where the circle is near the border", () => {
  const sheet = new Sheet();
  sheet.centre = [0, 0];
  sheet.scale = 2000;
  for (const radius of [0.001, 0.01, 0.05]) {
    const { x, y } = sheet.around({ kind: "circle", centre: [0, 0], radius });
    const [dx, dy] = [x - 300, 200 - y]; // from the centre to the middle of the label, which is 56 by 20 pixels
    expect(Math.hypot(Math.max(0, dx - 28), Math.max(0, dy - 10))).toBeGreaterThan(radius * 2000);
  }
  sheet.centre = [-0.1, 0]; // the circle touches the right border
  expect(sheet.around({ kind: "circle", centre: [0, 0], radius: 0.05 }).x).toBe(570);
});
