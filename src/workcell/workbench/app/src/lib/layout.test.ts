import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Layout, LEAST_VIEW } from "./layout.svelte";

let stored: Record<string, string>;

beforeEach(() => {
  stored = {};
  vi.stubGlobal("localStorage", { getItem: (key: string) => stored[key] ?? null, setItem: (key: string, value: string) => (stored[key] = value) });
});
afterEach(() => vi.unstubAllGlobals());

const view = (layout: Layout) => layout.width - (["left", "right"] as const).reduce((sum, dock) => sum + (layout[dock].open ? layout.sizeOf(dock) : 0), 0);

test("the view keeps its least width, whatever sizes are stored and however narrow the window becomes", () => {
  for (const size of [1e9, 600, -5, "wide", null]) {
    for (const dock of ["left", "right"]) stored[`workcell-docks-${dock}`] = JSON.stringify({ open: true, size, panel: "tree" });
    const layout = new Layout(1600);
    for (const width of [2000, 1366, 1000, 901]) {
      layout.width = width;
      expect(view(layout)).toBeGreaterThanOrEqual(LEAST_VIEW);
      layout.left.open = false;
      expect(view(layout)).toBeGreaterThanOrEqual(LEAST_VIEW);
      layout.left.open = true;
    }
  }
});

test("a dock has its own size again when there is room", () => {
  const layout = new Layout(1600);
  layout.left.size = layout.right.size = 500;
  layout.width = 1000;
  expect(layout.sizeOf("left")).toBeLessThan(500);
  layout.width = 1600;
  expect([layout.sizeOf("left"), layout.sizeOf("right")]).toEqual([500, 500]);
});

const sides = ({ left, right }: Layout) => [left.open, right.open];

test("a narrow window begins with the view alone and has one dock at a side at a time", () => {
  const layout = new Layout(820);
  expect(sides(layout)).toEqual([false, false]);
  layout.show("left", "tree");
  layout.toggle("right", "pendant");
  expect(sides(layout)).toEqual([false, true]);
  layout.show("bottom", "events");
  layout.show("left", "views");
  expect(sides(layout)).toEqual([true, false]);
});

test("a wide window has both, and keeps them while it is narrow", () => {
  const layout = new Layout(1366);
  layout.show("right", "pendant");
  expect(sides(layout)).toEqual([true, true]);
  layout.width = 820;
  expect(sides(layout)).toEqual([false, false]);
  layout.show("left", "tree");
  layout.width = 700; // it stays narrow
  expect(sides(layout)).toEqual([true, false]);
  expect(sides(new Layout(1366))).toEqual([true, true]);
  layout.width = 1366;
  expect(sides(layout)).toEqual([true, true]);
});
