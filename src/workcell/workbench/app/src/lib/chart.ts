// The Gantt chart: which bar a time is in, and the steps of a sensor.
import type { ChartBar, ChartRow } from "./commands";

/** The bar that a row has at a time [s]; of two that meet there, the later one. */
export function barAt(row: ChartRow, time: number): ChartBar | undefined {
  return row.bars.filter((bar) => bar.begin <= time + 1e-9 && time <= bar.end + 1e-9).at(-1);
}

/** The values of a sensor as steps in a square of 100 × 100, upwards; each holds until the next. */
export function stepsOf(curve: readonly [number, number][], start: number, end: number): string {
  const values = curve.map(([, value]) => value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const x = (time: number) => Number(((100 * (time - start)) / (end - start || 1)).toFixed(3));
  const y = (value: number) => Number((95 - (90 * (value - low)) / span).toFixed(3));
  const points: string[] = [];
  curve.forEach(([time, value], i) => {
    points.push(`${x(time)},${y(value)}`, `${x(curve[i + 1]?.[0] ?? end)},${y(value)}`);
  });
  return points.join(" ");
}
