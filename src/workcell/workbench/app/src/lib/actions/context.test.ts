import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Bench } from "../bench.svelte";
import type { Host } from "../host";
import type { Scene } from "../protocol";
import { beginning, contextEntries, contextMenu } from "./context";

const POSE = [0, 0, 0, 1, 0, 0, 0] as const;
let bench: Bench;

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  bench = new Bench({ cell: "" } as Host);
  show(() => true);
});

/** Show the cell with some of its things. */
function show(there: (id: string) => boolean): void {
  const nodes = [
    { id: "arm", kind: "robot", name: "arm" },
    { id: "crate", kind: "object", name: "crate" },
    { id: "peg", kind: "object", name: "peg" },
    { id: "main", kind: "program", name: "main" },
  ]
    .filter(({ id }) => there(id))
    .map((node, i) => ({ ...node, note: "", rank: String(i) }));
  const bodies = [
    { id: "arm/0", owner: "arm", link: 0 },
    { id: "arm/1", owner: "arm", link: 1 },
    { id: "b1", owner: "crate", link: -1 },
  ].map((body) => ({ ...body, name: body.id, pose: POSE, pieces: [], movable: false }));
  const robots = [{ id: "arm", name: "arm", joints: [{ name: "J1" }], tool: "", hand: [] }];
  bench.scene.replace({ type: "scene", facts: {}, nodes, bodies, robots, zones: [], curves: [] } as unknown as Scene);
}

afterEach(() => vi.unstubAllGlobals());

function listed(thing = true): string[] {
  return contextEntries(bench, thing).map((entry) => ("heading" in entry ? "–" : entry.action.id));
}

test("a thing has the actions that fit its kind, as the table of actions has them, and a line between their groups", () => {
  bench.selection.select("crate");
  const ids = listed();
  for (const id of ["view.fit", "edit.hide", "edit.isolate", "hand.move", "hand.size", "hand.attach", "edit.rename", "hand.clone", "edit.remove"]) expect(ids).toContain(id);
  for (const id of ["edit.replace-robot", "edit.show-all", "hand.distance"]) expect(ids).not.toContain(id);
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

test("an open menu stays as it is when others edit meanwhile, and an entry of a thing that went says so", () => {
  bench.selection.choose(["crate", "peg"]);
  const { title, entries } = contextMenu(bench, true);
  const before = entries.map((entry) => ("action" in entry ? [entry.action.id, entry.action.enabled?.()] : []));
  const pressed = (id: string, among = entries) => {
    for (const entry of among) if ("action" in entry && entry.action.id === id) entry.action.run();
    return bench.messages.list.splice(0).map((message) => message.text);
  };
  expect([title, pressed("edit.hide")]).toEqual(["2 things", []]);
  expect([...bench.selection.hidden]).toEqual(["crate", "peg"]);
  show((id) => id !== "peg");
  expect(entries.map((entry) => ("action" in entry ? [entry.action.id, entry.action.enabled?.()] : []))).toEqual(before);
  expect(pressed("edit.hide")).toEqual(["peg is no longer in the cell."]);
  expect(bench.selection.hidden.has("crate")).toBe(true);
  bench.selection.select("arm");
  const one = contextMenu(bench, true);
  expect(one.title).toBe("arm");
  bench.selection.select("crate");
  expect(pressed("edit.hide", one.entries)).toEqual(["Something else was selected while the menu was open."]);
});

test("the menu of the cell works whatever went meanwhile", () => {
  const { title, entries } = contextMenu(bench, false);
  show((id) => id !== "peg");
  for (const entry of entries) if ("action" in entry && entry.action.id === "edit.select-all") entry.action.run();
  expect([title, bench.messages.list.length, bench.selection.ids]).toEqual(["The cell", 0, ["arm", "crate"]]);
});

test("a menu is inside of the window wherever it is asked for", () => {
  expect(beginning(100, 200, 800)).toBe(100);
  expect(beginning(700, 200, 800)).toBe(500); // before the pointer
  expect(beginning(150, 700, 800)).toBe(94); // there is no room before it either
  expect(beginning(50, 900, 800)).toBe(6); // it scrolls
});
