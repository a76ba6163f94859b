// The work envelope of a robot, while it is shown: asked for again after its base, its limits or its tool changed.
import type { Reach } from "./commands";
import type { Connection } from "./connection.svelte";
import { Latest } from "./latest.svelte";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

export class ReachShown {
  /** The id of the robot whose envelope is shown; "" for none. */
  robot = $state("");
  private answer = new Latest<Reach>();
  private asked = "";

  constructor(
    private connection: Connection,
    private scene: Scene,
  ) {
    scene.watch(() => this.refresh());
  }

  get value(): Reach | undefined {
    return this.robot ? this.answer.value : undefined;
  }

  get reason(): string {
    return this.answer.reason;
  }

  get busy(): boolean {
    return this.answer.busy;
  }

  /** Show the envelope of a robot, or hide it if it is the one that is shown. */
  toggle(robot: string): void {
    this.robot = this.robot === robot ? "" : robot;
    this.asked = "";
    this.answer.clear();
    this.refresh();
  }

  private refresh(): void {
    const robot = this.scene.picture.robots.get(this.robot);
    if (!robot) {
      this.robot = "";
      return;
    }
    const bodies = [...this.scene.picture.bodies.values()];
    const base = bodies.find((body) => body.owner === robot.id && body.link === 0)?.pose;
    const wanted = JSON.stringify([robot.name, robot.model, robot.joints, robot.hand, base]);
    if (wanted === this.asked) return;
    this.asked = wanted;
    this.answer.ask(() => this.connection.call("reach", { robot: quoted(robot.name) }));
  }
}
