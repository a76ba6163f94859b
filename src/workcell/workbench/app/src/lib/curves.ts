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
  /** How many samples the curves are drawn from if they may have extremes between these; 0 if they show all extremes. */
  samples: number;
  /** When the recordings begin and end [s]. */
  whole: [number, number];
}

/** The exact values of all curves at a time [s], and the nearest pair if they are clearances. */
export interface Moment {
  time: number;
  values: ReadonlyMap<string, number | null>;
  pair: [string, string] | null;
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
  const shift = other ? series.start - other.start : 0;
  const late = other?.times.map((time) => time + shift) ?? [];
  const times = other ? [...new Set([...series.times, ...late])].sort((a, b) => a - b) : series.times;
  const curves = linesOf(series, series.times, times, units, false);
  if (other) curves.push(...linesOf(other, late, times, units, true));
  const samples = series.sampled ? series.times.length : 0;
  const whole: [number, number] = [series.start, Math.max(series.end, other ? other.end + shift : series.end)];
  return { robot: series.robot, quantity: series.quantity, times, curves, samples, whole };
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

/** The values of every curve at the only time of a series; null where there is none. */
export function momentOf(series: Series, units: UnitNames): Moment {
  const values = series.lines.map((line) => {
    const value = line.values[0];
    return [line.name, typeof value === "number" ? value * unitOf(line.unit, units)[1] : null] as const;
  });
  return { time: series.times[0] ?? NaN, values: new Map(values), pair: series.pairs[0] ?? null };
}

/** What an axis shows: all values with a margin; quantities that are never negative begin at 0. */
export function rangeOf(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const first = fromZero ? Math.min(0, low) : low;
  const span = high - first;
  if (span <= 1e-9 * Math.max(1, Math.abs(high))) return fromZero ? [0, Math.max(1, 2 * high)] : [first - 1, high + 1];
  return [fromZero && first === 0 ? 0 : first - 0.06 * span, high + 0.06 * span];
}
