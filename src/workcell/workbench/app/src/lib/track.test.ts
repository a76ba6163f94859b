import { expect, test } from "vitest";
import type { MotionFrame } from "./frames";
import { CHUNK, type Extent, Track } from "./track";

/** Bodies that move along x at one metre a second, with a joint that turns twice as fast; straight, so two keyframes do. */
function frame(start: number, end: number, bodies: number, robots: number): MotionFrame {
  const times = Float64Array.from([start, end]);
  const poses = Float32Array.from([start, end].flatMap((t) => Array.from({ length: bodies }, (_, i) => [t, i, 0, 1, 0, 0, 0]).flat()));
  const joints = Float32Array.from([start, end].flatMap((t) => Array.from({ length: robots }, () => 2 * t)));
  return { times, bodies, poses, columns: robots, joints };
}

const extent = (duration: number, bodies = ["b1"], robots = ["r1"]): Extent => ({ start: 0, duration, bodies, robots });

function tracked(duration: number) {
  const asked: [number, string][] = [];
  const track = new Track(
    extent(duration),
    (start, end, bodies, robots) => {
      asked.push([start, bodies.join(" ")]);
      return Promise.resolve(frame(start, end, bodies.length, robots.length));
    },
    () => 1,
  );
  const where = (t: number) => {
    const found: Record<string, number> = {};
    return track.sample(t, (body, pose) => (found[body] = pose[0]!)) ? found : undefined;
  };
  return { track, asked, where };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

test("chunks are asked for once, ahead of the playhead", async () => {
  const { track, asked, where } = tracked(9.89);
  track.want(0);
  track.want(0.5);
  expect(where(0)).toBeUndefined();
  await settle();
  expect(asked.map(([start]) => start)).toEqual([0, CHUNK, 2 * CHUNK]);
  track.want(9.5);
  await settle();
  expect(asked.map(([start]) => start)).toEqual([0, 2, 4, 8]);
  expect(track.buffered()).toEqual([
    [0, 6],
    [8, 9.89],
  ]);
});

test("every moment is where it should be, the end exactly", async () => {
  const { track, where } = tracked(5.013);
  track.want(0, 9);
  await settle();
  for (const t of [0, 0.001, 1, 1.9999, 2, 2.0001, 3.33333, 5, 5.013]) {
    expect(where(t)!["b1"]).toBeCloseTo(t, 5);
    expect(track.jointsAt("r1", t)![0]).toBeCloseTo(2 * t, 5);
    expect(track.poseAt("b1", t)![0]).toBeCloseTo(t, 5);
  }
  expect(track.jointsAt("r2", 0)).toBeUndefined();
  expect(track.poseAt("b2", 0)).toBeUndefined();
});

test("a recording that goes on keeps the chunks before its old end", async () => {
  const { track, asked } = tracked(5);
  track.want(0, 9);
  await settle();
  track.extend(extent(9), 5);
  expect(track.buffered()).toEqual([[0, 4]]);
  track.want(0, 9);
  await settle();
  expect(asked.map(([start]) => start)).toEqual([0, 2, 4, 4, 6, 8]);
});

test("a body that came to what moves is asked for alone", async () => {
  const { track, asked, where } = tracked(6);
  track.want(0, 9);
  await settle();
  track.extend(extent(6, ["b1", "b2"]), 6);
  expect(where(1)).toBeUndefined();
  track.want(0, 0);
  await settle();
  expect(asked.at(-1)).toEqual([0, "b2"]);
  expect(where(1)).toEqual({ b1: 1, b2: 1 });
});

test("what was asked of a recording that is another by now is not used", async () => {
  const { track, where } = tracked(1);
  track.want(0);
  track.extend(extent(1, ["b2"]), 0);
  await settle();
  expect(where(0)).toBeUndefined();
  track.want(0);
  await settle();
  expect(where(0.5)).toEqual({ b2: 0.5 });
});

test("a chunk that failed is not asked for over and over", async () => {
  let asked = 0;
  const track = new Track(
    extent(1),
    () => {
      asked += 1;
      return Promise.reject(new Error("gone"));
    },
    () => 1,
  );
  track.want(0);
  await settle();
  track.want(0);
  await settle();
  expect(asked).toBe(1);
  expect(track.has(0)).toBe(false);
});

test("a recording without length has one chunk", async () => {
  const { track, asked, where } = tracked(0);
  expect(track.count).toBe(1);
  track.want(0);
  await settle();
  expect(asked.length).toBe(1);
  expect(where(0)).toEqual({ b1: 0 });
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
