import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keyParts } from "./actions/keys";
import { Bench } from "./bench.svelte";
import type { Host } from "./host";

beforeEach(() => {
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  vi.stubGlobal("Element", function Element() {});
});

afterEach(() => vi.unstubAllGlobals());

const bench = () => new Bench({ cell: "" } as Host);
const press = (key: string, shiftKey = false) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey, target: null });

test("no two actions share an id, or a key in the same place", () => {
  const { actions } = bench();
  const ids = actions.list.map((action) => action.id);
  expect(new Set(ids).size).toBe(ids.length);
  const keys = actions.list.flatMap((action) => (action.keys ?? []).map((key) => `${action.where ?? ""} ${key}`));
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  for (const action of actions.list) for (const key of action.keys ?? []) expect(keyParts(key).every(Boolean)).toBe(true);
});

test("what is typed while something is dragged is no key of the view", () => {
  const one = bench();
  const run = vi.spyOn(one.actions.list.find((action) => action.keys?.includes("1"))!, "run");
  one.actions.held = true;
  for (const key of ["1", "5", "g", "."]) one.actions.press(press(key));
  expect([run.mock.calls.length, one.panes.now.grid]).toEqual([0, true]);
  one.actions.held = false;
  one.actions.press(press("1"));
  expect(run).toHaveBeenCalledOnce();
});

test("what was meant for a field that is gone is no key of an action; undo and function keys are", () => {
  class Gone {
    closest = () => null;
    matches = (selector: string) => selector === "[data-quiet]";
  }
  vi.stubGlobal("Element", Gone);
  const one = bench();
  const undo = vi.spyOn(one.actions.get("edit.undo"), "run").mockReturnValue();
  vi.spyOn(one.actions.get("edit.undo"), "enabled").mockReturnValue(true);
  const remove = vi.spyOn(one.actions.get("edit.remove"), "run").mockReturnValue();
  const target = new Gone() as unknown as EventTarget;
  for (const key of ["g", "1", "Delete", " "]) expect(one.actions.press({ ...press(key), target })).toBe(false);
  expect([one.panes.now.grid, remove.mock.calls.length]).toEqual([true, 0]);
  one.actions.press({ ...press("z"), ctrlKey: true, target });
  expect(undo).toHaveBeenCalledOnce();
});

test("a key runs its action, unless it is not possible now", () => {
  const one = bench();
  expect(one.actions.press(press("g"))).toBe(true);
  expect(one.panes.now.grid).toBe(false);
  expect(one.actions.press(press("Home"))).toBe(false); // nothing is recorded
  expect(one.actions.press(press("F12"))).toBe(false);
});

test("a run that is paused at its start can neither be stepped back nor played", () => {
  const one = bench();
  const able = () => ["program.back", "time.play"].map((id) => one.actions.get(id).enabled?.());
  const hear = (state: string, back = false) => (one.programs.info = { state, back, programs: [], threads: [] } as never);
  expect(able()).toEqual([false, true]);
  hear("paused");
  expect(able()).toEqual([false, false]);
  expect(one.actions.get("program.back").title?.()).toBe("Step back: the run has no earlier pause");
  hear("paused", true);
  one.time.resize(2);
  expect(able()).toEqual([true, true]);
});

test("the state is neither kept nor reset during a run, and the entries say why", () => {
  const one = bench();
  const able = () => ["program.keep-state", "program.reset"].map((id) => one.actions.get(id).enabled?.());
  const hear = (state: string, elsewhere: string[]) => (one.programs.info = { state, elsewhere, programs: [], threads: [] } as never);
  hear("none", []);
  expect(able()).toEqual([false, true]); // there is nothing to keep
  hear("none", ["Puma"]);
  expect(able()).toEqual([true, true]);
  for (const state of ["paused", "goes"]) {
    hear(state, ["Puma"]);
    expect(able()).toEqual([false, false]);
    for (const id of ["program.keep-state", "program.reset"]) expect(one.actions.get(id).title?.()).toMatch(/: a run is (paused|in progress); /);
  }
});

test("Ctrl S saves typed lines, or else the recording of a cell in a file, or else the cell as a file", async () => {
  const one = bench();
  const lines: string[] = [];
  vi.spyOn(one.programs, "keep").mockImplementation(() => Promise.resolve(lines.push("keep") > 0));
  vi.spyOn(one.log, "answer").mockImplementation((line) => Promise.resolve(lines.push(line) > 0 ? "saved in a.cell, with the recording of 2.0 s" : ""));
  const save = () => one.actions.press({ ...press("s"), ctrlKey: true });
  expect(save()).toBe(true);
  expect(one.opened).toBe("save-as");
  one.opened = "";
  one.cells.list = [{ id: "1", first: true, file: "/b/a.cell" } as never];
  save();
  await vi.waitFor(() => expect(one.messages.list.map(({ title, text }) => [title, text])).toEqual([["Saved in a.cell, with the recording of 2.0 s.", "/b/a.cell"]]));
  one.programs.draft = "wait 1";
  save();
  expect([lines, one.opened]).toEqual([["save", "keep"], ""]);
});

test("shadows are not ticked where none are drawn, and the entry says why", () => {
  const one = bench();
  const shadows = one.actions.get("view.shadows");
  expect([shadows.on?.(), shadows.enabled?.()]).toEqual([true, true]);
  one.view = { shadows: false } as NonNullable<Bench["view"]>;
  expect([shadows.on?.(), shadows.enabled?.()]).toEqual([false, false]);
  expect(shadows.title?.()).toMatch(/^Not drawn: .* graphics processor/);
});

test("the menu File has an entry that opens cells, which is also found by what it opens", () => {
  const open = bench().actions.menu("File").find(({ label }) => label === "Open …")!;
  expect([open.keys?.[0], open.title?.()]).toEqual(["Ctrl+O", "Open a sample cell, a recent file or another cell file"]);
});
