import { expect, test } from "vitest";
import { type Chunk, CHUNK, RATE, Track } from "./track";

/** A body that moves along x at one metre a second, with a joint that turns twice as fast. */
function chunk(start: number, step: number, count: number, duration: number): Chunk {
  const at = (i: number) => Math.min(duration, start + i * step);
  const data = Float32Array.from(Array.from({ length: count }, (_, i) => [at(i), 0, 0, 1, 0, 0, 0]).flat());
  const joints = Float32Array.from(Array.from({ length: count }, (_, i) => 2 * at(i)));
  return { poses: { request: 0, start, step, count, bodies: 1, data }, joints: { columns: 1, data: joints } };
}

function tracked(duration: number) {
  const asked: number[] = [];
  const track = new Track(duration, 1, async (start, step, count) => {
    asked.push(start);
    return chunk(start, step, count, duration);
  });
  return { track, asked };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

test("chunks are asked for once, ahead of the playhead", async () => {
  const { track, asked } = tracked(9.89);
  track.want(0);
  track.want(0.5);
  expect(track.sample(0, new Float32Array(7))).toBe(false);
  await settle();
  expect(asked).toEqual([0, CHUNK, 2 * CHUNK]);
  track.want(9.5);
  await settle();
  expect(asked).toEqual([0, 2, 4, 8]);
  expect(track.buffered()).toEqual([
    [0, 6],
    [8, 9.89],
  ]);
});

test("every moment is where it should be, the end exactly", async () => {
  const { track } = tracked(5.013);
  track.want(0, 9);
  await settle();
  const out = new Float32Array(7);
  for (const t of [0, 0.001, 1, 1.9999, 2, 2.0001, 3.33333, 5, 5.013]) {
    expect(track.sample(t, out)).toBe(true);
    expect(Math.abs(out[0]! - t)).toBeLessThan(1 / RATE / 2);
    expect(Math.abs(track.joints(t)![0]! - 2 * t)).toBeLessThan(1 / RATE);
  }
  track.sample(5.013, out);
  expect(out[0]).toBeCloseTo(5.013, 5);
});

test("a chunk that failed is not asked for over and over", async () => {
  let asked = 0;
  const track = new Track(1, 1, () => {
    asked += 1;
    return Promise.reject(new Error("gone"));
  });
  track.want(0);
  await settle();
  track.want(0);
  await settle();
  expect(asked).toBe(1);
  expect(track.has(0)).toBe(false);
});

test("a recording without length has one chunk of one sample", async () => {
  const { track, asked } = tracked(0);
  expect(track.count).toBe(1);
  track.want(0);
  await settle();
  expect(asked).toEqual([0]);
  expect(track.sample(0, new Float32Array(7))).toBe(true);
});

test("a long recording does not fill the memory", async () => {
  const { track } = tracked(2000);
  for (let t = 0; t < 2000; t += CHUNK) {
    track.want(t, 0);
    await settle();
  }
  expect(track.has(1999)).toBe(true);
  expect(track.has(0)).toBe(false);
});
