import { expect, test } from "vitest";
import { EDITED, editedSince, pausedAt, returnedTo } from "./paused_run";
import type { RunInfo } from "./protocol";

const run = (line: number, more: Partial<RunInfo> = {}, doing = "before a step"): RunInfo =>
  ({ state: "paused", threads: [{ name: "b", program: "b", line: 7, doing }, { name: "a", program: "a", line, doing, stands: true }], awaits: [], hit: false, edited: false, ...more }) as unknown as RunInfo;

test("a paused run is before a line, at a breakpoint, or waits in a line", () => {
  expect(pausedAt(run(3))).toBe("before line 3 of a");
  expect(pausedAt(run(3, { hit: true }))).toBe("breakpoint, before line 3 of a");
  expect(pausedAt(run(3, { awaits: ["go"] }, "waits for go"))).toBe("waits in line 3 of a");
  expect(pausedAt(run(3, {}, "waits for go"))).toBe("can continue in line 3 of a");
});

test("a line that was removed has no number", () => {
  expect(pausedAt(run(0))).toBe("before a line that was removed");
  expect(pausedAt(run(0, { awaits: ["go"] }, "waits for go"))).toBe("waits in a line that was removed");
});

test("edits are mentioned while a run is paused", () => {
  expect(editedSince(run(3, { edited: true }))).toBe(EDITED);
  expect([undefined, run(3), run(3, { edited: true, state: "goes" })].map(editedSince)).toEqual(["", "", ""]);
});

test("a run that was paused earlier than what was shown says where, when and why", () => {
  const stood = { program: "a", line: 3, step: "pick brick", time: 2.1 } as never;
  expect(returnedTo(stood, 4.75)).toEqual([
    "Paused before line 3 of a, at 0:02.10",
    "You paused at 0:04.75, during this step. A run pauses only between steps, so it is back at the start of the step.",
  ]);
  expect(returnedTo(stood, 2.11)).toEqual(["", ""]);
  expect(returnedTo({ commands: 3 } as never, 2.11)).toEqual(["", ""]);
});
