// The targets and paths of the cell as lists: which of them a robot reaches, and the commands that change them.
import type { TargetReach } from "./commands";
import { Latest } from "./latest.svelte";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Marks } from "./marks.svelte";
import { freeName } from "./pendant.svelte";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

export interface Named {
  id: string;
  name: string;
}

/** A path with its targets in order. */
export interface PathOrder extends Named {
  targets: readonly string[];
}

/** The lines of a program that moves a robot to each target of a path in turn. */
export function linesAlong(path: string, robot: string): string {
  return `for place in ${quoted(path)}\n  move-end-effector ${quoted(robot)} place\nend`;
}

export class Targets {
  private answer = new Latest<readonly TargetReach[]>();
  /** The id of the robot whose reach is marked; "" while it is not asked for. */
  private by = $state("");

  constructor(
    private connection: Connection,
    private scene: Scene,
    private marks: Marks,
    private log: Log,
  ) {
    scene.watch(() => this.by && this.check(this.by));
  }

  private named(kind: string): Named[] {
    void this.scene.seen;
    const found = [...this.scene.picture.nodes.values()].filter((node) => node.kind === kind);
    return found.sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  }

  get list(): Named[] {
    return this.named("target");
  }

  get paths(): PathOrder[] {
    const known = new Map(this.marks.paths.map((path) => [path.id, path.targets]));
    return this.named("path").map(({ id, name }) => ({ id, name, targets: known.get(id) ?? [] }));
  }

  freeName(stem: string): string {
    void this.scene.seen;
    return freeName(stem, new Set([...this.scene.picture.nodes.values()].map((node) => node.name)));
  }

  // ---- reach -----------------------------------------------------------------------------------------------

  /** Mark which targets the robot with this id reaches, from now on; "" ends it. */
  check(robot: string): void {
    const name = this.scene.picture.robots.get(robot)?.name;
    this.by = name === undefined ? "" : robot;
    if (name === undefined) this.answer.clear();
    else this.answer.ask(async () => (await this.connection.call("check targets", { robot: quoted(name) })).checked);
  }

  get checked(): boolean {
    return this.by !== "";
  }

  get reason(): string {
    return this.answer.reason;
  }

  /** Whether the robot reaches each target, by name; empty while that is not asked for. */
  get reach(): ReadonlyMap<string, TargetReach> {
    return new Map((this.answer.value ?? []).map((one) => [one.target, one]));
  }

  // ---- commands --------------------------------------------------------------------------------------------

  rename(kind: "target" | "path", from: string, to: string): Promise<boolean> {
    return this.log.press(`modify ${kind}:${quoted(from)} name ${quoted(to)}`);
  }

  remove(kind: "target" | "path", name: string): Promise<boolean> {
    return this.log.press(`remove ${kind}:${quoted(name)}`);
  }

  touchUp(target: string, robot: string): Promise<boolean> {
    return this.log.press(`touch-up ${quoted(target)} from ${quoted(robot)}`);
  }

  /** Move a robot to each target of a path in turn, as one step of the history. */
  runAlong(path: PathOrder, robot: string): Promise<boolean> {
    return this.log.pressAll(path.targets.map((target) => `move-end-effector ${quoted(robot)} ${quoted(target)}`));
  }

  create(path: string): Promise<boolean> {
    return this.log.press(`create path ${quoted(path)}`);
  }

  /** Move the target with a number, counted from 1, to another number of its path. */
  reorder(path: string, number: number, place: number): Promise<boolean> {
    return this.log.press(`targets reorder ${quoted(path)} ${number} to ${place}`);
  }

  append(target: string, path: string): Promise<boolean> {
    return this.log.press(`targets append ${quoted(target)} to ${quoted(path)}`);
  }

  leave(path: string, number: number): Promise<boolean> {
    return this.log.press(`targets leave ${quoted(path)} ${number}`);
  }
}
