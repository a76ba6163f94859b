// The speed of a conveyor as text and in commands; speeds are in m/s.
import type { UnitNames } from "./protocol";
import { plain } from "./text";

/** A speed as a command has it. */
export function speedText(speed: number, { length, lengthSize }: UnitNames): string {
  return `${plain(speed / lengthSize)}${length}/s`;
}

/** What a belt does. */
export function beltText(speed: number, { length, lengthSize }: UnitNames): string {
  if (speed === 0) return "The belt stands still.";
  return `The belt runs ${speed < 0 ? "backwards " : ""}at ${plain(Math.abs(speed) / lengthSize, 1)} ${length}/s.`;
}
