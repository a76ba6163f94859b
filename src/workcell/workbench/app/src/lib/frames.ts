// Binary frames of the wire; the layout is documented in workcell/service/protocol.py.
import { JOINTS_FRAME, POSES_FRAME } from "./protocol";

export const POSE = 7; // x y z, quaternion w x y z

export interface PoseFrame {
  request: number;
  start: number;
  step: number;
  count: number;
  bodies: number;
  data: Float32Array;
}

/** The kind and the request number that every binary frame begins with. */
export function frameHead(buffer: ArrayBuffer): { kind: number; request: number } {
  if (buffer.byteLength < 8) throw new RangeError(`A frame of ${buffer.byteLength} bytes has no head.`);
  const view = new DataView(buffer);
  return { kind: view.getUint32(0, true), request: view.getUint32(4, true) };
}

export interface JointFrame {
  columns: number;
  data: Float32Array;
}

export function readPoses(buffer: ArrayBuffer): PoseFrame {
  const { start, step, count, width, data } = samples(buffer, POSES_FRAME, POSE);
  return { request: frameHead(buffer).request, start, step, count, bodies: width, data };
}

export function readJoints(buffer: ArrayBuffer): JointFrame {
  const { width, data } = samples(buffer, JOINTS_FRAME, 1);
  return { columns: width, data };
}

function samples(buffer: ArrayBuffer, wanted: number, size: number) {
  const { kind } = frameHead(buffer);
  if (kind !== wanted || buffer.byteLength < 32) throw new RangeError(`A frame of kind ${kind} is not of kind ${wanted}.`);
  const view = new DataView(buffer);
  const count = view.getUint32(24, true);
  const width = view.getUint32(28, true);
  if (buffer.byteLength !== 32 + 4 * size * count * width) {
    throw new RangeError(`${count} × ${width} samples do not fill ${buffer.byteLength} bytes.`);
  }
  const data = new Float32Array(buffer, 32);
  return { start: view.getFloat64(8, true), step: view.getFloat64(16, true), count, width, data };
}

/** Write poses `weight` of the way from sample `i` to sample `i + 1` into `out`, turning the short way round. */
export function interpolate(frame: PoseFrame, i: number, weight: number, out: Float32Array): void {
  const size = frame.bodies * POSE;
  const from = i * size;
  const to = Math.min(i + 1, frame.count - 1) * size;
  const data = frame.data;
  for (let k = 0; k < size; k += POSE) {
    for (let c = 0; c < 3; c++) {
      const a = data[from + k + c]!;
      out[k + c] = a + weight * (data[to + k + c]! - a);
    }
    let dot = 0;
    for (let c = 3; c < POSE; c++) dot += data[from + k + c]! * data[to + k + c]!;
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let c = 3; c < POSE; c++) {
      const value = (1 - weight) * data[from + k + c]! + weight * sign * data[to + k + c]!;
      out[k + c] = value;
      norm += value * value;
    }
    const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let c = 3; c < POSE; c++) out[k + c] = out[k + c]! * scale;
  }
}
