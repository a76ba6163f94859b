// A ghost: where the bodies of a robot would be with other joint values. The robot itself stays where it is.
import { Matrix4 } from "three";
import type { Connection } from "./connection.svelte";
import type { RobotInfo } from "./protocol";
import { fromRows, fromSeven } from "./rigid";
import type { Scene } from "./scene.svelte";

interface Wanted {
  robot: string;
  joints: readonly number[];
}

export class Ghost {
  /** Where each body of the ghost is; empty without one. */
  poses = $state.raw<ReadonlyMap<string, Matrix4>>(new Map());
  private wanted: Wanted | undefined;
  private asking = false;

  constructor(
    private connection: Connection,
    private scene: Scene,
  ) {}

  /** Show a robot with these joint values [rad or m]. Of several calls in a row, the last counts. */
  show(robot: string, joints: readonly number[]): void {
    this.wanted = { robot, joints };
    if (!this.asking) void this.follow();
  }

  clear(): void {
    this.wanted = undefined;
    this.poses = new Map();
  }

  private async follow(): Promise<void> {
    this.asking = true;
    try {
      while (this.wanted) {
        const { robot: id, joints } = this.wanted;
        const robot = this.scene.picture.robots.get(id);
        if (!robot) break;
        const [now, then] = await Promise.all([this.links(robot, robot.values), this.links(robot, joints)]);
        if (this.wanted?.joints !== joints) continue;
        this.poses = this.moved(robot, now, then);
        break;
      }
    } catch {
      this.poses = new Map(); // values that the robot cannot have
    } finally {
      this.asking = false;
    }
  }

  private async links(robot: RobotInfo, joints: readonly number[]): Promise<Matrix4[]> {
    const found = await this.connection.call("fk", { robot: robot.name, joints: [...joints], frame: "world" });
    return found.links.map(fromRows);
  }

  /** The bodies of the links and of the tool, carried along with their links. */
  private moved(robot: RobotInfo, now: readonly Matrix4[], then: readonly Matrix4[]): Map<string, Matrix4> {
    const poses = new Map<string, Matrix4>();
    const carry = (body: string, link: number) => {
      const pose = this.scene.picture.bodies.get(body)?.pose;
      const [from, to] = [now[link], then[link]];
      if (pose && from && to) poses.set(body, to.clone().multiply(from.clone().invert()).multiply(fromSeven(pose)));
    };
    for (const body of this.scene.picture.bodies.values()) {
      if (body.owner === robot.id && body.link >= 0 && body.link < now.length) carry(body.id, body.link);
    }
    for (const body of robot.hand) carry(body, now.length - 1);
    return poses;
  }
}
