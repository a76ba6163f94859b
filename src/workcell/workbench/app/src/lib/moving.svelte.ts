// Moving things by hand: the thing that the handle holds, what moves with it, the drag as it is shown, and its command.
import { Matrix4, Vector3 } from "three";
import type { Connection } from "./connection.svelte";
import { referenceOf } from "./inspected.svelte";
import type { Log } from "./log.svelte";
import type { Pendant } from "./pendant.svelte";
import type { Poses } from "./poses";
import { fromRows, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { axesOf, type Drag, toMicrometres, turned, turnedBy, type Under } from "./snapping";
import { numberOf, tidy } from "./text";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";

export type HandleKind = "off" | "move" | "turn";

/** What the handle holds: the line of the tree, its pose now, and the ids of the bodies, places and zones that move with it. */
export interface Held {
  node: TreeNode;
  pose: Matrix4;
  bodies: ReadonlySet<string>;
  others: ReadonlySet<string>;
  carrier: string;
}

/** A value that is typed instead of dragged: along or about which axis, and where the field is in the window [pixels]. */
export interface Typed {
  drag: Drag;
  kind: "move" | "turn";
  text: string;
  x: number;
  y: number;
}

const PLACED: ReadonlySet<string> = new Set(["object", "robot", "target", "frame", "path", "zone", "sensor"]);
const PATIENCE = 1500; // ms for the picture with the new place

export class Moving {
  handle = $state<HandleKind>("off");
  /** Whether the handle is along the axes of the thing instead of those of the world. */
  own = $state(false);
  held = $state.raw<Held>();
  /** Why the selected thing cannot be moved; "" if it can, or if there is no handle. */
  reason = $state("");
  /** The motion of what is dragged, from where it is now; undefined if nothing is. */
  motion = $state.raw<Matrix4>();
  /** What the drag was snapped to. */
  caught = $state.raw<{ kind: Under["kind"]; point: Vector3 }>();
  /** What is shown near the pointer: a text, and where it is in the window [pixels]. */
  readout = $state.raw<{ text: string; x: number; y: number }>();
  typed = $state.raw<Typed>();
  /** Called with a title and a sentence when a drag ended by itself. */
  onrefused: (title: string, sentence: string) => void = () => {};
  private turn = 0;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private selection: Selection,
    private time: Time,
    private poses: Poses,
    private pendant: Pendant,
    private log: Log,
  ) {}

  /** The line of the tree that the handle is for: the selected thing, or the robot of a link. */
  get node(): TreeNode | undefined {
    const { node } = this.selection;
    if (node?.kind !== "link" && node?.kind !== "body") return node;
    return this.scene.node(this.scene.above(node.id)[0] ?? "");
  }

  use(handle: HandleKind): void {
    this.handle = this.handle === handle ? "off" : handle;
    this.cancel();
  }

  /** Ask what the handle holds; call it when the selection, the cell or the time that is shown changed. */
  async refresh(): Promise<void> {
    const turn = (this.turn += 1);
    const node = this.node;
    if (this.motion && this.held?.node.id === node?.id) return; // in the hand
    this.keepHold();
    if (this.motion) this.cancel();
    this.reason = this.refusal(node);
    if (this.handle === "off" || !node || this.reason || this.connection.link !== "open") {
      this.held = undefined;
      return;
    }
    if (this.held?.node.id !== node.id) this.held = undefined;
    await this.grasp(node, turn);
  }

  /** Ask what moves with a thing, and hold it. */
  private async grasp(node: TreeNode, turn: number): Promise<void> {
    try {
      const found = await this.connection.call("moves-with", { thing: referenceOf(this.scene, node) });
      if (turn !== this.turn) return;
      this.reason = found.refusal;
      const held = { node, pose: fromRows(found.pose), bodies: this.bodiesOf(found.bodies), others: this.othersOf(node, found.places), carrier: found.carrier };
      this.held = found.refusal ? undefined : held;
    } catch (error) {
      if (turn !== this.turn) return;
      this.held = undefined;
      this.reason = (error as Error).message;
    }
  }

  /** Put the selected thing straight down; `fall` has the way down of a thing with these bodies [m]. Returns why not, or "". */
  async down(fall: (own: readonly string[], except: ReadonlySet<string>) => number): Promise<string> {
    const { node } = this;
    if (!node) return "Select what is to be put down.";
    this.reason = this.time.live ? "" : "The view shows the recording. Press Now to move things.";
    if (this.reason) return this.reason;
    await this.grasp(node, (this.turn += 1));
    const { held } = this;
    if (!held) return this.reason;
    const way = fall(node.bodies, held.bodies);
    if (Math.abs(way) < 1e-7) return "";
    const at = new Vector3().setFromMatrixPosition(held.pose);
    await this.put(toMicrometres(held.pose.clone().setPosition(at.x, at.y, at.z - way), held.pose));
    return "";
  }

  private refusal(node: TreeNode | undefined): string {
    if (this.handle === "off" || !node || node.kind === "group") return "";
    if (node.kind === "tool") return `${node.name} is on the flange of its robot; the pendant moves the robot.`;
    if (!PLACED.has(node.kind)) return `A ${node.kind} has no place of its own.`;
    return this.time.live ? "" : "The view shows the recording. Press Now to move things.";
  }

  private bodiesOf(names: readonly string[]): Set<string> {
    const wanted = new Set(names);
    return new Set([...this.scene.picture.bodies.values()].filter((body) => wanted.has(body.name)).map((body) => body.id));
  }

  private othersOf(node: TreeNode, places: readonly string[]): Set<string> {
    const wanted = new Set(places);
    const found = [...this.scene.picture.nodes.values()].filter((one) => wanted.has(`${one.kind}:${one.name}`)).map((one) => one.id);
    return new Set(node.kind === "zone" ? [...found, node.id] : found);
  }

  /** The motion of a target, frame, path or zone that is dragged, by its id; undefined for all others. */
  motionOf(id: string): Matrix4 | undefined {
    return this.motion && this.held?.others.has(id) ? this.motion : undefined;
  }

  /** Show the thing, and all that moves with it, at another pose. */
  show(pose: Matrix4): void {
    if (!this.held) return;
    this.motion = pose.clone().multiply(this.held.pose.clone().invert());
    this.poses.lift(this.held.bodies, this.motion);
  }

  /** Take back what is shown. */
  cancel(): void {
    this.motion = this.caught = this.readout = this.typed = undefined;
    this.poses.settle();
  }

  /** What is held, as it is called now; a drag of a thing that is gone ends. */
  private keepHold(): Held | undefined {
    const { held } = this;
    if (!held) return undefined;
    const node = this.scene.node(held.node.id);
    if (node) return (this.held = node === held.node ? held : { ...held, node });
    if (this.motion) this.onrefused(`Not moved: ${held.node.name}`, `${held.node.name} was removed while it was moved.`);
    this.held = undefined;
    this.cancel();
    return undefined;
  }

  /** Put the thing at a pose, by one command; it is shown there until the picture has it. */
  async put(pose: Matrix4): Promise<boolean> {
    const held = this.keepHold();
    if (!held) return false;
    this.show(pose);
    this.caught = this.readout = this.typed = undefined;
    const [there, stop] = this.arrival(held);
    const done = await this.log.press(this.line(held, pose));
    if (done) await Promise.race([there, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    stop();
    if (done && this.held === held) this.held = { ...held, pose };
    this.cancel();
    void this.refresh();
    return done;
  }

  /** When the picture has another place of what is held. */
  private arrival(held: Held): [Promise<void>, () => void] {
    let stop = () => {};
    const there = new Promise<void>((resolve) => {
      stop = this.scene.watch((touched) => {
        if (touched.zones || held.bodies.size === 0 || [...touched.bodies].some((body) => held.bodies.has(body))) resolve();
      });
    });
    return [there, stop];
  }

  /** The command that puts what is held at a pose. */
  private line({ node, carrier }: Held, pose: Matrix4): string {
    const hangs = carrier && ["target", "frame", "path"].includes(node.kind) ? " --hanging" : "";
    const text = poseText(pose, this.scene.units, this.pendant.convention);
    const upright = node.kind !== "sensor" && text.endsWith(" 0,0,0"); // a sensor keeps its direction without angles
    return `place ${referenceOf(this.scene, node)} at ${upright ? text.slice(0, text.indexOf(" ")) : text}${hangs}`;
  }

  /** What a drag did, in the units of the cell. */
  describe(drag: Drag, kind: "move" | "turn", pose: Matrix4): string {
    const { units } = this.scene;
    const signed = (value: number, digits: number) => (value < 0 ? "" : "+") + tidy(value, digits);
    if (kind === "turn") {
      const [axis, angle] = turned(drag.start, pose);
      const along = axesOf(drag)[0];
      const sense = along && along.dot(axis) < 0 ? -1 : 1;
      const about = drag.axis.length === 1 && along ? ` about ${drag.axis.toLowerCase()}` : "";
      return `${signed((sense * angle) / units.angleSize, units.angle === "deg" ? 1 : 3)}${units.angle === "deg" ? "°" : " rad"}${about}`;
    }
    const digits = units.length === "mm" ? 1 : 4;
    const at = new Vector3().setFromMatrixPosition(pose);
    const values = (letters: string, numbers: readonly number[], sign: boolean) =>
      Array.from(letters, (letter, i) => `${letter} ${(sign ? signed : tidy)(numbers[i]! / units.lengthSize, digits)}`).join("  ") + ` ${units.length}`;
    if (drag.axis === "XYZ") return values("xyz", at.toArray(), false);
    const shift = at.sub(new Vector3().setFromMatrixPosition(drag.start));
    return values(drag.axis.toLowerCase(), axesOf(drag).map((axis) => shift.dot(axis)), true);
  }

  /** Open the field for a value along or about one axis. */
  type(drag: Drag, kind: "move" | "turn", text: string, x: number, y: number): void {
    this.readout = this.caught = undefined;
    this.typed = { drag, kind, text, x, y };
    this.preview(text);
  }

  /** The pose for a typed value; undefined if it is no number. */
  private posed(text: string): Matrix4 | undefined {
    const { typed } = this;
    const value = text.trim() === "" ? 0 : numberOf(text);
    const axis = typed && axesOf(typed.drag)[0];
    if (!typed || !axis || !Number.isFinite(value)) return undefined;
    const { start } = typed.drag;
    const { lengthSize, angleSize } = this.scene.units;
    if (typed.kind === "turn") return turnedBy(start, axis, value * angleSize);
    return start.clone().setPosition(new Vector3().setFromMatrixPosition(start).addScaledVector(axis, value * lengthSize));
  }

  /** Show the thing where a typed value brings it; returns whether it is a number. */
  preview(text: string): boolean {
    const pose = this.posed(text);
    if (pose) this.show(pose);
    return pose !== undefined;
  }

  /** Take a typed value. */
  take(text: string): void {
    const pose = this.posed(text);
    const changed = pose && this.held && !pose.equals(this.held.pose);
    if (pose && changed && text.trim() !== "") void this.put(pose);
    else this.cancel();
  }
}
