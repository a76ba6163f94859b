import { expect, test } from "vitest";
import { LineIds, linesNow } from "./line_ids.svelte";

const now = (before: string, after: string) => Object.fromEntries(linesNow(before.split("|"), after.split("|")));

test("lines are followed through insertions, removals and changes in place", () => {
  expect(now("a|b|c", "x|a|b|c")).toEqual({ 1: 2, 2: 3, 3: 4 });
  expect(now("a|b|c", "a|c")).toEqual({ 1: 1, 3: 2 });
  expect(now("a|b|c", "a|B|c")).toEqual({ 1: 1, 2: 2, 3: 3 });
  expect(now("a|b|c|d|e", "x|a|c|D|e|y")).toEqual({ 1: 2, 3: 3, 4: 4, 5: 5 });
  expect(now("", "a")).toEqual({ 1: 1 });
});

test("lines that go into a block, or elsewhere, are followed", () => {
  expect(now("a|b|c", "repeat 2|  a|  b|end|c")).toEqual({ 1: 2, 2: 3, 3: 5 });
  expect(now("a|b|c|d", "d|a|b|c")).toEqual({ 1: 2, 2: 3, 3: 4, 4: 1 });
});

test("equal lines are followed if another line was inserted, and not if an equal one was", () => {
  expect(now("a|a|a", "x|a|a|a")).toEqual({ 1: 2, 2: 3, 3: 4 });
  expect(now("a|a|b", "a|a|a|b")).toEqual({ 3: 4 });
  expect(now("a|a|a|b", "a|a|b")).toEqual({ 4: 3 });
  expect(now("a|a|b|a", "a|a|b|x|a")).toEqual({ 1: 1, 2: 2, 3: 3, 4: 5 });
});

test("ids stay with their lines", () => {
  const ids = new LineIds();
  ids.begin("a\nb\nc");
  const [a, b, c] = [1, 2, 3].map((line) => ids.of(line)) as [number, number, number];
  const where = ids.follow("x\na\nc");
  expect([ids.lineOf(a), ids.lineOf(b), ids.lineOf(c), where(1), where(2), where(3)]).toEqual([2, 0, 3, 2, 0, 3]);
  expect(new Set([a, b, c]).has(ids.of(1))).toBe(false);
  ids.begin("a\nc");
  expect([ids.lineOf(a), ids.lineOf(c), ids.of(3)]).toEqual([0, 0, 0]);
});

test("large programs are compared, too", () => {
  const lines = Array.from({ length: 2000 }, (_, i) => `wait ${i}`);
  const changed = ["first", ...lines.slice(0, 900), ...lines.slice(910), "last"];
  const found = linesNow(lines, changed);
  expect([found.get(5), found.get(1990)]).toEqual([6, 1981]);
});
