// The recording as the page holds it: chunks pulled ahead of the playhead, interpolated here, so that playing
// never waits for the server.
import { interpolate, type JointFrame, POSE, type PoseFrame } from "./frames";

export const CHUNK = 2; // seconds
export const RATE = 60; // samples a second
const KEPT = 300; // chunks

export interface Chunk {
  poses: PoseFrame;
  joints: JointFrame;
}

export type Fetch = (start: number, step: number, count: number) => Promise<Chunk>;

export class Track {
  private chunks = new Map<number, Chunk>();
  private pending = new Set<number>();
  private failed = new Set<number>();
  onload: () => void = () => {};

  constructor(
    readonly duration: number,
    readonly bodies: number,
    private fetch: Fetch,
  ) {}

  /** The number of chunks that cover the recording. */
  get count(): number {
    return Math.max(1, Math.ceil(this.duration / CHUNK - 1e-9));
  }

  private at(t: number): number {
    return Math.min(this.count - 1, Math.max(0, Math.floor(t / CHUNK)));
  }

  /** Poses at a moment; false when they have not arrived yet. */
  sample(t: number, out: Float32Array): boolean {
    const index = this.at(t);
    const chunk = this.chunks.get(index);
    if (!chunk || out.length !== chunk.poses.bodies * POSE) return false;
    this.chunks.delete(index); // the least used is dropped first
    this.chunks.set(index, chunk);
    const [i, weight] = this.place(t, chunk.poses);
    interpolate(chunk.poses, i, weight, out);
    return true;
  }

  /** Joint values of all robots at a moment; undefined when they have not arrived yet. */
  joints(t: number): number[] | undefined {
    const chunk = this.chunks.get(this.at(t));
    if (!chunk) return undefined;
    const [i, weight] = this.place(t, chunk.poses);
    const { columns, data } = chunk.joints;
    const next = Math.min(i + 1, chunk.poses.count - 1);
    return Array.from({ length: columns }, (_, c) => {
      const from = data[i * columns + c]!;
      return from + weight * (data[next * columns + c]! - from);
    });
  }

  /** The sample before a moment, and how far it is to the next. */
  private place(t: number, frame: PoseFrame): [number, number] {
    // The last sample is held at the end of the recording: that is where its end is exact.
    const place = t >= this.duration ? frame.count - 1 : Math.max(0, (t - frame.start) / frame.step);
    const i = Math.min(frame.count - 1, Math.floor(place));
    return [i, Math.min(1, place - i)];
  }

  has(t: number): boolean {
    return this.chunks.has(this.at(t));
  }

  /** Ask for the chunk at a moment and the next few after it. */
  want(t: number, ahead = 2): void {
    const first = this.at(t);
    for (let index = first; index <= Math.min(this.count - 1, first + ahead); index++) void this.pull(index);
  }

  private async pull(index: number): Promise<void> {
    if (this.chunks.has(index) || this.pending.has(index) || this.failed.has(index)) return;
    this.pending.add(index);
    try {
      const start = index * CHUNK;
      const length = Math.min(CHUNK, Math.max(0, this.duration - start));
      const samples = Math.ceil(length * RATE - 1e-9) + 1;
      const chunk = await this.fetch(start, 1 / RATE, samples);
      if (chunk.poses.bodies === this.bodies) this.chunks.set(index, chunk);
      for (const old of this.chunks.keys()) {
        if (this.chunks.size <= KEPT) break;
        this.chunks.delete(old);
      }
      this.onload();
    } catch {
      this.failed.add(index); // not asked for again until the next recording
    } finally {
      this.pending.delete(index);
    }
  }

  /** The stretches of time that are here, in order. */
  buffered(): [number, number][] {
    const spans: [number, number][] = [];
    for (const index of [...this.chunks.keys()].sort((a, b) => a - b)) {
      const start = index * CHUNK;
      const end = Math.min(this.duration, start + CHUNK);
      const last = spans.at(-1);
      if (last && Math.abs(last[1] - start) < 1e-9) last[1] = end;
      else spans.push([start, end]);
    }
    return spans;
  }
}
