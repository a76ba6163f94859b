// What all hands in the view share: the value that is shown near the pointer, and the field for a value that is typed instead of dragged.
import { type Matrix4, Vector3 } from "three";
import type { UnitNames } from "./protocol";
import { axesOf, type Drag, turned, turnedBy } from "./snapping";
import { numberIn, tidy } from "./text";
import { after, decimals } from "./units";

/** A value that is typed instead of dragged, and where its field is in the window [pixels]. */
export interface TypedValue {
  text: string;
  x: number;
  y: number;
}

/** A value along or about one axis. */
export interface TypedMotion extends TypedValue {
  drag: Drag;
  kind: "move" | "turn";
}

export abstract class TypedHand<Typed extends TypedValue> {
  /** What is shown near the pointer: a text, and where it is in the window [pixels]. */
  readout = $state.raw<{ text: string; x: number; y: number }>();
  typed = $state.raw<Typed>();
  /** Why the typed value is not taken; "" if nothing is wrong with it. */
  fault = $state("");
  /** The unit that the field shows: the one of when it was opened, also if the units of the cell change meanwhile. */
  begun = $state("");

  /** The unit of the cell for what is typed. */
  abstract get unit(): string;
  /** What the field of the typed value is called. */
  abstract get label(): string;
  /** Show what a typed number does. */
  protected abstract showTyped(value: number): void;
  /** Why a typed number is not taken, or "". */
  protected abstract wrong(value: number): string;
  /** Carry out what is typed. */
  protected abstract put(typed: Typed, value: number): Promise<boolean>;

  /** Take back what is shown. */
  cancel(): void {
    this.readout = this.typed = undefined;
    this.fault = "";
  }

  /** Open the field for a value. */
  open(typed: Typed): void {
    this.cancel();
    this.typed = typed;
    this.begun = this.unit;
    this.preview(typed.text);
  }

  /** Show what a typed value does; returns whether it can be taken. */
  preview(text: string): boolean {
    if (!this.typed) return false;
    this.fault = "";
    this.typed = { ...this.typed, text };
    if (text.trim() === "") return true;
    const value = numberIn(text, this.unit, this.begun);
    const fits = this.wrongIn(text, value) === "";
    if (fits) this.showTyped(value);
    return fits;
  }

  private wrongIn(text: string, value: number): string {
    const example = /^(deg|°|rad|turn)/.test(this.begun) ? "45 or 0.5rad" : "100 or 10cm";
    return Number.isNaN(value) ? `“${text.trim()}” cannot be read. Type a number such as ${example}.` : this.wrong(value);
  }

  /** Take a typed value; one that cannot be taken stays in its field with the reason. */
  take(text: string): void {
    const { typed } = this;
    if (!typed || text.trim() === "") return void this.cancel();
    const value = numberIn(text, this.unit, this.begun);
    this.fault = this.wrongIn(text, value);
    if (this.fault) return;
    this.typed = undefined;
    void this.put(typed, value);
  }
}

/** What a typed number along or about an axis is in, and what its field is called. */
export function unitOf(typed: TypedMotion | undefined, units: UnitNames): string {
  return typed?.kind === "turn" ? units.angle : units.length;
}

export function labelOf(typed: TypedMotion | undefined): string {
  return typed ? `${typed.kind === "turn" ? "Turn about" : "Move along"} ${typed.drag.axis.toLowerCase()}` : "";
}

/** A pose, moved along or turned about the axis of a typed value, which is in the units of the cell. */
export function posed({ drag, kind }: TypedMotion, start: Matrix4, value: number, units: UnitNames): Matrix4 {
  const axis = axesOf({ ...drag, start })[0] ?? new Vector3();
  if (kind === "turn") return turnedBy(start, axis, value * units.angleSize);
  return start.clone().setPosition(new Vector3().setFromMatrixPosition(start).addScaledVector(axis, value * units.lengthSize));
}

/** What a drag to a pose did, in the units of the cell. */
export function describe(drag: Drag, kind: "move" | "turn", pose: Matrix4, units: UnitNames): string {
  const signed = (value: number, digits: number) => (value < 0 ? "" : "+") + tidy(value, digits);
  if (kind === "turn") {
    const [axis, angle] = turned(drag.start, pose);
    const along = axesOf(drag)[0];
    const sense = along && along.dot(axis) < 0 ? -1 : 1;
    const about = drag.axis.length === 1 && along ? ` about ${drag.axis.toLowerCase()}` : "";
    return `${signed((sense * angle) / units.angleSize, decimals(units.angle, 2))}${after(units.angle)}${about}`;
  }
  const digits = decimals(units.length, 2);
  const at = new Vector3().setFromMatrixPosition(pose);
  const values = (letters: string, numbers: readonly number[], sign: boolean) =>
    Array.from(letters, (letter, i) => `${letter} ${(sign ? signed : tidy)(numbers[i]! / units.lengthSize, digits)}`).join("  ") + ` ${units.length}`;
  if (drag.axis === "XYZ") return values("xyz", at.toArray(), false);
  const shift = at.sub(new Vector3().setFromMatrixPosition(drag.start));
  return values(drag.axis.toLowerCase(), axesOf(drag).map((axis) => shift.dot(axis)), true);
}
