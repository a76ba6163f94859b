// Which lines of programs are lit: those of a run that stands or goes on, or those at the playhead.
import type { RunLine } from "./commands";
import type { RunInfo } from "./protocol";

/** How a line is lit: the run stands before it, it is carried out, or it called what is carried out. */
export type Light = "stands" | "runs" | "called";

const STRENGTH: Record<Light, number> = { called: 0, runs: 1, stands: 2 };

/** The lines of each program that are lit. */
export type Lights = ReadonlyMap<string, ReadonlyMap<number, Light>>;

/** Light a line of a program; line 0 ran and is gone. */
function add(lights: Map<string, Map<number, Light>>, program: string, line: number, light: Light): void {
  if (!line) return;
  const lines = lights.get(program) ?? new Map<number, Light>();
  const known = lines.get(line);
  if (known === undefined || STRENGTH[light] > STRENGTH[known]) lights.set(program, lines.set(line, light));
}

/** The lines of a run that is paused or goes on. */
export function litByRun(run: RunInfo | undefined): Lights {
  const lights = new Map<string, Map<number, Light>>();
  for (const thread of run?.threads ?? []) {
    add(lights, thread.program, thread.line, thread.stands ? "stands" : "runs");
    for (const caller of thread.callers ?? []) add(lights, caller.program, caller.line, "called");
  }
  return lights;
}

/** The lines at a time of the recording [s]; of lines that take no time, the last that began then. */
export function litAt(lines: readonly RunLine[], time: number): Lights {
  const lights = new Map<string, Map<number, Light>>();
  for (const line of lines) {
    if (line.start > time) break;
    if (time >= line.end) continue;
    add(lights, line.program, line.line, "runs");
    for (const [caller, at] of line.callers ?? []) add(lights, caller, at, "called");
  }
  return lights;
}

/** The line of a program to look at first: the one before which the run stands, or one that is carried out. */
export function frontOf(lines: ReadonlyMap<number, Light> | undefined): number | undefined {
  return [...(lines ?? [])].sort(([, a], [, b]) => STRENGTH[b] - STRENGTH[a])[0]?.[0];
}
