// Where every body is at the time that is shown: as in the scene, or as in the recording at the playhead.
import type { Recording } from "./recording.svelte";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";

/** Seven numbers: x y z, quaternion w x y z. */
export type Seven = ArrayLike<number>;

export class Poses {
  private played = new Map<string, Float32Array>(); // of bodies that are not as in the scene
  private shownTime = NaN;
  private shownChunks = -1;
  private wasLive = true;

  constructor(
    private scene: Scene,
    private recording: Recording,
    private time: Time,
  ) {}

  /** The pose of a body at the time that is shown. */
  of(body: string): Seven | undefined {
    return this.played.get(body) ?? this.scene.picture.bodies.get(body)?.pose;
  }

  /** The bodies changed or were redrawn: their poses are given again. */
  refresh(): void {
    this.shownTime = NaN;
  }

  /** Let real time pass, and give the pose of each body that moved to `place`; returns whether any did. */
  step(elapsed: number, place: (body: string, pose: Seven) => void): boolean {
    const { time, recording } = this;
    const { track } = recording;
    if (time.playing) track.want(time.time);
    time.advance(elapsed, track.has(time.time));
    if (time.live) return this.rest(place);
    if (time.duration <= 0) return false;
    if (!this.wasLive && time.time === this.shownTime && this.shownChunks === recording.chunks) return false;
    const sampled = track.sample(time.time, (body, pose) => {
      const known = this.played.get(body);
      if (known) known.set(pose);
      else this.played.set(body, Float32Array.from(pose));
      place(body, pose);
    });
    if (!sampled) {
      track.want(time.time);
      return false;
    }
    this.wasLive = false;
    this.shownTime = time.time;
    this.shownChunks = recording.chunks;
    return true;
  }

  /** Put everything that the recording had moved back to where it is in the scene. */
  private rest(place: (body: string, pose: Seven) => void): boolean {
    if (this.wasLive) return false;
    this.wasLive = true;
    const bodies = [...this.played.keys()];
    this.played.clear();
    for (const body of bodies) {
      const now = this.scene.picture.bodies.get(body)?.pose;
      if (now) place(body, now);
    }
    return true;
  }
}
