// Every way to reach a pose. The answer is for one robot, on its base and with its tool: with another one it is gone.
import type { Matrix4 } from "three";
import type { Solution } from "./commands";
import type { Connection } from "./connection.svelte";
import { armOf, type Pendant } from "./pendant.svelte";
import type { RobotInfo } from "./protocol";
import { type Convention, fromPlace, type Place, placeOf, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

interface Answer {
  arm: string;
  pose: Matrix4;
  /** Where the tool is with all joints at zero: it changes with the base and with the tool. */
  stance: string;
  solutions?: Solution[];
  reason: string;
}

/** A solution with its number among all of them. */
export interface Numbered {
  number: number;
  one: Solution;
}

const FINE = 1e-4; // m, and of the axes: joint values in a command line are rounded

export class Inverse {
  private typed = $state.raw<{ robot: string; place: Place; convention: Convention }>();
  private found = $state.raw<Answer>();
  private turn = 0;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private pendant: Pendant,
  ) {
    scene.watch(() => void this.check());
  }

  /** The numbers typed for the pose of this robot that is asked for; undefined for the pose of the tool. */
  get asked(): Place | undefined {
    const { typed } = this;
    const { robot, convention } = this.pendant;
    if (!typed || typed.robot !== robot?.id) return undefined;
    return typed.convention === convention ? typed.place : placeOf(fromPlace(typed.place, typed.convention), convention);
  }

  set asked(place: Place | undefined) {
    const { robot, convention } = this.pendant;
    this.typed = place && robot && { robot: robot.id, place, convention };
  }

  /** The pose that is asked for. */
  private get pose(): Matrix4 | undefined {
    const { asked } = this;
    return asked ? fromPlace(asked, this.pendant.convention) : this.pendant.tool;
  }

  /** The last answer, if it is about this robot and this pose. */
  private get answer(): Answer | undefined {
    const { found, pose } = this;
    return found && pose && found.arm === armOf(this.pendant.robot) && near(found.pose, pose) ? found : undefined;
  }

  /** Every way to reach the pose; undefined before it is asked. */
  get solutions(): Solution[] | undefined {
    return this.answer?.solutions;
  }

  /** The solutions with their numbers: those that can be used first, then those that touch something, then those beyond a limit. */
  get ranked(): Numbered[] | undefined {
    const rank = ({ one }: Numbered) => (!one.within_limits ? 2 : one.free === false ? 1 : 0);
    return this.solutions?.map((one, i) => ({ number: i + 1, one })).sort((a, b) => rank(a) - rank(b) || a.number - b.number);
  }

  /** Why there is no answer. */
  get reason(): string {
    return this.answer?.reason ?? "";
  }

  /** List every way to reach the pose. */
  async ask(): Promise<void> {
    const { pose } = this;
    const { robot, convention } = this.pendant;
    if (!robot || !pose) return;
    const turn = (this.turn += 1);
    this.found = undefined;
    const contacts = this.connection.status?.warm ?? false;
    const answer = { arm: armOf(robot), pose: pose.clone(), stance: await this.stanceOf(robot), reason: "" };
    const asked = { robot: quoted(robot.name), pose: poseText(pose, this.scene.units, convention), frame: "world" as const, contacts };
    const more = await this.connection.call("ik", asked).then(
      ({ solutions }) => ({ solutions }),
      (error: unknown) => ({ reason: (error as Error).message }),
    );
    if (turn === this.turn) this.found = { ...answer, ...more };
  }

  /** Forget the answer, and the typed pose. */
  forget(): void {
    this.turn += 1;
    this.typed = this.found = undefined;
  }

  /** Forget an answer for another base or tool. */
  private async check(): Promise<void> {
    const { found } = this;
    const robot = found && [...this.scene.picture.robots.values()].find((one) => armOf(one) === found.arm);
    if (robot && (await this.stanceOf(robot)) !== found.stance && this.found === found) this.found = undefined;
  }

  private async stanceOf({ name, joints }: RobotInfo): Promise<string> {
    const frames = await this.connection.call("fk", { robot: quoted(name), joints: joints.map(() => 0), frame: "world" }).catch(() => undefined);
    return JSON.stringify(frames?.tool ?? null);
  }
}

/** Whether two poses are the same but for rounding. */
function near(a: Matrix4, b: Matrix4): boolean {
  return a.elements.every((value, i) => Math.abs(value - b.elements[i]!) < FINE);
}
