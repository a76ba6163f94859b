import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DockName, Layout as Docks, LEAST_VIEW } from "./layout.svelte";

let stored: Record<string, string>;

beforeEach(() => {
  stored = {};
  vi.stubGlobal("localStorage", { getItem: (key: string) => stored[key] ?? null, setItem: (key: string, value: string) => (stored[key] = value) });
});
afterEach(() => vi.unstubAllGlobals());

const HOMES: Record<DockName, string[]> = { left: ["tree", "views"], right: ["inspector", "pendant", "programs"], bottom: ["console", "events"] };
const PANELS = (["left", "right", "bottom"] as const).flatMap((dock) => HOMES[dock].map((id) => ({ id, dock })));
class Layout extends Docks {
  constructor(width: number) {
    super(width, PANELS);
  }
}

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
  layout.show("tree");
  layout.toggle("pendant");
  expect(sides(layout)).toEqual([false, true]);
  layout.show("events");
  layout.show("views");
  expect(sides(layout)).toEqual([true, false]);
});

test("a wide window has both, and keeps them while it is narrow", () => {
  const layout = new Layout(1366);
  layout.show("pendant");
  expect(sides(layout)).toEqual([true, true]);
  layout.width = 820;
  expect(sides(layout)).toEqual([false, false]);
  layout.show("tree");
  layout.width = 700; // it stays narrow
  expect(sides(layout)).toEqual([true, false]);
  expect(sides(new Layout(1366))).toEqual([true, true]);
  layout.width = 1366;
  expect(sides(layout)).toEqual([true, true]);
});

test("what shows a panel follows it to the dock where it is now, also in the next window", () => {
  const layout = new Layout(1600);
  layout.move("pendant", "left");
  expect([layout.slotOf("pendant"), layout.panelsIn("left"), layout.front("left")]).toEqual(["left", ["tree", "views", "pendant"], "pendant"]);
  layout.show("tree");
  layout.left.open = false;
  layout.toggle("pendant");
  expect([layout.left.open, layout.shows("pendant"), layout.shows("tree")]).toEqual([true, true, false]);
  layout.toggle("pendant");
  expect(layout.left.open).toBe(false);
  layout.show("pendant");
  const next = new Layout(1600);
  expect([next.slotOf("pendant"), next.shows("pendant"), next.panelsIn("right")]).toEqual(["left", true, ["inspector", "programs"]]);
});

test("two panels of a dock are shown at once, and one part is left when the other has no panel", () => {
  const layout = new Layout(1600);
  layout.move("pendant", "right-2");
  layout.show("inspector");
  expect([layout.parted("right"), layout.shows("inspector"), layout.shows("pendant")]).toEqual([true, true, true]);
  expect(new Layout(1600).front("right-2")).toBe("pendant");
  layout.move("pendant", "bottom");
  expect([layout.parted("right"), layout.front("bottom")]).toEqual([false, "pendant"]);
  layout.move("programs", "right-2");
  layout.move("inspector", "left"); // nothing is above any more
  expect([layout.parted("right"), layout.panelsIn("right"), layout.shows("programs")]).toEqual([false, ["programs"], true]);
});

test("a dock without panels takes no room, and has one again when a panel comes", () => {
  const layout = new Layout(1000);
  for (const id of HOMES.right) layout.move(id, "left");
  expect([layout.opens("right"), layout.bounds("left")[1]]).toEqual([false, 560]);
  layout.move("inspector", "right");
  expect([layout.opens("right"), layout.bounds("left")[1] < 560]).toEqual([true, true]);
});

test("in a narrow window the dock that a panel moved to counts", () => {
  const layout = new Layout(820);
  layout.move("inspector", "left");
  expect(sides(layout)).toEqual([true, false]);
  layout.show("pendant");
  expect(sides(layout)).toEqual([false, true]);
});

test("a layout that was kept before panels could be moved is loaded, and places that do not exist are not", () => {
  stored["workcell-docks-right"] = JSON.stringify({ open: true, size: 430, panel: "pendant" });
  stored["workcell-docks-panels"] = JSON.stringify({ tree: "ceiling", views: 3, gone: "left", events: "left" });
  const layout = new Layout(1366);
  expect([layout.right.size, layout.right.share, layout.shows("pendant")]).toEqual([430, 0.5, true]);
  expect(["tree", "views", "events"].map((id) => layout.slotOf(id))).toEqual(["left", "left", "left"]);
});

test("the layout is reset: panels, sizes and bars, and no dock opens over the view of a narrow window", () => {
  const layout = new Layout(1366);
  layout.move("tree", "right-2");
  layout.right.size = 500;
  layout.switch("status");
  layout.reset();
  expect([layout.slotOf("tree"), layout.right.size, layout.bars.status, layout.shows("tree"), layout.shows("inspector")]).toEqual(["left", 308, true, true, true]);
  expect([new Layout(1366).slotOf("tree"), new Layout(1366).bars]).toEqual(["left", { tools: true, status: true }]);
  layout.width = 820;
  layout.reset();
  expect(sides(layout)).toEqual([false, false]);
});
