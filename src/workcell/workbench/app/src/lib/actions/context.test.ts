import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bench } from "../bench.svelte";
import type { Host } from "../host";
import type { Scene } from "../protocol";
import { beginning, contextEntries } from "./context";

const POSE = [0, 0, 0, 1, 0, 0, 0] as const;
let bench: Bench;

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  bench = new Bench({ cell: "" } as Host);
  const nodes = [
    { id: "arm", kind: "robot", name: "arm" },
    { id: "crate", kind: "object", name: "crate" },
    { id: "peg", kind: "object", name: "peg" },
    { id: "main", kind: "program", name: "main" },
  ].map((node, i) => ({ ...node, note: "", rank: String(i) }));
  const bodies = [
    { id: "arm/0", owner: "arm", link: 0 },
    { id: "arm/1", owner: "arm", link: 1 },
    { id: "b1", owner: "crate", link: -1 },
  ].map((body) => ({ ...body, name: body.id, pose: POSE, pieces: [], movable: false }));
  const robots = [{ id: "arm", name: "arm", joints: [{ name: "J1" }], tool: "", hand: [] }];
  bench.scene.replace({ type: "scene", facts: {}, nodes, bodies, robots, zones: [], curves: [] } as unknown as Scene);
});

afterEach(() => vi.unstubAllGlobals());

function listed(thing = true): string[] {
  return contextEntries(bench, thing).map((entry) => ("heading" in entry ? "–" : entry.action.id));
}

test("a thing has the actions that fit its kind, as the table of actions has them, and a line between their groups", () => {
  bench.selection.select("crate");
  const ids = listed();
  for (const id of ["view.fit", "edit.hide", "edit.isolate", "hand.move", "hand.size", "hand.attach", "edit.rename", "hand.clone", "edit.remove"]) expect(ids).toContain(id);
  for (const id of ["hand.home", "edit.replace-robot", "edit.show-all", "hand.distance"]) expect(ids).not.toContain(id);
  expect([ids[0], ids.at(-2), ids.at(-1)]).toEqual(["view.fit", "–", "edit.remove"]);
  const rename = contextEntries(bench, true).find((entry) => "action" in entry && entry.action.id === "edit.rename");
  expect(rename).toEqual({ action: bench.actions.get("edit.rename") });
});

test("a robot can go home and be replaced, its link moves with it and has no name of its own, a program is not moved", () => {
  bench.selection.select("arm");
  expect(listed()).toEqual(expect.arrayContaining(["hand.move", "hand.home", "edit.replace-robot", "edit.rename"]));
  expect(listed()).not.toContain("hand.attach");
  bench.selection.select(bench.scene.node("arm")!.children[0]!.id);
  expect(listed()).toEqual(expect.arrayContaining(["edit.hide", "hand.move"]));
  expect(listed()).not.toContain("edit.rename");
  bench.selection.select("main");
  expect(listed()).toEqual(["view.fit", "–", "edit.rename", "–", "edit.remove"]);
});

test("two things can be measured, and are not renamed", () => {
  bench.selection.choose(["crate", "peg"]);
  expect(listed()).toContain("hand.distance");
  expect(listed()).not.toContain("edit.rename");
});

test("beside all things, the menu is that of the cell", () => {
  expect(listed(false).slice(0, 3)).toEqual(["edit.add", "file.import", "–"]);
  expect(listed(false)).not.toContain("edit.show-all");
  bench.selection.toggleHidden("crate");
  expect(listed(false)).toContain("edit.show-all");
});

test("a menu is inside of the window wherever it is asked for", () => {
  expect(beginning(100, 200, 800)).toBe(100);
  expect(beginning(700, 200, 800)).toBe(500); // before the pointer
  expect(beginning(150, 700, 800)).toBe(94); // there is no room before it either
  expect(beginning(50, 900, 800)).toBe(6); // it scrolls
});
