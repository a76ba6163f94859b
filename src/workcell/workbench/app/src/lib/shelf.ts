// The shelf: where the view shows what stands nowhere. Things stand on the floor, in rows beside everything that is placed.
import type { Triple } from "./view/appearance";

/** A box around something [m]. */
export interface Extent {
  low: Triple;
  high: Triple;
}

const GAP = 0.2; // m between two things, and from everything else
const BEGINS = 0.5; // m: the shelf begins at a multiple of this, so that it stands still when something small moves
const STEP = 0.01; // m: origins are at multiples of this, so that commands are short
const LONG = 3; // m: a row is at least as long
const NOWHERE: Extent = { low: [0, 0, 0], high: [0, 0, 0] };

/**
 * Where the origins of things go [m], none nearer to another or to the cell than a gap.
 *
 * @param things their extents in their own frames, in order.
 * @param around the extent of all that is placed; undefined if nothing is.
 */
export function shelved(things: ReadonlyMap<string, Extent>, around: Extent = NOWHERE): Map<string, Triple> {
  const down = (value: number, step: number) => Math.floor(value / step + 1e-6) * step;
  const up = (value: number, step: number) => -down(-value, step);
  const begin = down(around.low[1], BEGINS);
  const end = Math.max(around.high[1], begin + LONG);
  let [x, y, deep] = [down(Math.min(0, around.low[0]) - GAP, BEGINS), begin, 0];
  return new Map(
    [...things].map(([id, { low, high }]) => {
      if (y > begin && y + high[1] - low[1] > end) [x, y, deep] = [x - deep - GAP, begin, 0];
      const at: Triple = [down(x - high[0], STEP), up(y - low[1], STEP), -low[2]];
      y = at[1] + high[1] + GAP;
      deep = Math.max(deep, x - at[0] - low[0]);
      return [id, at.map((value) => Math.round(1e6 * value) / 1e6 + 0) as Triple];
    }),
  );
}
