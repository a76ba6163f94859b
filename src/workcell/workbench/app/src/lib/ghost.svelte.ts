// A ghost: where the bodies of a robot would be with other joint values, and what it would touch there.
import type { Matrix4 } from "three";
import type { BodyPoses } from "./commands";
import type { Connection } from "./connection.svelte";
import { type Contact, contactOf } from "./contacts.svelte";
import { fromSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

interface Wanted {
  robot: string;
  joints: readonly number[];
}

const AT_ONCE = 2; // questions under way

export class Ghost {
  /** Where each body of the ghost is; empty without one. */
  poses = $state.raw<ReadonlyMap<string, Matrix4>>(new Map());
  /** What the robot would touch there, the deepest first. */
  contacts = $state.raw<readonly Contact[]>([]);
  /** Whether contacts were looked for there. */
  checked = $state(false);
  /** What else is wrong with the place of the ghost, such as a limit. */
  problem = $state("");
  private wanted: Wanted | undefined;
  private asked: Wanted | undefined;
  private flying = 0;
  private turn = 0;
  private drawn = 0;

  constructor(
    private connection: Connection,
    private scene: Scene,
  ) {}

  /** The ids of the bodies that would touch something. */
  get touching(): Set<string> {
    if (this.contacts.length === 0) return new Set();
    const ids = this.ids();
    return new Set(this.contacts.flatMap((one) => one.pair.map((name) => ids.get(name) ?? "")));
  }

  /** Show a robot with these joint values [rad or m]. Of several calls in a row, the last counts. */
  show(robot: string, joints: readonly number[], problem = ""): void {
    this.wanted = { robot, joints };
    this.problem = problem;
    void this.follow();
  }

  /** Show bodies elsewhere, whatever brings them there; contacts are not looked for. */
  put(poses: ReadonlyMap<string, Matrix4>): void {
    this.clear();
    this.poses = poses;
  }

  clear(): void {
    this.wanted = this.asked = undefined;
    this.checked = false;
    this.poses = new Map();
    this.contacts = [];
    this.problem = "";
  }

  /** There is no such place: no ghost, only the reason. */
  fail(reason: string): void {
    this.clear();
    this.problem = reason;
  }

  /** Ask for the ghost that is wanted last, until it is drawn; a few questions are under way at a time. */
  private async follow(): Promise<void> {
    if (this.flying >= AT_ONCE) return;
    this.flying += 1;
    try {
      while (this.wanted && this.wanted !== this.asked) {
        const { robot: id, joints } = (this.asked = this.wanted);
        const turn = (this.turn += 1);
        const robot = this.scene.picture.robots.get(id);
        if (!robot) break;
        const contacts = this.connection.status?.warm ?? false; // contacts are not waited for while engines are loaded
        const found = await this.connection.call("body-poses", { robot: quoted(robot.name), joints: [...joints], contacts });
        if (!this.wanted || turn < this.drawn) continue;
        this.drawn = turn; // during a fast drag every answer is shown, unless a later one was
        this.draw(found);
        this.checked = contacts;
      }
    } catch {
      this.clear(); // values that the robot cannot have
    } finally {
      this.flying -= 1;
    }
  }

  private draw(found: BodyPoses): void {
    const ids = this.ids();
    const known = found.bodies.flatMap((name, i) => (ids.has(name) ? [[ids.get(name)!, fromSeven(found.poses[i]!)] as const] : []));
    this.contacts = (found.contacts ?? []).map(contactOf);
    this.poses = new Map(known);
  }

  private ids(): Map<string, string> {
    return new Map([...this.scene.picture.bodies.values()].map((body) => [body.name, body.id]));
  }
}
