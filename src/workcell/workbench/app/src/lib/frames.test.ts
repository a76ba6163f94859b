import { expect, test } from "vitest";
import { frameHead, interpolate, POSE, readJoints, readPoses } from "./frames";

function frame(kind: number, request: number, start: number, step: number, count: number, width: number, data: number[]) {
  const buffer = new ArrayBuffer(32 + 4 * data.length);
  const view = new DataView(buffer);
  view.setUint32(0, kind, true);
  view.setUint32(4, request, true);
  view.setFloat64(8, start, true);
  view.setFloat64(16, step, true);
  view.setUint32(24, count, true);
  view.setUint32(28, width, true);
  new Float32Array(buffer, 32).set(data);
  return buffer;
}

const still = [1, 2, 3, 1, 0, 0, 0];
const half = Math.SQRT1_2;

test("a frame of poses is read as the server writes it", () => {
  const found = readPoses(frame(1, 7, 1.5, 0.25, 2, 1, [...still, ...still]));
  expect(found).toMatchObject({ request: 7, start: 1.5, step: 0.25, count: 2, bodies: 1 });
  expect([...found.data.slice(0, 7)]).toEqual(still);
  expect(frameHead(frame(2, 9, 0, 0, 0, 0, []))).toEqual({ kind: 2, request: 9 });
  expect(readJoints(frame(3, 1, 0, 1, 2, 3, [1, 2, 3, 4, 5, 6])).columns).toBe(3);
});

test("what is not a frame of poses is refused", () => {
  expect(() => readPoses(frame(2, 1, 0, 1, 0, 0, []))).toThrow("kind 2");
  expect(() => readPoses(frame(1, 1, 0, 1, 2, 1, still))).toThrow("do not fill");
  expect(() => frameHead(new ArrayBuffer(4))).toThrow("no head");
});

test("between two samples a body moves straight and turns the short way", () => {
  const turned = [3, 2, 1, -half, 0, 0, -half]; // a quarter turn about z, written with the other sign
  const poses = readPoses(frame(1, 1, 0, 1, 2, 1, [...still, ...turned]));
  const out = new Float32Array(POSE);
  interpolate(poses, 0, 0.5, out);
  expect([...out.slice(0, 3)]).toEqual([2, 2, 2]);
  expect(out[3]).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  expect(out[6]).toBeCloseTo(Math.sin(Math.PI / 8), 6);
});

test("the ends are exact and the last sample is held", () => {
  const poses = readPoses(frame(1, 1, 0, 1, 2, 1, [...still, 9, 9, 9, 0, 1, 0, 0]));
  const out = new Float32Array(POSE);
  interpolate(poses, 0, 0, out);
  expect([...out]).toEqual(still);
  interpolate(poses, 1, 0.7, out);
  expect([...out]).toEqual([9, 9, 9, 0, 1, 0, 0]);
});
