// The pendant: the robot that is moved by hand, how it is jogged, and the command lines of its buttons.
import { Matrix4 } from "three";
import type { Frames, Solution } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Ghost } from "./ghost.svelte";
import type { Inverse } from "./inverse.svelte";
import { Jogging } from "./jogging.svelte";
import type { Log } from "./log.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { type Convention, fromPlace, fromRows, fromSeven, poseText } from "./rigid";
import { RobotChoice } from "./robots.svelte";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { plain, quoted, tidy } from "./text";
import type { Time } from "./time.svelte";
import { after, decimals } from "./units";

export const FRAMES = ["joints", "world", "hand"] as const;
export type Frame = (typeof FRAMES)[number];

const AXES = ["x", "y", "z", "about x", "about y", "about z"];

export const HANDLES = ["off", "move", "turn"] as const;
export type Handle = (typeof HANDLES)[number];

/** How long a jog is: lengths [m] and angles [rad] to choose from. */
export const LENGTHS = [0.001, 0.005, 0.01, 0.05, 0.1];
export const ANGLES = [0.5, 1, 5, 15, 45].map((degrees) => (degrees * Math.PI) / 180);

/** Why nothing moves a robot by hand while a moment of the recording is shown. */
export const LOCKED = "The view shows the recording, and the robot is elsewhere now. Press Show now to move it.";

/** Where the tool of a robot is on one of its bodies. */
interface Hold {
  /** The robot with its tool, as `toolOf` has it. */
  of: string;
  /** The id of the body; "" if the robot has none, then `place` is in the world. */
  body: string;
  /** Whether the tool stays there whatever the joint values are. */
  rigid: boolean;
  place: Matrix4;
}

export class Pendant {
  frame = $state<Frame>("world");
  /** The number of the axis or joint that keys jog. */
  axis = $state(0);
  length = $state(0.01);
  angle = $state((5 * Math.PI) / 180);
  /** Whether values are set at once, without a motion in simulated time. */
  instant = $state(false);
  /** The handle on the tool in the view: for moving it, for turning it, or none. */
  handle = $state<Handle>("off");
  /** The pose of the tool at the time that is shown; undefined for a robot without one. */
  tool = $state.raw<Matrix4>();
  /** The names of the angles. */
  convention = $state<Convention>("fanuc_wpr");
  /** Why the tool cannot be where it is dragged. */
  reason = $state("");
  /** The robot that is dragged or jogged, as it was when that began. */
  dragged = $state.raw<RobotInfo>();
  private done = ""; // what is done with it
  private hold: Hold | undefined;
  private asked = ""; // whose tool was asked for last
  private located = $state(""); // whose tool the last answer is about
  private turn = 0;
  readonly robots: RobotChoice;
  /** Every way to reach a pose; its panel makes it. */
  inverse: Inverse | undefined;
  readonly jogging: Jogging;
  /** Called with a title and a sentence when a drag or a jog ended by itself. */
  onrefused: (title: string, sentence: string) => void = () => {};

  constructor(
    private connection: Connection,
    private scene: Scene,
    selection: Selection,
    private recording: Recording,
    private log: Log,
    private ghost: Ghost,
    private time: Time,
  ) {
    this.robots = new RobotChoice(scene, selection);
    this.jogging = new Jogging(this, time);
    scene.watch(() => this.keepHold());
  }

  /** The robot in hand. */
  get robot(): RobotInfo | undefined {
    return this.robots.robot;
  }

  /** Whether a moment of the recording is shown: then the pendant shows the robot and does not move it. */
  get locked(): boolean {
    return this.time.mode === "playback";
  }

  /** The names of what is jogged: the joints, or the axes of the frame. */
  get axes(): string[] {
    return this.frame === "joints" ? (this.robot?.joints.map((joint) => joint.name) ?? []) : AXES;
  }

  /** The number of the axis or joint that is jogged, of those that there are. */
  get chosen(): number {
    return Math.min(this.axis, this.axes.length - 1);
  }

  choose(id: string): void {
    this.robots.choose(id);
    this.forget();
  }

  /** Forget the answers about a pose. */
  forget(): void {
    this.inverse?.forget();
    this.reason = "";
    this.ghost.clear();
  }

  /** The joint values at the time that is shown [rad or m]. */
  get joints(): number[] {
    return this.robot ? this.recording.joints(this.robot.id) : [];
  }

  /** The size of the unit of a joint, in rad or m. */
  size(joint: number): number {
    const { units } = this.scene;
    return this.robot?.joints[joint]?.prismatic ? units.lengthSize : units.angleSize;
  }

  /** The unit of the cell that a joint of the robot in hand is shown in. */
  unit(joint: number): string {
    const { length, angle } = this.scene.units;
    return this.robot?.joints[joint]?.prismatic ? length : angle;
  }

