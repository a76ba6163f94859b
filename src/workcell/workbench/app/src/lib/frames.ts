// Binary frames of the wire; the layout is documented in workcell/service/frames.py.
import { MOTION_FRAME, PACKED_FRAME, POSES_FRAME } from "./protocol";

export const POSE = 7; // x y z, quaternion w x y z

/** Keyframes: at each of `times` [s] the poses of bodies and the values of joints, one row after the other. */
export interface MotionFrame {
  times: Float64Array;
  bodies: number;
  poses: Float32Array;
  columns: number;
  joints: Float32Array;
}

/** The kind and the request number that every binary frame begins with. */
export function frameHead(buffer: ArrayBuffer): { kind: number; request: number } {
  if (buffer.byteLength < 8) throw new RangeError(`A frame of ${buffer.byteLength} bytes has no head.`);
  const view = new DataView(buffer);
  return { kind: view.getUint32(0, true), request: view.getUint32(4, true) };
}

export function isPacked(buffer: ArrayBuffer): boolean {
  return frameHead(buffer).kind === PACKED_FRAME;
}

/** Unpack a frame: text or binary. */
export async function unpack(buffer: ArrayBuffer): Promise<string | ArrayBuffer> {
  const text = new DataView(buffer).getUint32(8, true) === 1;
  const stream = new Blob([new Uint8Array(buffer, 12)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const answer = new Response(stream);
  return text ? answer.text() : answer.arrayBuffer();
}

export function readMotion(buffer: ArrayBuffer): MotionFrame {
  const { kind } = frameHead(buffer);
  if (kind !== MOTION_FRAME || buffer.byteLength < 24) throw new RangeError(`A frame of kind ${kind} is not a motion.`);
  const view = new DataView(buffer);
  const [count, bodies, columns] = [8, 12, 16].map((at) => view.getUint32(at, true)) as [number, number, number];
  const poses = 24 + 8 * count;
  const joints = poses + 4 * POSE * count * bodies;
  if (buffer.byteLength !== joints + 4 * count * columns) {
    throw new RangeError(`${count} keyframes of ${bodies} bodies do not fill ${buffer.byteLength} bytes.`);
  }
  return {
    times: new Float64Array(buffer, 24, count),
    bodies,
    poses: new Float32Array(buffer, poses, POSE * count * bodies),
    columns,
    joints: new Float32Array(buffer, joints, count * columns),
  };
}

/** The poses of bodies at some instants, one row of bodies after the other. */
export function readPoses(buffer: ArrayBuffer): { count: number; bodies: number; poses: Float32Array } {
  const { kind } = frameHead(buffer);
  if (kind !== POSES_FRAME || buffer.byteLength < 32) throw new RangeError(`A frame of kind ${kind} has no poses.`);
  const view = new DataView(buffer);
  const [count, bodies] = [view.getUint32(24, true), view.getUint32(28, true)];
  if (buffer.byteLength !== 32 + 4 * POSE * count * bodies) throw new RangeError(`${count} × ${bodies} poses do not fill ${buffer.byteLength} bytes.`);
  return { count, bodies, poses: new Float32Array(buffer, 32) };
}

/** The keyframe before a moment, and the share of the way to the next. */
export function between(times: Float64Array, t: number): [number, number] {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= t) low = middle;
    else high = middle - 1;
  }
  const next = times[low + 1];
  if (next === undefined || t <= times[low]!) return [low, 0];
  return [low, Math.min(1, (t - times[low]!) / (next - times[low]!))];
}

/** Write the pose of one body `weight` of the way from keyframe `i` to the next, turned the short way. */
export function interpolate(frame: MotionFrame, body: number, i: number, weight: number, out: Float32Array): void {
  const size = frame.bodies * POSE;
  const from = i * size + body * POSE;
  const to = weight > 0 ? from + size : from;
  const data = frame.poses;
  for (let c = 0; c < 3; c++) {
    const a = data[from + c]!;
    out[c] = a + weight * (data[to + c]! - a);
  }
  let dot = 0;
  for (let c = 3; c < POSE; c++) dot += data[from + c]! * data[to + c]!;
  const sign = dot < 0 ? -1 : 1;
  let norm = 0;
  for (let c = 3; c < POSE; c++) {
    const value = (1 - weight) * data[from + c]! + weight * sign * data[to + c]!;
    out[c] = value;
    norm += value * value;
  }
  const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
  for (let c = 3; c < POSE; c++) out[c] = out[c]! * scale;
}
