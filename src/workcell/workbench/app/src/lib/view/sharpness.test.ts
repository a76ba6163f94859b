import { expect, test } from "vitest";
import { Sharpness } from "./sharpness";

function run(sharpness: Sharpness, from: number, interval: number, frames: number, moves = true): number {
  let now = from;
  for (let i = 0; i < frames; i++) sharpness.next((now += interval), moves);
  return now;
}

test("a fast machine draws every pixel", () => {
  const sharpness = new Sharpness(false);
  run(sharpness, 0, 16, 500);
  expect(sharpness.scale).toBe(1);
});

test("a slow machine draws fewer while moving, never less than half, and all when still", () => {
  const sharpness = new Sharpness(false);
  const now = run(sharpness, 0, 90, 500);
  expect(sharpness.scale).toBe(0.5);
  run(sharpness, now, 16, 30, false);
  expect(sharpness.scale).toBe(1);
});

test("what got faster gets sharp again", () => {
  const sharpness = new Sharpness(false);
  const now = run(sharpness, 0, 90, 500);
  run(sharpness, now, 12, 1000);
  expect(sharpness.scale).toBe(1);
});

test("standing still, it changes once and then no more", () => {
  const sharpness = new Sharpness(false);
  const now = run(sharpness, 0, 90, 500);
  const changes = Array.from({ length: 60 }, (_, i) => sharpness.next(now + 16 * (i + 1), false));
  expect(changes.filter(Boolean).length).toBe(1);
  expect(sharpness.scale).toBe(1);
});

test("pictures for print are not thinned", () => {
  const sharpness = new Sharpness(true);
  run(sharpness, 0, 200, 100);
  expect(sharpness.scale).toBe(1);
});
