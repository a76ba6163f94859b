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

test("a key runs its action, unless it is not possible now", () => {
  const one = bench();
  expect(one.actions.press(press("g"))).toBe(true);
  expect(one.panes.now.grid).toBe(false);
  expect(one.actions.press(press("Home"))).toBe(false); // nothing is recorded
  expect(one.actions.press(press("F12"))).toBe(false);
});
