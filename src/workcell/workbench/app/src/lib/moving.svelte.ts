// Moving things by hand: the things that the handle holds, what moves with it, the drag as it is shown, and its command.
import { Matrix4, Vector3 } from "three";
import type { Connection } from "./connection.svelte";
import { Hand, type Holding } from "./hand.svelte";
import { referenceOf } from "./references";
import type { Log } from "./log.svelte";
import type { Loose } from "./loose.svelte";
import type { Pendant } from "./pendant.svelte";
import type { Poses } from "./poses";
import { fromRows, isAt, poseText, shortPoseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { toMicrometres, type Under } from "./snapping";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";
import { labelOf, posed, type TypedMotion, unitOf } from "./typed_hand.svelte";

export type HandleKind = "off" | "move" | "turn";

/** What the handle holds: its pose now, the ids of the bodies, places, zones and lamps that move, and what carries it. */
export interface Held extends Holding {
  pose: Matrix4;
  bodies: ReadonlySet<string>;
  others: ReadonlySet<string>;
  carrier: string;
}

/** The kinds that a handle moves. */
export const PLACED: ReadonlySet<string> = new Set(["object", "robot", "target", "frame", "path", "zone", "sensor", "light"]);
const HANGING: ReadonlySet<string> = new Set(["target", "frame", "path"]);
const PATIENCE = 1500; // ms for the picture with the new place
const LAMPS = 350; // ms until the lamps were asked for again

export class Moving extends Hand<Held, TypedMotion> {
  handle = $state<HandleKind>("off");
  /** Whether the handle is along the axes of the thing instead of those of the world. */
  own = $state(false);
  /** The motion of what is dragged, from where it is now; undefined if nothing is. */
  motion = $state.raw<Matrix4>();
  /** What the drag was snapped to. */
  caught = $state.raw<{ kind: Under["kind"]; point: Vector3 }>();
  protected words = { not: "Not moved", one: "it was being moved", several: "they were being moved" };

  constructor(
    connection: Connection,
    scene: Scene,
    private selection: Selection,
    private time: Time,
    private poses: Poses,
    private pendant: Pendant,
    log: Log,
    private loose: Loose,
  ) {
    super(connection, scene, log);
  }

  /** The line of the tree at which the handle stands: the thing that was selected last, or the robot of that link. */
  get node(): TreeNode | undefined {
    return this.nodes.at(-1);
  }

  /** The things that the handle moves: what is selected, and for a link its robot. */
  get nodes(): TreeNode[] {
    const things = this.selection.things.map((node) => (node.kind === "link" || node.kind === "body" ? this.scene.node(this.scene.above(node.id)[0] ?? "") : node));
    return [...new Set(things)].filter((node) => node !== undefined);
  }

  protected get active(): boolean {
    return this.handle !== "off";
  }

  protected get dragging(): boolean {
    return this.motion !== undefined;
  }

  get unit(): string {
    return unitOf(this.typed, this.scene.units);
  }

  get label(): string {
    return labelOf(this.typed);
  }

  use(handle: HandleKind): void {
    this.handle = this.handle === handle ? "off" : handle;
    this.cancel();
  }

  protected async ask(nodes: readonly TreeNode[]): Promise<Held | string> {
    const node = nodes.at(-1)!;
    const shelved = this.loose.places.get(node.id);
    if (shelved) return { node, taking: [], pose: new Matrix4().makeTranslation(...shelved), bodies: new Set(), others: new Set([node.id]), carrier: "" };
    const taking = nodes.slice(0, -1);
    const others = taking.map((one) => referenceOf(this.scene, one));
    const found = await this.connection.call("moves-with", { thing: referenceOf(this.scene, node), ...(others.length > 0 ? { others } : {}) });
    const moved = { bodies: this.bodiesOf(found.bodies), others: this.othersOf(nodes, found.places) };
    return found.refusal || { node, taking, pose: fromRows(found.pose), ...moved, carrier: found.carrier };
  }

  protected unchanged(held: Held, now: Held): boolean {
    return isAt(held.pose, now.pose);
  }

  protected showAgain(): void {
    if (this.held && this.motion) this.poses.lift(this.held.bodies, this.motion);
  }

  /** Put the selected things straight down, as they stand to each other; `fall` has the way down of bodies [m]. Returns why not, or "". */
  async down(fall: (own: readonly string[], except: ReadonlySet<string>) => number): Promise<string> {
    const { nodes } = this;
    if (nodes.length === 0) return "Select what to put down.";
    this.reason = this.refusal(nodes);
    if (this.reason) return this.reason;
    const held = await this.grasp(nodes);
    if (!held) return this.reason;
    const way = fall(nodes.flatMap((node) => node.bodies), held.bodies);
    if (Math.abs(way) < 1e-7) return "";
    const at = new Vector3().setFromMatrixPosition(held.pose);
    await this.letGo(toMicrometres(held.pose.clone().setPosition(at.x, at.y, at.z - way), held.pose));
    return "";
  }

  /** Why things cannot be moved; of several, each with its name. */
  protected refusal(nodes: readonly TreeNode[]): string {
    const reasons = nodes.flatMap((node) => {
      if (node.kind === "group" || PLACED.has(node.kind)) return [];
      if (node.kind === "loose") return this.refusalOfLoose(node, nodes.length);
      if (node.kind === "tool") return `${node.name} is on the flange of its robot; the pendant moves the robot.`;
      return `${nodes.length > 1 ? `${node.name}: a` : "A"} ${node.kind} has no place of its own.`;
    });
    if (reasons.length > 0) return reasons.join(" ");
    if (this.handle === "turn" && nodes.length > 0 && nodes.every((node) => node.kind === "light")) return "A lamp cannot be turned. To change its direction, move it or the point that it shines at.";
    if (nodes.every((node) => node.kind === "group")) return "";
    return this.time.live ? "" : "The view shows the recording. Press Show now to move things.";
  }

  /** Why a thing that stands nowhere cannot be moved into the scene; "" is left out. */
  private refusalOfLoose(node: TreeNode, count: number): string[] {
    if (!this.loose.placeable(node)) return [`${node.name} cannot be placed in the scene by itself.`];
    if (!this.loose.places.has(node.id)) return [`${node.name} is not drawn; Place in the inspector puts it into the scene.`];
    return count > 1 ? [`${node.name} has no place in the scene; move it there on its own.`] : [];
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
  override cancel(): void {
    if (this.motion) this.poses.settle();
    this.motion = this.caught = undefined;
    super.cancel();
  }

  /** Let what is dragged go at a pose. */
  letGo(pose: Matrix4): Promise<boolean> {
    if (this.held) this.show(pose);
    this.caught = this.readout = undefined;
    return this.carryOut(true, (held) => this.place(held, pose));
  }

  protected put(typed: TypedMotion, value: number): Promise<boolean> {
    return this.carryOut(false, (held) => {
      const pose = posed(typed, held.pose, value, this.scene.units);
      return isAt(pose, held.pose) ? Promise.resolve(false) : this.place(held, pose);
    });
  }

  /** Put the thing at a pose, by one command; it is shown there until the picture has it. */
  private async place(held: Held, pose: Matrix4): Promise<boolean> {
    this.show(pose);
    const [there, stop] = this.arrival(held);
    const done = await this.log.press(this.line(held, pose));
    if (done) await Promise.race([there, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
    stop();
    if (done && this.held === held) this.held = { ...held, pose };
    if (done && held.node.kind === "loose") this.loose.follow(held.node);
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
    const written = node.kind === "sensor" && taking.length === 0 ? poseText : shortPoseText; // a sensor keeps its direction without angles
    const text = written(pose, this.scene.units, this.pendant.convention);
    const others = taking.map((one) => ` taking ${referenceOf(this.scene, one)}`).join("");
    return `place ${referenceOf(this.scene, node)} at ${text}${others}${hangs ? " --hanging" : ""}`;
  }

  protected showTyped(value: number): void {
    const { typed, held } = this;
    if (typed && held) this.show(posed(typed, held.pose, value, this.scene.units));
  }

  protected wrong(): string {
    return "";
  }
}
