// Where every body is at the time that is shown: as in the scene, or as in the recording at the playhead.
import type { Matrix4 } from "three";
import type { Recording } from "./recording.svelte";
import { fromSeven, toSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";

/** Seven numbers: x y z, quaternion w x y z. */
export type Seven = ArrayLike<number>;

export class Poses {
  private played = new Map<string, Float32Array>(); // of bodies that are not as in the scene
  private shownTime = NaN;
  private shownChunks = -1;
  private wasLive = true;
  private lifted = new Map<string, Seven>(); // of bodies that are being dragged
  private stirred = new Set<string>(); // bodies that were lifted or put back since the last step

  constructor(
    private scene: Scene,
    private recording: Recording,
    private time: Time,
  ) {}

  /** The pose of a body at the time that is shown. */
  of(body: string): Seven | undefined {
    return this.lifted.get(body) ?? this.played.get(body) ?? this.scene.picture.bodies.get(body)?.pose;
  }

  /** Show bodies moved from where they are now, as while they are dragged; those that were shown so before go back. */
  lift(bodies: Iterable<string>, motion: Matrix4): void {
    this.settle();
    for (const body of bodies) {
      const now = this.scene.picture.bodies.get(body)?.pose;
      if (now) this.lifted.set(body, toSeven(motion.clone().multiply(fromSeven(now))));
      this.stirred.add(body);
    }
  }

  /** Show all lifted bodies where they are. */
  settle(): void {
    for (const body of this.lifted.keys()) this.stirred.add(body);
    this.lifted.clear();
  }

  /** The bodies changed or were redrawn: their poses are given again. */
  refresh(): void {
    this.shownTime = NaN;
  }

  /** Let real time pass, and give the pose of each body that moved to `place`; returns whether any did. */
  step(elapsed: number, place: (body: string, pose: Seven) => void): boolean {
    const stirred = [...this.stirred];
    this.stirred.clear();
    const played = this.play(elapsed, place);
    for (const body of stirred) place(body, this.of(body) ?? []);
    return played || stirred.length > 0;
  }

  private play(elapsed: number, place: (body: string, pose: Seven) => void): boolean {
    const { time, recording } = this;
    const { track } = recording;
    if (time.playing) track.want(time.time);
    time.advance(elapsed, recording.surveyed && track.has(time.time));
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
