import { expect, test } from "vitest";
import type { RunLine } from "./commands";
import { frontOf, litAt, litByRun } from "./lit";
import type { RunInfo } from "./protocol";

const LINES: RunLine[] = [
  { start: 0, end: 1, program: "main", line: 1 },
  { start: 1, end: 4, program: "sub", line: 2, callers: [["main", 3]] },
  { start: 1, end: 2, program: "main", line: 5 },
  { start: 2, end: 2, program: "main", line: 6 },
];

test("at the playhead every line that is carried out is lit, and those that called it", () => {
  expect([...litAt(LINES, 0.5).get("main")!]).toEqual([[1, "runs"]]);
  expect([...litAt(LINES, 1.5).get("main")!]).toEqual([
    [3, "called"],
    [5, "runs"],
  ]);
  expect([...litAt(LINES, 3).get("sub")!]).toEqual([[2, "runs"]]);
  expect(litAt(LINES, 4).size).toBe(0);
  expect(frontOf(litAt(LINES, 1.5).get("main"))).toBe(5);
  expect(frontOf(litAt(LINES, 3).get("main"))).toBe(3); // only the call is left
  expect(frontOf(undefined)).toBe(undefined);
});

test("the line before which a run stands is lit more than the others", () => {
  const thread = { name: "main", doing: "", variables: {} };
  const run = {
    state: "paused",
    threads: [
      { ...thread, program: "main", line: 3, stands: true, callers: [] },
      { ...thread, program: "main", line: 5, callers: [{ program: "main", line: 3 }] },
    ],
  } as unknown as RunInfo;
  expect([...litByRun(run).get("main")!]).toEqual([
    [3, "stands"],
    [5, "runs"],
  ]);
  expect(litByRun(undefined).size).toBe(0);
});

test("a line that ran and is gone is not lit", () => {
  const lines: RunLine[] = [{ start: 0, end: 1, program: "main", line: 0, callers: [["main", 0]] }];
  expect(litAt(lines, 0.5).size).toBe(0);
});
