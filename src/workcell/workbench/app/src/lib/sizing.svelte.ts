// Sizes changed by hand: the grips on the faces of a box, cylinder or sphere, the drag as it is shown, and its command.
import { Matrix4, Vector3 } from "three";
import type { Connection } from "./connection.svelte";
import { referenceOf } from "./inspected.svelte";
import type { Log } from "./log.svelte";
import type { Pendant } from "./pendant.svelte";
import { fromRows, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { numberOf, plain, tidy } from "./text";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";

/** A shape with sizes [m]: where it is in the world and in its thing, and the thing. */
export interface Sized {
  node: TreeNode;
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

/** A value that is typed: of which grip, and where its field is in the window [pixels]. */
export interface TypedSize {
  grip: SizeGrip;
  text: string;
  x: number;
  y: number;
}

const LEAST = 1e-3; // m
const RESIZED: ReadonlySet<string> = new Set(["zone", "object"]);
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
export function resized({ sizes }: Pick<Sized, "sizes">, { size, outward, oneSided }: SizeGrip, value: number): Resized {
  const now = Math.max(LEAST, value);
  const grown = now - sizes[size]!;
  const shift = oneSided ? outward.clone().multiplyScalar(grown / 2) : new Vector3();
  return { sizes: sizes.map((old, i) => (i === size ? now : old)), shift };
}

export class Sizing {
  /** Whether grips are shown. */
  on = $state(false);
  held = $state.raw<Sized>();
  /** Why the selected thing has no grips; "" if it has. */
  reason = $state("");
  /** The shape as it is dragged or typed. */
  shown = $state.raw<Resized>();
  readout = $state.raw<{ text: string; x: number; y: number }>();
  typed = $state.raw<TypedSize>();
  /** Called with a title and a sentence when a drag ended by itself. */
  onrefused: (title: string, sentence: string) => void = () => {};
  private turn = 0;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private selection: Selection,
    private time: Time,
    private pendant: Pendant,
    private log: Log,
  ) {}

  use(): void {
    this.on = !this.on;
    this.cancel();
  }

  /** Ask for the sizes of the selected thing; call it when the selection, the cell or the time that is shown changed. */
  async refresh(): Promise<void> {
    const turn = (this.turn += 1);
    const { node } = this.selection;
    const { held } = this;
    if ((this.shown || this.typed) && held?.node.id === node?.id) return; // in the hand
    if (this.shown && held && !this.scene.node(held.node.id)) this.onrefused(`Not changed: ${held.node.name}`, `${held.node.name} was removed while its sizes were changed.`);
    this.cancel();
    this.reason = this.on ? this.refusal(node) : "";
    if (!this.on || this.reason || !node || this.connection.link !== "open") {
      this.held = undefined;
      return;
    }
    if (this.held?.node.id !== node.id) this.held = undefined;
    try {
      const found = await this.connection.call("size-grips", { thing: referenceOf(this.scene, node) });
      if (turn !== this.turn) return;
      const { shape, names, sizes } = found;
      this.reason = found.refusal || (gripsOf(shape).length > 0 ? "" : `The sizes of a ${shape} are changed in the inspector; boxes, cylinders and spheres have grips.`);
      this.held = this.reason ? undefined : { node, shape, names, sizes, pose: fromRows(found.pose), inside: fromRows(found.inside) };
    } catch (error) {
      if (turn !== this.turn) return;
      this.held = undefined;
      this.reason = (error as Error).message;
    }
  }

  private refusal(node: TreeNode | undefined): string {
    if (!node) return "Select a zone or an object to change its sizes.";
    if (this.selection.ids.length > 1) return "Sizes are changed of one thing at a time.";
    if (!RESIZED.has(node.kind)) return `A ${node.kind} has no sizes to change.`;
    return this.time.live ? "" : "The view shows the recording. Press Now to change sizes.";
  }

  /** Show the shape with another value of a size [m]. */
  show(grip: SizeGrip, value: number): void {
    if (this.held) this.shown = resized(this.held, grip, value);
  }

  /** What a drag did, in the units of the cell. */
  describe(grip: SizeGrip): string {
    const { units } = this.scene;
    const { held, shown } = this;
    return held && shown ? `${held.names[grip.size]!} ${tidy(shown.sizes[grip.size]! / units.lengthSize, units.length === "mm" ? 1 : 4)} ${units.length}` : "";
  }

  cancel(): void {
    this.shown = this.readout = this.typed = undefined;
  }

  /** Give the thing the sizes that are shown, by one command. */
  async put(): Promise<boolean> {
    const { held, shown } = this;
    this.readout = this.typed = undefined;
    const node = held && this.scene.node(held.node.id);
    if (!held || !shown || !node || shown.sizes.every((size, i) => size === held.sizes[i])) {
      this.cancel();
      return false;
    }
    const done = await this.log.press(this.line({ ...held, node }, shown));
    if (done && this.held === held) this.held = { ...held, sizes: shown.sizes, pose: held.pose.clone().multiply(new Matrix4().makeTranslation(shown.shift)) };
    this.cancel();
    void this.refresh();
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
    this.readout = undefined;
    this.typed = { grip, text, x, y };
    this.preview(text);
  }

  /** Show the shape with a typed value; returns whether it is a number above zero. */
  preview(text: string): boolean {
    const { typed, held } = this;
    const value = numberOf(text) * this.scene.units.lengthSize;
    const fits = Number.isFinite(value) && value >= LEAST;
    if (typed && held && fits) this.show(typed.grip, value);
    return fits || text.trim() === "";
  }

  /** Take a typed value. */
  take(text: string): void {
    if (text.trim() !== "" && this.preview(text)) void this.put();
    else this.cancel();
  }
}
