// Sizes changed by hand: the grips on the faces of a box, cylinder or sphere, the drag as it is shown, and its command.
import { Matrix4, Vector3 } from "three";
import type { Connection } from "./connection.svelte";
import { Hand, type Holding } from "./hand.svelte";
import { referenceOf } from "./references";
import type { Log } from "./log.svelte";
import type { Pendant } from "./pendant.svelte";
import { fromRows, isAt, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { plain, tidy } from "./text";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";
import type { TypedValue } from "./typed_hand.svelte";
import { decimals } from "./units";

/** A thing of a shape with sizes [m], and where the shape is in the world and in the thing. */
export interface Sized extends Holding {
  shape: string;
  names: readonly string[];
  sizes: readonly number[];
  pose: Matrix4;
  inside: Matrix4;
}

/** A grip on a face: which size it changes, outwards along which axis of the shape, and whether the opposite face stays. */
export interface SizeGrip {
  size: number;
  outward: Vector3;
  oneSided: boolean;
}

/** A shape while it is dragged: its sizes [m], and how its origin has moved along its own axes [m]. */
export interface Resized {
  sizes: readonly number[];
  shift: Vector3;
}

/** A value that is typed: of which grip. */
export interface TypedSize extends TypedValue {
  grip: SizeGrip;
}

const LEAST = 1e-3; // m, of what is dragged
const FINEST = 1e-6; // m, of what is typed
/** The kinds that have grips. */
export const RESIZED: ReadonlySet<string> = new Set(["zone", "object"]);
const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;

/** The grips of a shape. */
export function gripsOf(shape: string): SizeGrip[] {
  const both = (size: number, axis: Vector3, oneSided: boolean) => [1, -1].map((sign) => ({ size, outward: axis.clone().multiplyScalar(sign), oneSided }));
  if (shape === "box") return AXES.flatMap((axis, i) => both(i, axis, true));
  if (shape === "cylinder") return [...both(0, AXES[0], false), ...both(0, AXES[1], false), ...both(1, AXES[2], true)];
  return shape === "sphere" ? AXES.flatMap((axis) => both(0, axis, false)) : [];
}

/** How far a grip is from the middle of its shape [m]. */
export function reachOf({ size, oneSided }: SizeGrip, sizes: readonly number[]): number {
  return oneSided ? sizes[size]! / 2 : sizes[size]!;
}

/** A shape with another value [m] of one size: the opposite face stays, or the middle of what is round. */
export function resized({ sizes }: Pick<Sized, "sizes">, { size, outward, oneSided }: SizeGrip, value: number, least = LEAST): Resized {
  const now = Math.max(least, value);
  const grown = now - sizes[size]!;
  const shift = oneSided ? outward.clone().multiplyScalar(grown / 2) : new Vector3();
  return { sizes: sizes.map((old, i) => (i === size ? now : old)), shift };
}

export class Sizing extends Hand<Sized, TypedSize> {
  /** Whether grips are shown. */
  on = $state(false);
  /** The shape as it is dragged or typed. */
  shown = $state.raw<Resized>();
  protected words = { not: "Not changed", one: "its sizes were being changed", several: "their sizes were being changed" };

  constructor(
    connection: Connection,
    scene: Scene,
    private selection: Selection,
    private time: Time,
    private pendant: Pendant,
    log: Log,
  ) {
    super(connection, scene, log);
  }

  protected get active(): boolean {
    return this.on;
  }

  protected get nodes(): TreeNode[] {
    return this.selection.node ? [this.selection.node] : [];
  }

  protected get dragging(): boolean {
    return this.shown !== undefined;
  }

  get unit(): string {
    return this.scene.units.length;
  }

  get label(): string {
    return this.typed ? `Size ${this.held?.names[this.typed.grip.size] ?? ""}` : "";
  }

  use(): void {
    this.on = !this.on;
    this.cancel();
  }

  protected async ask([node]: readonly TreeNode[]): Promise<Sized | string> {
    const found = await this.connection.call("size-grips", { thing: referenceOf(this.scene, node!) });
    const { shape, names, sizes, refusal } = found;
    if (refusal) return refusal;
    if (gripsOf(shape).length === 0) return `The sizes of a ${shape} are changed in the inspector; boxes, cylinders and spheres have grips.`;
    return { node: node!, taking: [], shape, names, sizes, pose: fromRows(found.pose), inside: fromRows(found.inside) };
  }

  protected unchanged(held: Sized, now: Sized): boolean {
    const sizes = held.sizes.every((size, i) => Math.abs(size - now.sizes[i]!) < FINEST);
    return held.shape === now.shape && sizes && isAt(held.pose, now.pose) && isAt(held.inside, now.inside);
  }

  protected showAgain(): void {} // it is drawn from what is held and shown

  protected refusal([node]: readonly TreeNode[]): string {
    if (!node) return "Select a zone or an object to change its sizes.";
    if (this.selection.ids.length > 1) return "Sizes can be changed for one thing at a time.";
    if (!RESIZED.has(node.kind)) return `A ${node.kind} has no sizes to change.`;
    return this.time.live ? "" : "The view shows the recording. Press Show now to change sizes.";
  }

  /** Show the shape with another value of a size [m], as it is dragged. */
  show(grip: SizeGrip, value: number): void {
    if (this.held) this.shown = resized(this.held, grip, value);
  }

  /** What a drag did, in the units of the cell. */
  describe(grip: SizeGrip): string {
    const { units } = this.scene;
    const { held, shown } = this;
    return held && shown ? `${held.names[grip.size]!} ${tidy(shown.sizes[grip.size]! / units.lengthSize, decimals(units.length, 2))} ${units.length}` : "";
  }

  override cancel(): void {
    this.shown = undefined;
    super.cancel();
  }

  /** Let a grip go: give the thing the sizes that are shown. */
  async letGo(): Promise<boolean> {
    const { shown } = this;
    this.readout = undefined;
    return shown !== undefined && this.carryOut(true, (held) => this.give(held, shown));
  }

  protected put({ grip }: TypedSize, value: number): Promise<boolean> {
    return this.carryOut(false, (held) => this.give(held, resized(held, grip, value * this.scene.units.lengthSize, FINEST)));
  }

  /** Give the thing sizes, by one command. */
  private async give(held: Sized, shown: Resized): Promise<boolean> {
    this.shown = shown;
    if (shown.sizes.every((size, i) => size === held.sizes[i])) return false;
    const done = await this.log.press(this.line(held, shown));
    if (done && this.held === held) this.held = { ...held, sizes: shown.sizes, pose: held.pose.clone().multiply(new Matrix4().makeTranslation(shown.shift)) };
    return done;
  }

  private line({ node, shape, pose, inside }: Sized, { sizes, shift }: Resized): string {
    const { units } = this.scene;
    const lengths = sizes.map((size) => plain(size / units.lengthSize)).join(" ");
    const head = `resize ${referenceOf(this.scene, node)} ${shape} ${lengths}`;
    if (shift.lengthSq() === 0) return head;
    const thing = pose.clone().multiply(new Matrix4().makeTranslation(shift)).multiply(inside.clone().invert());
    const text = poseText(thing, units, this.pendant.convention);
    return `${head} at ${text.endsWith(" 0,0,0") ? text.slice(0, text.indexOf(" ")) : text}`;
  }

  /** Open the field for the size of a grip. */
  type(grip: SizeGrip, text: string, x: number, y: number): void {
    this.open({ grip, text, x, y });
  }

  protected showTyped(value: number): void {
    const { typed, held } = this;
    if (typed && held) this.shown = resized(held, typed.grip, value * this.scene.units.lengthSize, FINEST);
  }

  protected wrong(value: number): string {
    const { lengthSize, length } = this.scene.units;
    return value * lengthSize < FINEST ? `A size must be more than 0; found ${plain(value)} ${length}.` : "";
  }
}
