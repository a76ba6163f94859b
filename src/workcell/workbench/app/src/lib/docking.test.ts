import { expect, test, vi } from "vitest";
import { type Area, landing } from "./docking";
import { Layout } from "./layout.svelte";

vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
const PANELS = [["tree", "left"], ["inspector", "right"], ["pendant", "right"], ["console", "bottom"], ["events", "bottom"]] as const;
const made = () => new Layout(1400, PANELS.map(([id, dock]) => ({ id, dock })));
const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });
const LEFT: Area = { slot: "left", box: box(0, 40, 250, 640) };
const RIGHT: Area = { slot: "right", box: box(1100, 40, 1400, 640) };
const BOTTOM: Area = { slot: "bottom", box: box(0, 700, 1400, 880) };
const MIDDLE = box(250, 40, 1100, 640);
const to = (panel: string, x: number, y: number, layout = made(), areas = [LEFT, RIGHT, BOTTOM], middle = MIDDLE) => landing(layout, panel, { x, y }, areas, middle);

test("a tab lands in the dock under the pointer, and at its end as a second part", () => {
  expect(to("pendant", 100, 100)).toEqual({ slot: "left", mark: LEFT.box, title: "To the left dock" });
  expect(to("pendant", 100, 600)).toMatchObject({ slot: "left-2", mark: { top: 400, bottom: 640 }, title: "To the left dock, below" });
  expect(to("pendant", 1300, 800)).toMatchObject({ slot: "bottom-2", mark: { left: 840 }, title: "To the lower dock, on the right" });
  expect(to("pendant", 1200, 600)?.slot).toBe("right-2");
});

test("where it is already, and beside all docks, it stays", () => {
  expect(to("pendant", 1200, 100)).toBeUndefined();
  expect(to("tree", 100, 600)).toBeUndefined(); // there is nothing for it to be below of
  expect(to("pendant", 600, 300)).toBeUndefined();
});

test("the edge of the view stands for a dock that is closed or empty", () => {
  const layout = made();
  expect(to("pendant", 20, 300, layout, [RIGHT], box(0, 40, 1100, 800))).toMatchObject({ slot: "left", mark: { left: 0, right: 250 } });
  expect(to("pendant", 600, 780, layout, [LEFT, RIGHT], box(250, 40, 1100, 800))).toMatchObject({ slot: "bottom", mark: { top: 610, bottom: 800 } });
  expect(to("tree", 1080, 300, layout, [LEFT, BOTTOM])?.slot).toBe("right");
  expect(to("tree", 1080, 300, layout)).toBeUndefined(); // the dock is there
});

test("a part has no parts", () => {
  const layout = made();
  layout.move("pendant", "right-2");
  const areas = [LEFT, { slot: "right", box: box(1100, 40, 1400, 340) }, { slot: "right-2", box: box(1100, 340, 1400, 640) }, BOTTOM] as Area[];
  expect([to("tree", 1200, 320, layout, areas)?.slot, to("tree", 1200, 620, layout, areas)?.slot]).toEqual(["right", "right-2"]);
});
