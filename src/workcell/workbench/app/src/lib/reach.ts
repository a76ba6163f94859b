// The surface of a work envelope: the outline of its section, swept over the range of the first joint.
import type { Reach } from "./commands";

type Swept = Pick<Reach, "outline" | "first" | "slides">;

/** Points [m] in the frame of the first axis; three indices a triangle, two a line of the section at an end of the range. */
export interface Surface {
  points: Float32Array;
  triangles: number[];
  lines: number[];
}

const STEP = Math.PI / 36; // rad

/** A closed line without the steps of the grid that it was found on: each point between its neighbours, `times` times. */
export function rounded(loop: readonly [number, number][], times = 3): [number, number][] {
  let line = [...loop];
  for (let k = 0; k < times; k += 1) {
    const between = (i: number, axis: 0 | 1) =>
      (line.at(i - 1)![axis] + 2 * line[i]![axis] + line[(i + 1) % line.length]![axis]) / 4;
    line = line.map((_, i) => [between(i, 0), between(i, 1)]);
  }
  return line;
}

export function reachSurface({ outline, first: [low, high], slides }: Swept): Surface {
  const span = slides ? high - low : Math.min(high - low, 2 * Math.PI);
  const steps = slides ? 1 : Math.max(1, Math.ceil(span / STEP));
  const points: number[] = [];
  const triangles: number[] = [];
  const lines: number[] = [];
  for (const loop of outline) {
    const base = points.length / 3;
    const count = loop.length;
    for (let step = 0; step <= steps; step += 1) {
      const at = low + (span * step) / steps;
      for (const [r, h] of loop) points.push(...(slides ? [r, 0, h + at] : [r * Math.cos(at), r * Math.sin(at), h]));
    }
    const index = (step: number, i: number) => base + step * count + (i % count);
    for (let i = 0; i < count; i += 1) {
      for (let step = 0; step < steps; step += 1) {
        const [a, b, c, d] = [index(step, i), index(step, i + 1), index(step + 1, i + 1), index(step + 1, i)];
        triangles.push(a, b, c, a, c, d);
      }
      for (const step of [0, steps]) lines.push(index(step, i), index(step, i + 1));
    }
  }
  return { points: Float32Array.from(points), triangles, lines };
}
