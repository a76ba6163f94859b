import { expect, test } from "vitest";
import type { Action, Group } from "./action";
import { entriesOf, rowsOf } from "./menu";

const action = (id: string, group: Group, part?: string): Action => ({ id, group, label: id, run: () => {}, ...(part ? { part } : {}) });
const words = (actions: Action[], groups: boolean) => entriesOf(actions, groups).map((entry) => ("heading" in entry ? `# ${entry.heading}` : entry.action.id));

test("a menu of all groups has a heading for each of them", () => {
  const all = [action("open", "File"), action("save", "File"), action("undo", "Edit"), action("wires", "View", "Drawing style")];
  expect(words(all, true)).toEqual(["# File", "open", "save", "# Edit", "undo", "# View", "# Drawing style", "wires"]);
  expect(words(all.slice(0, 3), false)).toEqual(["open", "save", "undo"]);
});

test("a menu takes more columns where the window is too low, and no column ends with a heading", () => {
  const lines = entriesOf(Array.from({ length: 30 }, (_, i) => action(String(i), "View", i < 14 ? "a" : "b")), false);
  expect(rowsOf(lines, 26, 1366, 1080)).toBe(32);
  const rows = rowsOf(lines, 26, 1366, 768);
  expect(rows).toBe(17); // with 16, the heading b would be the last of the first column
  expect("heading" in lines[15]!).toBe(true);
  expect(rowsOf(lines, 26, 400, 768)).toBe(32); // no room beside it: it scrolls
});
