// Zones as the page makes and changes them: their rules, their shapes in words, and the command lines.
import type { UnitNames } from "./protocol";
import { plain, quoted } from "./text";

export const RULES = ["keep-out", "slow-down", "shared"] as const;

/** A shape in words: its kind, and its sizes with their names in the units of the cell. */
export interface ShapeText {
  kind: string;
  sizes: readonly { name: string; value: number }[];
}

/** The shape of a block, from the first line of `show`; undefined for one without sizes. */
export function shapeOf(text: string): ShapeText | undefined {
  const found = /^block .*?: ([a-z-]+)((?: [a-z_]+ -?[\d.e+-]+)+),/.exec(text.split("\n")[0] ?? "");
  if (!found) return undefined;
  const words = found[2]!.trim().split(" ");
  const sizes = words.flatMap((name, i) => (i % 2 === 0 ? [{ name, value: Number(words[i + 1]) }] : []));
  return sizes.every((size) => Number.isFinite(size.value)) ? { kind: found[1]!, sizes } : undefined;
}

/** The line that adds a zone of a shape; sizes and position in metres. */
export function zoneLine(name: string, shape: string, sizes: readonly number[], at: readonly number[], rule: string, robot: string, units: UnitNames): string {
  const lengths = (values: readonly number[]) => values.map((value) => plain(value / units.lengthSize));
  const only = robot ? ` for ${quoted(robot)}` : "";
  return `add zone ${quoted(name)} ${shape} ${lengths(sizes).join(" ")} at ${lengths(at).join(",")} rule ${rule}${only}`;
}
