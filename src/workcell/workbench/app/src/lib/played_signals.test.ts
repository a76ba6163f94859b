import { expect, test, vi } from "vitest";
import type { Connection } from "./connection.svelte";
import { PlayedSignals } from "./played_signals.svelte";
import type { Recording } from "./recording.svelte";
import { Time } from "./time.svelte";

test("signals are shown as they are at the playhead", async () => {
  const time = new Time();
  const call = vi.fn(() => Promise.resolve({ start: { ready: 0, belt: 2 }, changes: [[11, "ready", 1], [12, "ready", 0]] }));
  const signals = new PlayedSignals({ call } as unknown as Connection, time, { start: 10, info: { number: 1 } } as Recording);
  await signals.follow();
  expect([call.mock.calls.length, signals.values]).toEqual([0, undefined]);
  time.mode = "playback";
  await signals.follow();
  for (const [at, ready] of [[0, 0], [1, 1], [1.5, 1], [3, 0]] as const) {
    time.time = at;
    expect([...signals.values!]).toEqual([["ready", ready], ["belt", 2]]);
  }
  time.mode = "now";
  expect(signals.values).toBeUndefined();
});
