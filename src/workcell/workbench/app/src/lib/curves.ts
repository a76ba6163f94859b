// Curves over time: the numbers of a series in the units of the cell, and two runs on one axis of time.
import type { Series } from "./commands";
import type { UnitNames } from "./protocol";

/** A value for each time; null where there is none, undefined at times of the other run. */
export type Values = (number | null | undefined)[];

export interface Curve {
  name: string;
  unit: string;
  values: Values;
  /** Which colour it has; the same in both runs. */
  colour: number;
  /** Whether it belongs to the run that is compared. */
  other: boolean;
}

export interface Curves {
  robot: string;
  quantity: string;
  /** The times [s], in order. */
  times: number[];
  curves: Curve[];
  /** The nearest pair at each time of the first run, for clearances. */
  pairs: { times: number[]; names: ([string, string] | null)[] };
}

/** A unit of the server as the cell writes it, and the factor that leads to it: `rad/s` is `deg/s` and 57.3. */
export function unitOf(si: string, units: UnitNames): [string, number] {
  const [, base = "", rest = ""] = /^(rad|m)(\/.*)?$/.exec(si) ?? [];
  if (base === "rad") return [units.angle + rest, 1 / units.angleSize];
  if (base === "m") return [units.length + rest, 1 / units.lengthSize];
  return [si, 1];
}

/** The curves of one run, or of two that begin together. */
export function curvesOf(series: Series, units: UnitNames, other?: Series): Curves {
  const shift = other ? (series.times[0] ?? 0) - (other.times[0] ?? 0) : 0;
  const late = other?.times.map((time) => time + shift) ?? [];
  const times = other ? [...new Set([...series.times, ...late])].sort((a, b) => a - b) : series.times;
  const curves = linesOf(series, series.times, times, units, false);
  if (other) curves.push(...linesOf(other, late, times, units, true));
  const pairs = { times: series.times, names: series.pairs };
  return { robot: series.robot, quantity: series.quantity, times, curves, pairs };
}

function linesOf(series: Series, own: number[], times: number[], units: UnitNames, other: boolean): Curve[] {
  const place = new Map(own.map((time, i) => [time, i]));
  return series.lines.map((line, colour) => {
    const [unit, factor] = unitOf(line.unit, units);
    const values = times.map((time): number | null | undefined => {
      const i = place.get(time);
      if (i === undefined) return undefined;
      const value = line.values[i];
      return typeof value === "number" ? value * factor : null;
    });
    return { name: line.name, unit, values, colour, other };
  });
}

/** The last place whose time is not after `time`; −1 before the first. */
export function placeOf(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a curve at a time, straight between its points; null outside them and where it has none. */
export function valueAt(times: readonly number[], values: Values, time: number): number | null {
  const at = placeOf(times, time);
  let before = at;
  while (before >= 0 && values[before] === undefined) before--;
  let after = before >= 0 && times[before] === time ? before : at + 1;
  while (after < times.length && values[after] === undefined) after++;
  const [from, to] = [values[before], values[after]];
  if (typeof from !== "number" || typeof to !== "number") return null;
  const span = times[after]! - times[before]!;
  return span > 0 ? from + ((time - times[before]!) / span) * (to - from) : from;
}

/** What an axis shows: all values with a margin; quantities that are never negative begin at 0. */
export function rangeOf(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const first = fromZero ? Math.min(0, low) : low;
  const span = high - first;
  if (span <= 1e-9 * Math.max(1, Math.abs(high))) return fromZero ? [0, Math.max(1, 2 * high)] : [first - 1, high + 1];
  return [fromZero && first === 0 ? 0 : first - 0.06 * span, high + 0.06 * span];
}
