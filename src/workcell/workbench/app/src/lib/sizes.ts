// The sizes of the named shapes that an object is made of, as the inspector changes them.
import type { SizedBlock } from "./commands";
import type { UnitNames } from "./protocol";
import { fromPlace, placeOf, poseText } from "./rigid";
import { SHAPES } from "./adding";
import { plain, quoted } from "./text";
import type { Matrix4 } from "three";

/** What people call a size; the command language has short names. */
export function sizeName(block: SizedBlock, i: number): string {
  return SHAPES[block.shape]?.sizes[i] ?? block.names[i] ?? "";
}

/** The line that gives a block other sizes [m]. */
export function shapeLine(block: SizedBlock, sizes: readonly number[], units: UnitNames): string {
  return `modify block:${quoted(block.block)} shape ${block.shape} ${sizes.map((size) => plain(size / units.lengthSize)).join(" ")}`;
}

/**
 * The lines that give a block other sizes. An object that stands upright keeps its foot where it is: its centre goes up or down.
 *
 * @param object what the block is the whole of, as commands name it.
 * @param pose where the object is; undefined if its foot does not count, since something carries it.
 */
export function resizeLines(block: SizedBlock, sizes: readonly number[], units: UnitNames, object: string, pose: Matrix4 | undefined): string[] {
  const line = shapeLine(block, sizes, units);
  const foot = SHAPES[block.shape]?.foot;
  const rise = foot && !block.placed && pose && upright(pose) ? foot(sizes) - foot(block.sizes) : 0;
  if (!pose || Math.abs(rise) < 1e-9) return [line];
  const place = placeOf(pose, "fanuc_wpr");
  const moved = fromPlace({ xyz: [place.xyz[0], place.xyz[1], place.xyz[2] + rise], angles: place.angles }, "fanuc_wpr");
  return [line, `place ${object} at ${poseText(moved, units, "fanuc_wpr")}`];
}

/** Whether z of a pose is that of the world. */
function upright(pose: Matrix4): boolean {
  return Math.abs(pose.elements[10] - 1) < 1e-9;
}
