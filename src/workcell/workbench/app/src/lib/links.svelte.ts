// Links of a robot that is built of objects: their order, their joint frames, and what `check joints` says of each.
import type { Matrix4 } from "three";
import type { LinkJoint } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { type Convention, fromRows, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";

export const PLACES = ["i", "i+1"] as const;
export type JointPlace = (typeof PLACES)[number];
export const MOVES = ["revolute", "prismatic", "fixed"] as const;
export type Moves = (typeof MOVES)[number];

export class Links {
  /** The names of the objects, the base first. */
  order = $state.raw<readonly string[]>([]);
  joints = $state.raw<readonly LinkJoint[]>([]);
  /** The answer of `check joints`, or why there is none, for each link with two joints. */
  checks = $state.raw<ReadonlyMap<string, { text: string; good: boolean }>>(new Map());

  constructor(
    private connection: Connection,
    private scene: Scene,
    private log: Log,
  ) {}

  async refresh(): Promise<void> {
    this.joints = (await this.connection.call("link-joints", {})).joints;
    const known = new Set([...this.scene.picture.nodes.values()].filter((node) => node.kind === "object").map((node) => node.name));
    this.order = this.order.filter((link) => known.has(link));
    const checks = new Map<string, { text: string; good: boolean }>();
    for (const link of this.order) {
      if (!this.joint(link, "i") || !this.joint(link, "i+1")) continue;
      const found = await this.connection.call("check joints", { link: quoted(link) });
      checks.set(link, { text: found.text.split("\n").slice(1).join("\n"), good: found.faults.length === 0 });
    }
    this.checks = checks;
  }

  add(link: string): void {
    if (link && !this.order.includes(link)) this.order = [...this.order, link];
  }

  leave(link: string): void {
    this.order = this.order.filter((one) => one !== link);
  }

  up(link: string): void {
    const at = this.order.indexOf(link);
    if (at < 1) return;
    const order = [...this.order];
    [order[at - 1], order[at]] = [order[at]!, order[at - 1]!];
    this.order = order;
  }

  joint(link: string, place: JointPlace): LinkJoint | undefined {
    return this.joints.find((one) => one.link === link && one.place === place);
  }

  /** Put a joint on a face, or change it where it is; `range` is that of joint i [rad or m]. */
  put(link: string, place: JointPlace, moves: Moves, face: string, range: readonly number[] | undefined, convention: Convention): Promise<boolean> {
    const { units } = this.scene;
    const there = this.joint(link, place);
    const where = face ? ` face ${quoted(face)}` : there ? ` at ${poseText(fromRows(there.matrix), units, convention)}` : "";
    const size = moves === "prismatic" ? units.lengthSize : units.angleSize;
    const span = range && place === "i" && moves !== "fixed" ? ` ${moves === "prismatic" ? "travel" : "turns"} ${range.map((value) => plain(value / size)).join(",")}` : "";
    return this.log.press(`add joint ${place} ${moves} to ${quoted(link)}${where}${span}`);
  }

  /** Why the links cannot be assembled; "" if they can. */
  get lack(): string {
    if (this.order.length < 2) return "A robot needs a base and at least one more link.";
    const last = this.order.length - 1;
    for (const [i, link] of this.order.entries()) {
      if (!this.joint(link, "i")) return `${link} has no joint i: choose a face for it.`;
      if (!this.joint(link, "i+1") && i < last) return `${link} has no joint i+1: choose a face for it.`;
      const [mine, next] = [this.joint(link, "i+1"), this.order[i + 1]];
      const theirs = next === undefined ? undefined : this.joint(next, "i");
      if (mine && theirs && mine.moves !== theirs.moves) return `Joint i+1 of ${link} is ${mine.moves}, but joint i of ${next} is ${theirs.moves}.`;
    }
    return "";
  }

  /** Make the robot at a pose; the objects leave the scene if they shall. */
  assemble(name: string, at: Matrix4, leave: boolean, convention: Convention): Promise<boolean> {
    const links = this.order.map((link) => `of ${quoted(link)}`).join(" ");
    return this.log.press(`assemble robot ${quoted(name)} ${links} at ${poseText(at, this.scene.units, convention)}${leave ? " --take-out" : ""}`);
  }
}
