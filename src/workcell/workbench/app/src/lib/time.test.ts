import { expect, test } from "vitest";
import { Time } from "./time.svelte";

function playing(duration: number): Time {
  const time = new Time();
  time.resize(duration);
  time.play();
  return time;
}

test("both clocks run, the simulated one by the speed", () => {
  const time = playing(10);
  time.speed = 2;
  for (let i = 0; i < 10; i++) time.advance(0.1, true);
  expect(time.real).toBeCloseTo(1);
  expect(time.time).toBeCloseTo(2);
});

test("it stops at the end, and plays again from the start", () => {
  const time = playing(1);
  time.advance(3, true);
  expect([time.time, time.playing, time.mode]).toEqual([1, false, "now"]);
  time.toggle();
  expect([time.time, time.real, time.playing]).toEqual([0, 0, true]);
});

test("it repeats when asked", () => {
  const time = playing(1);
  time.loop = true;
  time.advance(1.25, true);
  expect(time.time).toBeCloseTo(0.25);
  expect(time.playing).toBe(true);
});

test("time stands still while poses are missing", () => {
  const time = playing(5);
  time.advance(0.5, false);
  expect([time.time, time.real, time.waiting]).toEqual([0, 0, true]);
  time.advance(0.5, true);
  expect([time.time, time.waiting]).toEqual([0.5, false]);
});

test("the playhead stays inside, also when the recording gets shorter", () => {
  const time = playing(5);
  time.seek(9);
  expect(time.time).toBe(5);
  time.seek(-1);
  expect(time.time).toBe(0);
  time.seek(4);
  time.resize(2);
  expect(time.time).toBe(2);
  time.resize(0);
  expect([time.time, time.playing]).toEqual([0, false]);
  time.play();
  expect(time.playing).toBe(false);
});

test("speeds go up and down within their list", () => {
  const time = new Time();
  for (let i = 0; i < 20; i++) time.faster(1);
  expect(time.speed).toBe(10);
  for (let i = 0; i < 20; i++) time.faster(-1);
  expect(time.speed).toBe(0.1);
});

test("a page that opens on a recording shows now, at its end", () => {
  const time = new Time();
  time.resize(8);
  expect([time.mode, time.live, time.time]).toEqual(["now", true, 8]);
});

test("new motion is played once while now is shown, and then now stands still", () => {
  const time = new Time();
  time.resize(2);
  time.resize(5, 2);
  expect([time.mode, time.playing, time.live, time.time]).toEqual(["now", true, false, 2]);
  time.advance(1, true);
  time.resize(6, 5); // more motion while that plays
  expect(time.time).toBe(3);
  time.advance(9, true);
  expect([time.mode, time.live, time.time]).toEqual(["now", true, 6]);
});

test("a loaded recording is played from its start, and its end is not now", () => {
  const time = new Time();
  time.resize(2);
  time.load(4);
  expect([time.mode, time.playing, time.time]).toEqual(["playback", true, 0]);
  time.advance(9, true);
  expect([time.mode, time.playing, time.time]).toEqual(["playback", false, 4]);
  expect(time.changed(false)).toBe(false); // nobody placed the playhead: now is shown
  expect(time.mode).toBe("now");
});

test("a change is not seen where the user placed the playhead, and one press shows now", () => {
  const time = new Time();
  time.resize(4);
  time.seek(1);
  expect(time.changed(true)).toBe(true);
  expect([time.mode, time.time, time.missed]).toEqual(["playback", 1, 1]);
  time.resize(5, 4);
  expect([time.mode, time.time]).toEqual(["playback", 1]);
  time.toNow();
  expect([time.live, time.time, time.missed]).toEqual([true, 5, 0]);
});

test("a change by another window does not stop what plays, one's own shows now", () => {
  const time = playing(4);
  time.advance(1, true);
  expect(time.changed(false)).toBe(true);
  expect(time.playing).toBe(true);
  expect(time.changed(true)).toBe(false);
  expect(time.live).toBe(true);
});

test("a pause holds the playhead, also in new motion", () => {
  const time = new Time();
  time.resize(5, 0);
  time.advance(1, true);
  time.toggle();
  expect([time.mode, time.playing, time.time]).toEqual(["playback", false, 1]);
  expect(time.changed(true)).toBe(true);
});
