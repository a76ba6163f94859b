import { expect, test } from "vitest";
import type { ViewRow } from "./commands";
import { PLAIN } from "./view/appearance";
import { lookLine, stateOf } from "./views.svelte";

const row: ViewRow = {
  name: "close",
  eye: [1, 2, 3],
  target: [0, 0, 0],
  side: "iso",
  projection: "",
  zoom: 1,
  surfaces: "hidden-line",
  edges: "none",
  shadows: false,
  grid: true,
  axes: false,
  cut: [0, 0.2, 0],
  along: [0, 1, 0],
  shows: null,
  hides: ["wall"],
  views: [],
  twist: Math.PI / 6,
  near: 0.4,
};

test("a pane shows what a view keeps, and keeps it again in one command", () => {
  const pane = stateOf(row);
  expect(pane).toEqual({ ...PLAIN, surfaces: "hidden-line", edges: false, shadows: false, axes: false, section: { normal: [0, 1, 0], at: 0.2 }, parallel: false, square: false, twist: Math.PI / 6, near: 0.4, view: "close", shows: null, hides: ["wall"] });
  const line = lookLine("my view", pane, { from: [1, 2, 3], at: [0, 0, 0], zoom: 1.5 }, pane.hides, { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 });
  expect(line).toBe(
    'look "my view" from 1000,2000,3000 at 0,0,0 twist 30deg zoom 1.5 near 400 projection perspective as hidden-line edges none ' +
      'shadows no grid yes axes no cut 0,200,0 along 0,1,0 hiding "wall"',
  );
  expect(lookLine("a", { ...pane, section: null }, { from: [1, 2, 3], at: [0, 0, 0], zoom: 1 }, [], { length: "m", angle: "rad", lengthSize: 1, angleSize: 1 })).toContain("--whole hiding \"\"");
});

test("a view from a side is parallel, as `render` draws it, unless it says otherwise", () => {
  const side = { ...row, eye: null, side: "top" };
  expect(stateOf(side).parallel).toBe(true);
  expect(stateOf({ ...side, projection: "perspective" }).parallel).toBe(false);
  expect(stateOf({ ...side, side: "iso" }).parallel).toBe(false);
});

test("a parallel view from a side is parallel until it is turned away, an oblique one always", () => {
  const parallel: ViewRow = { ...row, projection: "parallel" };
  expect(stateOf({ ...parallel, eye: [0, -3, 0.5], target: [0, 0, 0.5] })).toMatchObject({ parallel: true, square: true });
  expect(stateOf({ ...parallel, eye: [1, -3, 0.5], target: [0, 0, 0.5] })).toMatchObject({ parallel: true, square: false });
});
