// Units of lengths and angles as the page reads and shows them; their sizes come from the engine.
import { ANGLES, LENGTHS, type UnitNames } from "./protocol";

/** Other names that people type or the page shows. */
const ALSO: Readonly<Record<string, string>> = { in: "inch", "µm": "um", "°": "deg" };
/** What one step of the last decimal is at most: a micrometre, or a thousandth of a degree. */
const FINEST_LENGTH = 1e-6;
const FINEST_ANGLE = ANGLES["deg"]! / 1000;
const OTHERS = 3; // decimals of numbers that are neither lengths nor angles
const TYPED = new RegExp(`^(.*?)\\s*(${[...Object.keys(LENGTHS), ...Object.keys(ANGLES), ...Object.keys(ALSO)].sort((a, b) => b.length - a.length).join("|")})$`);

/** The unit as it stands behind a number: `°`, or ` rad`. */
export function after(unit: string): string {
  return unit === "deg" || unit === "°" ? "°" : ` ${unit}`;
}

/** The unit of angles as a label has it. */
export function angleName({ angle }: UnitNames): string {
  return after(angle).trim();
}

/** How many decimals a number in a unit has: to a micrometre or a thousandth of a degree, or `fewer` than that. */
export function decimals(unit: string, fewer = 0): number {
  const name = ALSO[unit] ?? unit;
  const steps = name in LENGTHS ? LENGTHS[name]! / FINEST_LENGTH : name in ANGLES ? ANGLES[name]! / FINEST_ANGLE : 10 ** OTHERS;
  return Math.max(0, Math.ceil(Math.log10(steps) - 1e-9) - fewer);
}

/** How many metres or radians a unit is; 1 for one that is neither. */
export function sizeOf(unit: string): number {
  const name = ALSO[unit] ?? unit;
  return LENGTHS[name] ?? ANGLES[name] ?? 1;
}

/** The digits of a typed text and the factor of its own unit, or of `begun` if it has none, to `unit`; undefined if they differ in kind. */
export function ownUnit(text: string, unit: string, begun = unit): { digits: string; factor: number } | undefined {
  const [, typed, own] = TYPED.exec(text.trim()) ?? [];
  const [digits, used] = typed === undefined || !own ? [text, begun] : [typed, own];
  const [from, to] = [ALSO[used] ?? used, ALSO[unit] ?? unit];
  if (from === to) return { digits, factor: 1 };
  const [one, other] = from.endsWith("/s") && to.endsWith("/s") ? [from.slice(0, -2), to.slice(0, -2)] : [from, to];
  const alike = [LENGTHS, ANGLES].some((table) => (ALSO[one] ?? one) in table && (ALSO[other] ?? other) in table);
  return alike ? { digits, factor: sizeOf(one) / sizeOf(other) } : undefined;
}
