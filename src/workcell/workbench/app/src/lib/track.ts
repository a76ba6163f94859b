// The recording of the page: keyframes are loaded ahead of the playhead and interpolated here, so that playing never
// waits for the server. Loaded keyframes stay while the recording grows, and while others edit the cell.
import { between, interpolate, type MotionFrame, POSE } from "./frames";

export const CHUNK = 2; // seconds
const KEPT = 300; // chunks

/** Keyframes of some bodies and robots; the columns of the robots follow each other. */
export interface Block {
  bodies: string[];
  robots: string[];
  frame: MotionFrame;
}

/** What moves, from when to when [s]. */
export interface Extent {
  start: number;
  duration: number;
  bodies: readonly string[];
  robots: readonly string[];
}

/** Asks for keyframes between two instants of the recording [s]. */
export type Fetch = (start: number, end: number, bodies: string[], robots: string[]) => Promise<MotionFrame>;

export class Track {
  private chunks = new Map<number, Block[]>();
  private pending = new Set<number>();
  private failed = new Set<number>();
  private complete = new Set<number>(); // chunks with everything that moves
  private pose = new Float32Array(POSE);
  private epoch = 0;
  onload: () => void = () => {};

  constructor(
    private extent: Extent,
    private fetch: Fetch,
    private joints: (robot: string) => number,
  ) {}

  get duration(): number {
    return this.extent.duration;
  }

  /** The number of chunks that cover the recording. */
  get count(): number {
    return Math.max(1, Math.ceil(this.duration / CHUNK - 1e-9));
  }

  /** Continue with another extent; chunks that end before `kept` [s since the start] stay valid. */
  extend(extent: Extent, kept: number): void {
    for (const index of [...this.chunks.keys()]) {
      if ((index + 1) * CHUNK >= kept) this.chunks.delete(index);
    }
    this.extent = extent;
    this.complete.clear();
    this.failed.clear();
    this.epoch += 1; // answers under way may be outdated
    this.pending.clear();
  }

  private at(t: number): number {
    return Math.min(this.count - 1, Math.max(0, Math.floor(t / CHUNK)));
  }

  private missing(index: number): { bodies: string[]; robots: string[] } {
    const blocks = this.chunks.get(index) ?? [];
    const bodies = new Set(blocks.flatMap((block) => block.bodies));
    const robots = new Set(blocks.flatMap((block) => block.robots));
    return {
      bodies: this.extent.bodies.filter((body) => !bodies.has(body)),
      robots: this.extent.robots.filter((robot) => !robots.has(robot)),
    };
  }

  private whole(index: number): boolean {
    if (!this.chunks.has(index)) return false;
    if (this.complete.has(index)) return true;
    const { bodies, robots } = this.missing(index);
    if (bodies.length > 0 || robots.length > 0) return false;
    this.complete.add(index);
    return true;
  }

  /** Pose everything that moves at a moment; false if its keyframes have not arrived yet. */
  sample(t: number, place: (body: string, pose: Float32Array) => void): boolean {
    const index = this.at(t);
    const blocks = this.chunks.get(index);
    if (!blocks || !this.whole(index)) return false;
    this.chunks.delete(index); // the least used is dropped first
    this.chunks.set(index, blocks);
    for (const block of blocks) {
      const [i, weight] = between(block.frame.times, this.extent.start + t);
      block.bodies.forEach((body, k) => {
        interpolate(block.frame, k, i, weight, this.pose);
        place(body, this.pose);
      });
    }
    return true;
  }

  /** Joint values of a robot at a moment; undefined if they have not arrived yet, or if it does not move. */
  jointsAt(robot: string, t: number): number[] | undefined {
    for (const { robots, frame } of this.chunks.get(this.at(t)) ?? []) {
      const place = robots.indexOf(robot);
      if (place < 0) continue;
      const first = robots.slice(0, place).reduce((sum, one) => sum + this.joints(one), 0);
      const [i, weight] = between(frame.times, this.extent.start + t);
      const row = i * frame.columns + first;
      const next = weight > 0 ? row + frame.columns : row;
      return Array.from({ length: this.joints(robot) }, (_, c) => {
        const from = frame.joints[row + c]!;
        return from + weight * (frame.joints[next + c]! - from);
      });
    }
    return undefined;
  }

  /** The pose of a body at a moment; undefined if it has not arrived yet, or if the body does not move. */
  poseAt(body: string, t: number): Float32Array | undefined {
    for (const { bodies, frame } of this.chunks.get(this.at(t)) ?? []) {
      const place = bodies.indexOf(body);
      if (place < 0) continue;
      const pose = new Float32Array(POSE);
      interpolate(frame, place, ...between(frame.times, this.extent.start + t), pose);
      return pose;
    }
    return undefined;
  }

  has(t: number): boolean {
    return this.whole(this.at(t));
  }

  /** Ask for the chunk at a moment and the next few after it. */
  want(t: number, ahead = 2): void {
    const first = this.at(t);
    for (let index = first; index <= Math.min(this.count - 1, first + ahead); index++) void this.pull(index);
  }

  private async pull(index: number): Promise<void> {
    if (this.pending.has(index) || this.failed.has(index) || this.whole(index)) return;
    const { bodies, robots } = this.missing(index);
    const epoch = this.epoch;
    this.pending.add(index);
    try {
      const start = this.extent.start + index * CHUNK;
      const end = this.extent.start + Math.min(this.duration, (index + 1) * CHUNK);
      const frame = await this.fetch(start, end, bodies, robots);
      if (epoch !== this.epoch) return;
      if (frame.bodies !== bodies.length) throw new RangeError("The frame belongs to other bodies.");
      this.chunks.set(index, [...(this.chunks.get(index) ?? []), { bodies, robots, frame }]);
      for (const old of this.chunks.keys()) {
        if (this.chunks.size <= KEPT) break;
        this.chunks.delete(old);
      }
      this.onload();
    } catch {
      if (epoch === this.epoch) this.failed.add(index); // not requested again until the next recording
    } finally {
      if (epoch === this.epoch) this.pending.delete(index);
    }
  }

  /** The loaded intervals of time, in order. */
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
