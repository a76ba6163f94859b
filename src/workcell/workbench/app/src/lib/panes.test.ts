import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Panes } from "./panes.svelte";

let kept: string;

beforeEach(() => {
  kept = "{}";
  vi.stubGlobal("localStorage", { getItem: () => kept, setItem: (_: string, text: string) => (kept = text) });
});

afterEach(() => vi.unstubAllGlobals());

test("a pane that looks square on from a side is parallel until it is turned away or looks obliquely", () => {
  const panes = new Panes();
  panes.lookFrom(0, "front");
  expect(panes.now.parallel).toBe(true);
  panes.lookFrom(0, "top");
  panes.turn(0);
  expect(panes.now.parallel).toBe(false);
  panes.lookFrom(0, "top");
  panes.lookFrom(0, "iso");
  expect(panes.now.parallel).toBe(false);
});

test("a parallel projection that somebody chose stays, and one that came with a side can be taken off", () => {
  const panes = new Panes();
  panes.toggle("parallel");
  panes.lookFrom(0, "front");
  panes.turn(0);
  panes.lookFrom(0, "iso");
  expect(panes.now.parallel).toBe(true);
  panes.toggle("parallel");
  panes.lookFrom(0, "right");
  panes.toggle("parallel");
  expect(panes.now.parallel).toBe(false);
});

test("the browser keeps the projection that was chosen, not the one of a side", () => {
  const panes = new Panes();
  panes.lookFrom(1, "front");
  panes.toggle("parallel"); // of the first pane
  expect(new Panes().list.map(({ parallel }) => parallel)).toEqual([true, false, false, false]);
});
