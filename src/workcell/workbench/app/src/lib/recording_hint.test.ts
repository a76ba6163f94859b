import { expect, test } from "vitest";
import { recordingHint } from "./recording_hint";

test("an empty time line names what would give a recording, and never play while a run is paused", () => {
  const hint = (robots: boolean, programs: boolean, paused = false) => recordingHint({ robots, programs, paused });
  expect([hint(false, true), hint(true, false), hint(true, true)]).toEqual(["", ": move a robot, or write a program", ": press play, or move a robot"]);
  expect(hint(true, true, true)).toBe(": step or resume the paused run");
});
