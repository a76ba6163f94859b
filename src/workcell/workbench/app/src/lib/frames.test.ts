import { expect, test } from "vitest";
import { between, frameHead, interpolate, isPacked, POSE, readMotion, readPoses, unpack } from "./frames";

function motion(times: number[], bodies: number, poses: number[], columns: number, joints: number[]): ArrayBuffer {
  const buffer = new ArrayBuffer(24 + 8 * times.length + 4 * poses.length + 4 * joints.length);
  new Uint32Array(buffer, 0, 6).set([3, 7, times.length, bodies, columns, 0]);
  new Float64Array(buffer, 24, times.length).set(times);
  new Float32Array(buffer, 24 + 8 * times.length).set([...poses, ...joints]);
  return buffer;
}

async function packed(inner: number, data: BlobPart): Promise<ArrayBuffer> {
  const stream = new Blob([data]).stream().pipeThrough(new CompressionStream("deflate"));
  const small = new Uint8Array(await new Response(stream).arrayBuffer());
  const buffer = new ArrayBuffer(12 + small.length);
  new Uint32Array(buffer, 0, 3).set([4, 9, inner]);
  new Uint8Array(buffer, 12).set(small);
  return buffer;
}

const still = [1, 2, 3, 1, 0, 0, 0];
const half = Math.SQRT1_2;

test("a frame of motion is read as the server writes it", () => {
  const buffer = motion([1, 1.5], 1, [...still, ...still], 3, [1, 2, 3, 4, 5, 6]);
  expect(frameHead(buffer)).toEqual({ kind: 3, request: 7 });
  const found = readMotion(buffer);
  expect([...found.times]).toEqual([1, 1.5]);
  expect([...found.poses.slice(0, 7)]).toEqual(still);
  expect([found.bodies, found.columns, found.joints[4]]).toEqual([1, 3, 5]);
});

test("what is not a frame of motion is refused", () => {
  const good = motion([0], 1, still, 0, []);
  expect(() => readMotion(good.slice(0, -4))).toThrow("do not fill");
  new Uint32Array(good, 0, 1).set([2]);
  expect(() => readMotion(good)).toThrow("kind 2");
  expect(() => frameHead(new ArrayBuffer(4))).toThrow("no head");
});

test("packed frames are unpacked as text and as bytes", async () => {
  const text = await packed(1, "Ω ".repeat(5000));
  expect(isPacked(text)).toBe(true);
  expect(await unpack(text)).toBe("Ω ".repeat(5000));
  const inner = motion([0], 1, still, 0, []);
  expect(isPacked(inner)).toBe(false);
  expect(readMotion((await unpack(await packed(2, inner))) as ArrayBuffer).times.length).toBe(1);
});

test("between two keyframes a body moves straight and turns the short way", () => {
  const turned = [3, 2, 1, -half, 0, 0, -half]; // a quarter turn about z, written with the other sign
  const frame = readMotion(motion([0, 1], 1, [...still, ...turned], 0, []));
  const out = new Float32Array(POSE);
  interpolate(frame, 0, ...between(frame.times, 0.5), out);
  expect([...out.slice(0, 3)]).toEqual([2, 2, 2]);
  expect(out[3]).toBeCloseTo(Math.cos(Math.PI / 8), 6);
  expect(out[6]).toBeCloseTo(Math.sin(Math.PI / 8), 6);
});

test("keyframes are exact, the ends are held, and a jump is one", () => {
  const times = [0, 0.5, 0.5 + 1e-12, 2];
  const frame = readMotion(motion(times, 1, [0, 1, 5, 6].flatMap((x) => [x, 0, 0, 1, 0, 0, 0]), 0, []));
  const at = (t: number) => {
    const out = new Float32Array(POSE);
    interpolate(frame, 0, ...between(frame.times, t), out);
    return out[0];
  };
  expect([-1, 0, 0.25, 0.5, 0.5 + 1e-12, 2, 9].map(at)).toEqual([0, 0, 0.5, 1, 5, 6, 6]);
});

test("poses are read from a frame of instants, and a frame of another length is refused", () => {
  const buffer = new ArrayBuffer(32 + 4 * POSE * 4);
  new Uint32Array(buffer, 0, 2).set([1, 9]);
  new Uint32Array(buffer, 24, 2).set([2, 2]);
  new Float32Array(buffer, 32).set([...Array(4 * POSE).keys()]);
  const { count, bodies, poses } = readPoses(buffer);
  expect([count, bodies, poses.length, poses[POSE * 3]]).toEqual([2, 2, 28, 21]);
  expect(() => readPoses(buffer.slice(0, 100))).toThrow(RangeError);
  expect(() => readPoses(motion([0], 0, [], 0, []))).toThrow(RangeError);
});