  /**
   * Show where the tool is at the time that is shown, where the robot has these joint values.
   *
   * The robot may be carried, and stand elsewhere at that time: the tool is found from one of its bodies. While the
   * recording is played nothing is asked but once, and the tool follows its body.
   */
  async locate(joints: readonly number[]): Promise<void> {
    const wanted = toolOf(this.robot);
    if (this.time.playing && this.asked === wanted) {
      this.follow();
      return;
    }
    const turn = (this.turn += 1);
    this.asked = wanted;
    const hold = await this.holdAt(joints);
    if (turn !== this.turn) return;
    this.located = wanted;
    this.hold = hold;
    this.follow();
  }

  /** Whether there is no answer yet where the tool of this robot is. */
  get locating(): boolean {
    return this.located !== toolOf(this.robot);
  }

  /** Show the tool where the body that it is on is shown. */
  private follow(): void {
    const { hold } = this;
    const known = hold?.of === toolOf(this.robot) && (hold.rigid || !this.time.playing) ? hold : undefined;
    const body = known?.body ? this.recording.pose(known.body) : undefined;
    if (known?.body && !body && !this.time.live) return; // its poses are on their way: the view waits for them, too
    this.tool = known && (body ? fromSeven(body).multiply(known.place) : known.body ? undefined : known.place);
  }

  /** Where the tool is with these joint values, on the body that is nearest to it. */
  private async holdAt(joints: readonly number[]): Promise<Hold | undefined> {
    const { robot } = this;
    if (!robot) return undefined;
    const links = [...this.scene.picture.bodies.values()].filter((body) => body.owner === robot.id && !robot.hand.includes(body.id));
    const last = links.sort((a, b) => b.link - a.link)[0];
    const found = await this.framesAt(joints, last ? "base" : "world");
    const [tool, link] = [found && fromRows(found.tool), last && found?.links[last.link]];
    if (!tool || (last && !link)) return undefined;
    const place = link ? fromRows(link).invert().multiply(tool) : tool;
    return { of: toolOf(robot), body: last?.id ?? "", rigid: last?.link === robot.joints.length, place };
  }

  /** Where the tool and the links are with these joint values; undefined for a mechanism without a tool, or without a connection. */
  private async framesAt(joints: readonly number[], frame: "base" | "world"): Promise<Frames | undefined> {
    const { robot } = this;
    if (!robot || joints.length !== robot.joints.length) return undefined;
    return this.connection.call("fk", { robot: quoted(robot.name), joints: [...joints], frame }).catch(() => undefined);
  }

  /** Joint values as a command line has them. */
  private row(values: readonly number[]): string {
    return values.map((value, i) => plain(value / this.size(i))).join(",");
  }

  /** Show where the robot would be with these joint values, and what is wrong there. */
  preview(joints: readonly number[], problem = ""): void {
    if (this.robot) this.ghost.show(this.robot.id, joints, problem);
  }

  /** Which limits a solution violates, or where it is singular; "" if nothing is wrong with it. */
  problem({ violations, singular }: Solution): string {
    const over = violations.map(([joint, by]) => {
      const one = this.robot?.joints[joint - 1];
      const unit = this.unit(joint - 1);
      return `${one?.name ?? `joint ${joint}`} by ${tidy(Math.abs(by) / this.size(joint - 1), decimals(unit, 2))}${after(unit)}`;
    });
    return over.length > 0 ? `beyond the limit: ${over.join(", ")}` : singular.length > 0 ? `singular: ${singular.join(", ")}` : "";
  }

  /** A drag or a jog begins or goes on; it is for the robot in hand alone. */
  grasp(done = "dragged"): void {
    this.dragged = this.robot;
    this.done = done;
  }

  /** Whether the robot in hand is still the one that is dragged or jogged. */
  get holds(): boolean {
    this.keepHold();
    return this.dragged !== undefined;
  }

  /** The drag or jog ends; returns whether the robot is still the one that was dragged. */
  release(): boolean {
    const still = this.holds;
    this.dragged = undefined;
    return still;
  }

  /** The drag is taken back. */
  letLoose(): void {
    this.dragged = undefined;
    this.ghost.clear();
  }

  /** End the drag or jog of a robot that is gone, has other joints, or is not in hand any more. */
  private keepHold(): void {
    const { dragged } = this;
    if (!dragged || armOf(dragged) === armOf(this.robot)) return;
    const now = this.scene.picture.robots.get(dragged.id);
    const why = armOf(now) === armOf(dragged) ? `Another robot was chosen while ${dragged.name} was being ${this.done}.` : `${dragged.name} was ${now ? "changed" : "removed"} while it was being ${this.done}.`;
    this.letLoose();
    this.onrefused(`Not moved: ${dragged.name}`, why);
  }

  /** Go to joint values. */
  goTo(joints: readonly number[]): Promise<boolean> {
    const command = this.instant ? "set joints" : "move-joints-absolute";
    return this.move((robot) => `${command} ${robot} ${this.row(joints)}`);
  }

  /** Bring the tool to a pose in the world. */
  bring(pose: Matrix4, robot = this.robot): Promise<boolean> {
    const command = this.instant ? "set hand" : "move-end-effector";
    return this.move((robot) => `${command} ${robot} ${poseText(pose, this.scene.units, this.convention)}${this.instant ? " of tool" : ""}`, robot);
  }

  home(): Promise<boolean> {
    return this.move((robot) => `home ${robot}`);
  }

