import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Connection } from "./connection.svelte";
import { Poses } from "./poses";
import type { Change, Recorded, RecordingInfo } from "./protocol";
import { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import { Time } from "./time.svelte";

let time: Time;
let recording: Recording;
let poses: Poses;
/** What was asked before motion is played; each answer lets it begin. */
let surveys: (() => void)[];

const info = (number: number, duration: number) => ({ type: "recording", number, start: 0, duration, moving: [], robots: [], events: [], loaded: false }) as unknown as RecordingInfo;

beforeEach(() => {
  vi.useFakeTimers();
  time = new Time();
  surveys = [];
  const scene = new Scene(() => {});
  const connection = { ask: () => new Promise(() => {}) } as unknown as Connection;
  recording = new Recording(connection, scene, time);
  recording.survey = () => new Promise((resolve) => surveys.push(resolve));
  poses = new Poses(scene, recording, time);
  recording.replace(info(1, 0));
});

afterEach(() => vi.useRealTimers());

/** Somebody runs something: the recording is longer then. */
function run(number: number, duration: number): void {
  recording.hear({ effect: "simulates" } as Change);
  recording.goOn({ type: "recorded", before: number - 1, after: number, duration, kept: time.duration, eventsKept: 0 } as unknown as Recorded);
  vi.spyOn(recording.track, "has").mockReturnValue(true);
}

function played(): number {
  const before = time.time;
  poses.step(0.1, () => {});
  return time.time - before;
}

test("new motion waits until the cameras see all of it, and what goes on is not held", async () => {
  run(2, 5);
  expect([time.playing, surveys.length, played()]).toEqual([true, 1, 0]);
  surveys[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(played()).toBeCloseTo(0.1);
  run(3, 9); // it goes on while it is played
  expect(surveys.length).toBe(1);
  expect(played()).toBeCloseTo(0.1);
});

test("motion is played without a survey that takes too long", async () => {
  run(2, 5);
  await vi.advanceTimersByTimeAsync(1000);
  expect(played()).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(played()).toBeCloseTo(0.1);
});
