import { expect, test } from "vitest";
import { rowsOf, scrolledTo, seenAmong, seenRows, topsOf } from "./rows";
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

test("of rows of several heights, those in the window are seen, with a few on either side", () => {
  const tops = topsOf(Array.from({ length: 2000 }, (_, i) => (i === 3 ? 300 : 20)));
  expect([tops[3], tops[4], tops.at(-1)]).toEqual([60, 360, 40280]);
  expect(seenAmong(tops, 0, 100, 0)).toEqual([0, 4]);
  expect(seenAmong(tops, 100, 100, 0)).toEqual([3, 4]);
  expect(seenAmong(tops, 20000, 200, 2)).toEqual([984, 999]);
  expect(seenAmong(tops, 50000, 200, 2)).toEqual([1998, 2000]);
  expect(seenAmong([0], 0, 100)).toEqual([0, 0]);
});

test("a list is scrolled no farther than needed to see a row", () => {
  expect([scrolledTo([50, 70], 0, 100), scrolledTo([50, 70], 60, 100), scrolledTo([190, 210], 60, 100)]).toEqual([0, 50, 110]);
});
