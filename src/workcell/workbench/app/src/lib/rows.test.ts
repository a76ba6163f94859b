import { expect, test } from "vitest";
import { rowsOf, seenRows } from "./rows";
import type { TreeNode } from "./tree";

const node = (id: string, kind: TreeNode["kind"], children: TreeNode[] = []): TreeNode => ({
  id, name: id, kind, note: "", bodies: [], children,
});
const tree = [
  node("robots", "group", [node("Puma", "robot", [node("Base", "link"), node("Link 1", "link")])]),
  node("targets", "group", [node("t1", "target"), node("t2", "target")]),
];
const names = (chosen: [string, boolean][], text = "") => rowsOf(tree, new Map(chosen), text).map((row) => row.node.id);

test("groups are open at first, robots and many targets are not", () => {
  expect(names([])).toEqual(["robots", "Puma", "targets", "t1", "t2"]);
  const many = [node("targets", "group", Array.from({ length: 13 }, (_, i) => node(`t${i}`, "target")))];
  expect(rowsOf(many, new Map(), "").map((row) => row.node.id)).toEqual(["targets"]);
  expect(names([["Puma", true], ["targets", true], ["robots", true]])).toEqual(["robots", "Puma", "Base", "Link 1", "targets", "t1", "t2"]);
  expect(names([["robots", false], ["targets", false]])).toEqual(["robots", "targets"]);
});

test("a text shows what has it, with everything above and below it", () => {
  expect(names([], "link")).toEqual(["robots", "Puma", "Link 1"]);
  expect(names([["robots", false]], "puma")).toEqual(["robots", "Puma", "Base", "Link 1"]);
  expect(names([], "t2")).toEqual(["targets", "t2"]);
  expect(names([], "nothing")).toEqual([]);
});

test("only a window of the rows is in the document", () => {
  for (const top of [0, 13, 2600, 51_000, 60_000]) {
    const [first, last] = seenRows(2000, top, 600, 26);
    expect(last - first).toBeLessThanOrEqual(41);
    expect(first * 26).toBeLessThanOrEqual(top);
    expect(last === 2000 || last * 26 >= top + 600).toBe(true);
  }
});
