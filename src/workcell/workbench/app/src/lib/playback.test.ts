import { expect, test } from "vitest";
import { Playback } from "./playback.svelte";

function playing(duration: number): Playback {
  const playback = new Playback();
  playback.resize(duration);
  playback.play();
  return playback;
}

test("both clocks run, the simulated one by the speed", () => {
  const playback = playing(10);
  playback.speed = 2;
  for (let i = 0; i < 10; i++) playback.advance(0.1, true);
  expect(playback.real).toBeCloseTo(1);
  expect(playback.time).toBeCloseTo(2);
});

test("it stops at the end, and plays again from the start", () => {
  const playback = playing(1);
  playback.advance(3, true);
  expect([playback.time, playback.playing]).toEqual([1, false]);
  playback.toggle();
  expect([playback.time, playback.real, playback.playing]).toEqual([0, 0, true]);
});

test("it repeats when asked", () => {
  const playback = playing(1);
  playback.loop = true;
  playback.advance(1.25, true);
  expect(playback.time).toBeCloseTo(0.25);
  expect(playback.playing).toBe(true);
});

test("time stands still while poses are missing", () => {
  const playback = playing(5);
  playback.advance(0.5, false);
  expect([playback.time, playback.real, playback.waiting]).toEqual([0, 0, true]);
  playback.advance(0.5, true);
  expect([playback.time, playback.waiting]).toEqual([0.5, false]);
});

test("the playhead stays inside, also when the recording gets shorter", () => {
  const playback = playing(5);
  playback.seek(9);
  expect(playback.time).toBe(5);
  playback.seek(-1);
  expect(playback.time).toBe(0);
  playback.seek(4);
  playback.resize(2);
  expect(playback.time).toBe(2);
  playback.resize(0);
  expect([playback.time, playback.playing]).toEqual([0, false]);
  playback.play();
  expect(playback.playing).toBe(false);
});

test("speeds go up and down within their list", () => {
  const playback = new Playback();
  for (let i = 0; i < 20; i++) playback.faster(1);
  expect(playback.speed).toBe(10);
  for (let i = 0; i < 20; i++) playback.faster(-1);
  expect(playback.speed).toBe(0.1);
});