  /** Close the gripper on the part that is there, or open it and release the part. */
  grip(closed: boolean): Promise<boolean> {
    return this.move((robot) => `${closed ? "close" : "open"}-gripper ${robot}`);
  }

  /** Bring the tool to a target. */
  visit(target: string): Promise<boolean> {
    return this.move((robot) => `move-end-effector ${robot} ${quoted(target)}`);
  }

  /** Jog a joint, or the hand along (0 to 2) or about (3 to 5) an axis, by one step forward or back. */
  async jog(axis: number, sign: 1 | -1): Promise<boolean> {
    if (this.frame === "joints") return this.jogJoint(axis, sign);
    const step = [0, 0, 0, 0, 0, 0].map((_, i) => (i === axis ? sign * (axis < 3 ? this.length : this.angle) : 0));
    const by = fromPlace({ xyz: [step[0]!, step[1]!, step[2]!], angles: [step[3]!, step[4]!, step[5]!] }, "staubli_xyz");
    if (this.instant) {
      const { robot, frame } = this;
      const found = await this.framesAt(robot?.values ?? [], "world");
      return found ? this.bring(moved(fromRows(found.tool), by, frame), robot) : false;
    }
    const { lengthSize, angleSize } = this.scene.units;
    const shift = step.slice(0, 3).map((value) => plain(value / lengthSize)).join(",");
    const turn = step.slice(3).map((value) => plain(value / angleSize)).join(",");
    const along = this.frame === "world" ? " along world" : "";
    return this.move((robot) => `move-hand ${robot} ${axis < 3 ? shift : `rotate ${turn}`}${along}`);
  }

  private jogJoint(joint: number, sign: 1 | -1): Promise<boolean> {
    const robot = this.robot;
    if (!robot) return Promise.resolve(false);
    const step = robot.joints.map((one, i) => (i === joint ? sign * (one.prismatic ? this.length : this.angle) : 0));
    if (this.instant) return this.goTo(robot.values.map((value, i) => value + step[i]!));
    return this.move((name) => `move-joints-relative ${name} ${this.row(step)}`);
  }

  /** The way to reach a pose that is nearest to the present joint values, if possible within the limits. */
  async nearest(pose: Matrix4): Promise<Solution | undefined> {
    const robot = this.robot;
    if (!robot) return undefined;
    try {
      const { solutions } = await this.connection.call("ik", { robot: quoted(robot.name), pose: poseText(pose, this.scene.units, this.convention), frame: "world" });
      this.reason = "";
      const inside = solutions.filter((one) => one.within_limits);
      return closest(inside.length > 0 ? inside : solutions, robot.values);
    } catch (error) {
      this.reason = (error as Error).message;
      return undefined;
    }
  }

  /** Keep the pose, the joints and the branch of the robot as a target. */
  learn(name: string, path = "", carrier = ""): Promise<boolean> {
    const end = path ? ` to ${quoted(path)}` : carrier ? ` on ${carrier}` : "";
    return this.press((robot) => `learn target ${quoted(name)} from ${robot}${end}`);
  }

  /** Carry out a motion; in playback it would not begin where the robot is shown. */
  private move(line: (robot: string) => string, robot = this.robot): Promise<boolean> {
    if (!this.locked) return this.press(line, robot);
    this.ghost.clear();
    this.onrefused("Not moved", LOCKED);
    return Promise.resolve(false);
  }

  private press(line: (robot: string) => string, robot = this.robot): Promise<boolean> {
    this.ghost.clear();
    return robot ? this.log.press(line(quoted(robot.name))) : Promise.resolve(false);
  }
}

/** A pose shifted and turned along the axes of the world or of the hand; the hand turns about its own point. */
export function moved(pose: Matrix4, by: Matrix4, frame: Frame): Matrix4 {
  if (frame !== "world") return pose.clone().multiply(by);
  const turned = by.clone().setPosition(0, 0, 0).multiply(pose.clone().setPosition(0, 0, 0));
  const [a, b] = [pose.elements, by.elements];
  return turned.setPosition(a[12] + b[12], a[13] + b[13], a[14] + b[14]);
}

/** What makes a robot the same with the same joints, whatever it is called and wherever it stands. */
export function armOf(robot: RobotInfo | undefined): string {
  return robot ? JSON.stringify([robot.id, robot.model, robot.joints]) : "";
}

/** What makes the tool the same on the last link of a robot. */
function toolOf(robot: RobotInfo | undefined): string {
  return robot ? JSON.stringify([armOf(robot), robot.name, robot.tool, robot.point]) : "";
}

/** The way with the least largest difference of a joint value from `now`. */
export function closest<Way extends { joints: readonly number[] }>(ways: readonly Way[], now: readonly number[]): Way | undefined {
  const far = ({ joints }: Way) => Math.max(...joints.map((value, i) => Math.abs(value - (now[i] ?? 0))));
  return ways.reduce<Way | undefined>((best, way) => (best && far(best) <= far(way) ? best : way), undefined);
}

/** A name that no thing of the cell has: the stem with the first free number. */
export function freeName(stem: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${stem}${number}`)) number += 1;
  return `${stem}${number}`;
}
