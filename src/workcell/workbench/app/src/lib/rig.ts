// A robot as frames that turn about, or slide along, their z axes: where its bodies are with other joint values.
import { Matrix4 } from "three";
import type { JointFrames } from "./commands";
import { fromSeven } from "./rigid";

interface Rider {
  id: string;
  frame: number;
  /** The body in its frame. */
  place: Matrix4;
}

const NEAR = 1e-5; // m, and parts of a unit vector

export class Rig {
  private base: Matrix4;
  private joints: readonly number[];
  /** Each frame in the one before, with the joint values that the rig was asked at. */
  private links: Matrix4[];
  private riders: Rider[];

  /**
   * @param found what `joint-frames` answered.
   * @param prismatic for each joint, whether it slides.
   * @param ids the ids of bodies by their names; a body without one is left out.
   */
  constructor(
    found: JointFrames,
    private prismatic: readonly boolean[],
    ids: ReadonlyMap<string, string>,
  ) {
    const frames = found.poses.map(fromSeven);
    const inverses = frames.map((frame) => frame.clone().invert());
    this.base = frames[0]!;
    this.joints = found.joints;
    this.links = frames.slice(1).map((frame, i) => inverses[i]!.clone().multiply(frame));
    this.riders = found.riders.flatMap(({ body, frame, pose }) => {
      const id = ids.get(body);
      return id ? [{ id, frame, place: inverses[frame]!.clone().multiply(fromSeven(pose)) }] : [];
    });
  }

  /** Where each body is with these joint values [rad or m]. */
  posesAt(joints: readonly number[]): Map<string, Matrix4> {
    const frames = [this.base];
    this.links.forEach((link, i) => {
      const by = joints[i]! - this.joints[i]!;
      const motion = this.prismatic[i] ? new Matrix4().makeTranslation(0, 0, by) : new Matrix4().makeRotationZ(by);
      frames.push(frames[i]!.clone().multiply(motion).multiply(link));
    });
    return new Map(this.riders.map(({ id, frame, place }) => [id, frames[frame]!.clone().multiply(place)]));
  }

  /** Whether the rig has these bodies at these places. */
  agrees(joints: readonly number[], poses: ReadonlyMap<string, Matrix4>): boolean {
    const mine = this.posesAt(joints);
    return mine.size === poses.size && [...poses].every(([id, pose]) => near(mine.get(id), pose));
  }
}

function near(one: Matrix4 | undefined, other: Matrix4): boolean {
  return one !== undefined && one.elements.every((value, i) => Math.abs(value - other.elements[i]!) < NEAR);
}
