// Moving things by hand: the things that the handle holds, what moves with it, the drag as it is shown, and its command.
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

/**
 * What the handle holds: the line of the tree at which it stands, its pose now, the lines that are moved with it, and the
 * ids of the bodies, places, zones and lamps that move.
 */
export interface Held {
  node: TreeNode;
  taking: readonly TreeNode[];
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

const PLACED: ReadonlySet<string> = new Set(["object", "robot", "target", "frame", "path", "zone", "sensor", "light"]);
const HANGING: ReadonlySet<string> = new Set(["target", "frame", "path"]);
const PATIENCE = 1500; // ms for the picture with the new place
const LAMPS = 350; // ms until the lamps were asked for again

export class Moving {
  handle = $state<HandleKind>("off");
  /** Whether the handle is along the axes of the thing instead of those of the world. */
  own = $state(false);
  held = $state.raw<Held>();
  /** Why the selected things cannot be moved; "" if they can, or if there is no handle. */
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

  /** The line of the tree at which the handle stands: the thing that was selected last, or the robot of that link. */
  get node(): TreeNode | undefined {
    return this.nodes.at(-1);
  }

  /** The things that the handle moves: what is selected, and for a link its robot. */
  get nodes(): TreeNode[] {
    const things = this.selection.things.map((node) => (node.kind === "link" || node.kind === "body" ? this.scene.node(this.scene.above(node.id)[0] ?? "") : node));
    return [...new Set(things)].filter((node) => node !== undefined);
  }

  use(handle: HandleKind): void {
    this.handle = this.handle === handle ? "off" : handle;
    this.cancel();
  }

  /** Ask what the handle holds; call it when the selection, the cell or the time that is shown changed. */
  async refresh(): Promise<void> {
    const turn = (this.turn += 1);
    const { nodes } = this;
    const same = this.held !== undefined && idsOf([...this.held.taking, this.held.node]) === idsOf(nodes);
    if (this.motion && same) return; // in the hand
    const lost = this.held !== undefined && this.keepHold() === undefined;
    if (this.motion) this.cancel();
    this.reason = this.handle === "off" ? "" : this.refusal(nodes);
    if (this.handle === "off" || nodes.length === 0 || this.reason || this.connection.link !== "open") {
      this.held = undefined;
      return;
    }
    if (!same || lost) this.held = undefined;
    await this.grasp(nodes, turn);
  }

  /** Ask what moves with things, and hold them. */
  private async grasp(nodes: readonly TreeNode[], turn: number): Promise<void> {
    const node = nodes.at(-1)!;
    const taking = nodes.slice(0, -1);
    const others = taking.map((one) => referenceOf(this.scene, one));
    try {
      const found = await this.connection.call("moves-with", { thing: referenceOf(this.scene, node), ...(others.length > 0 ? { others } : {}) });
      if (turn !== this.turn) return;
      this.reason = found.refusal;
      const moved = { bodies: this.bodiesOf(found.bodies), others: this.othersOf(nodes, found.places) };
      const held = { node, taking, pose: fromRows(found.pose), ...moved, carrier: found.carrier };
      this.held = found.refusal ? undefined : held;
    } catch (error) {
      if (turn !== this.turn) return;
      this.held = undefined;
      this.reason = (error as Error).message;
    }
  }

  /** Put the selected things straight down, as they stand to each other; `fall` has the way down of bodies [m]. Returns why not, or "". */
  async down(fall: (own: readonly string[], except: ReadonlySet<string>) => number): Promise<string> {
    const { nodes } = this;
    if (nodes.length === 0) return "Select what is to be put down.";
    this.reason = this.refusal(nodes);
    if (this.reason) return this.reason;
    await this.grasp(nodes, (this.turn += 1));
    const { held } = this;
    if (!held) return this.reason;
    const way = fall(nodes.flatMap((node) => node.bodies), held.bodies);
    if (Math.abs(way) < 1e-7) return "";
    const at = new Vector3().setFromMatrixPosition(held.pose);
    await this.put(toMicrometres(held.pose.clone().setPosition(at.x, at.y, at.z - way), held.pose));
    return "";
  }

  /** Why things cannot be moved; of several, each with its name. */
  private refusal(nodes: readonly TreeNode[]): string {
    const reasons = nodes.flatMap((node) => {
      if (node.kind === "group" || PLACED.has(node.kind)) return [];
      if (node.kind === "tool") return `${node.name} is on the flange of its robot; the pendant moves the robot.`;
      return `${nodes.length > 1 ? `${node.name}: a` : "A"} ${node.kind} has no place of its own.`;
    });
    if (reasons.length > 0) return reasons.join(" ");
    if (this.handle === "turn" && nodes.length > 0 && nodes.every((node) => node.kind === "light")) return "A lamp shines from its place at the middle of the cell; move it to change its direction.";
    if (nodes.every((node) => node.kind === "group")) return "";
    return this.time.live ? "" : "The view shows the recording. Press Now to move things.";
  }

  private bodiesOf(names: readonly string[]): Set<string> {
    const wanted = new Set(names);
    return new Set([...this.scene.picture.bodies.values()].filter((body) => wanted.has(body.name)).map((body) => body.id));
  }

  private othersOf(nodes: readonly TreeNode[], places: readonly string[]): Set<string> {
    const wanted = new Set(places);
    const found = [...this.scene.picture.nodes.values()].filter((one) => wanted.has(`${one.kind}:${one.name}`));
    return new Set([...found, ...nodes.filter((one) => one.kind === "zone" || one.kind === "light")].map((one) => one.id));
  }

  /** The motion of a target, frame, path, zone or lamp that is dragged, by its id; undefined for all others. */
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
    const [taking, node] = [held.taking.map((one) => this.scene.node(one.id)), this.scene.node(held.node.id)];
    const gone = [...held.taking, held.node].filter((_, i) => ![...taking, node][i]).map((one) => one.name);
    const same = node === held.node && taking.every((one, i) => one === held.taking[i]);
    if (node && gone.length === 0) return (this.held = same ? held : { ...held, node, taking: taking as TreeNode[] });
    if (this.motion) this.onrefused(`Not moved: ${held.node.name}`, `${gone.join(", ")} ${gone.length > 1 ? "were" : "was"} removed while ${gone.length > 1 ? "they were" : "it was"} moved.`);
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
        const there = touched.zones || held.bodies.size === 0 || [...touched.bodies].some((body) => held.bodies.has(body));
        if (there) setTimeout(resolve, [...held.taking, held.node].some((one) => one.kind === "light") ? LAMPS : 0);
      });
    });
    return [there, stop];
  }

  /** The command that puts what is held at a pose. */
  private line({ node, taking, carrier }: Held, pose: Matrix4): string {
    const hangs = taking.length > 0 ? [...taking, node].some((one) => HANGING.has(one.kind)) : carrier !== "" && HANGING.has(node.kind);
    const text = poseText(pose, this.scene.units, this.pendant.convention);
    const upright = (node.kind !== "sensor" || taking.length > 0) && text.endsWith(" 0,0,0"); // a sensor keeps its direction without angles
    const others = taking.map((one) => ` taking ${referenceOf(this.scene, one)}`).join("");
    return `place ${referenceOf(this.scene, node)} at ${upright ? text.slice(0, text.indexOf(" ")) : text}${others}${hangs ? " --hanging" : ""}`;
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

/** Which things these are, in their order: the handle stands at the last one. */
function idsOf(nodes: readonly TreeNode[]): string {
  return nodes.map((node) => node.id).join(" ");
}
