// A ghost: where the bodies of a robot would be with other joint values, and what it would touch there.
import type { Matrix4 } from "three";
import type { BodyPoses } from "./commands";
import type { Connection } from "./connection.svelte";
import { type Contact, contactOf } from "./contacts.svelte";
import { Rig } from "./rig";
import { fromSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

interface Wanted {
  robot: string;
  joints: readonly number[];
}

const APART = 50; // ms between two questions

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
  private asking = false;
  /** The frames of the robot that is shown, until the ghost goes or the server disagrees. */
  private rig: { robot: string; rig: Rig } | undefined;

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
    if (this.rig?.robot === robot) this.poses = this.rig.rig.posesAt(joints);
    if (!this.asking) void this.ask();
  }

  /** Show bodies elsewhere, whatever brings them there; contacts are not looked for. */
  put(poses: ReadonlyMap<string, Matrix4>): void {
    this.clear();
    this.poses = poses;
  }

  clear(): void {
    this.wanted = this.rig = undefined;
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

  /** Ask about what is wanted last until nothing else is wanted: for the frames once, then for contacts. */
  private async ask(): Promise<void> {
    this.asking = true;
    let answered: Wanted | undefined;
    try {
      while (this.wanted && this.wanted !== answered) {
        answered = this.wanted;
        const begun = performance.now();
        await this.answer(answered);
        await new Promise((done) => setTimeout(done, APART - (performance.now() - begun)));
      }
    } catch {
      this.clear(); // values that the robot cannot have
    } finally {
      this.asking = false;
    }
  }

  private async answer({ robot: id, joints }: Wanted): Promise<void> {
    const robot = this.scene.picture.robots.get(id);
    if (!robot) return;
    const name = quoted(robot.name);
    if (this.rig?.robot !== id) {
      const found = await this.connection.call("joint-frames", { robot: name });
      if (this.wanted?.robot !== id) return;
      this.rig = { robot: id, rig: new Rig(found, robot.joints.map((joint) => joint.prismatic), this.ids()) };
      this.poses = this.rig.rig.posesAt(this.wanted.joints);
    }
    if (!this.connection.status?.warm) return; // contacts are not waited for while engines are loaded
    const found = await this.connection.call("body-poses", { robot: name, joints: [...joints], contacts: true });
    if (this.wanted?.robot === id) this.take(found, joints);
  }

  /** The server has the last word: if it has the bodies elsewhere, the frames are asked for again. */
  private take(found: BodyPoses, joints: readonly number[]): void {
    const ids = this.ids();
    const poses = new Map(found.bodies.flatMap((name, i) => (ids.has(name) ? [[ids.get(name)!, fromSeven(found.poses[i]!)] as const] : [])));
    this.contacts = (found.contacts ?? []).map(contactOf);
    this.checked = true;
    if (this.rig?.rig.agrees(joints, poses)) return;
    this.rig = undefined;
    this.poses = poses;
  }

  private ids(): Map<string, string> {
    return new Map([...this.scene.picture.bodies.values()].map((body) => [body.name, body.id]));
  }
}
