// Which lines of programs are lit: those of a run that stands or goes on, or those at the playhead.
import type { RunLine } from "./commands";
import type { RunInfo } from "./protocol";

/** How a line is lit: the run stands before it, it is carried out, or it called what is carried out. */
export type Light = "stands" | "runs" | "called";

const STRENGTH: Record<Light, number> = { called: 0, runs: 1, stands: 2 };

/** Light a line; line 0 ran and is gone. */
function add(lights: Map<number, Light>, line: number, light: Light): void {
  if (!line) return;
  const known = lights.get(line);
  if (known === undefined || STRENGTH[light] > STRENGTH[known]) lights.set(line, light);
}

/** The lines of a program in a run that is paused or goes on. */
export function litByRun(run: RunInfo | undefined, program: string): Map<number, Light> {
  const lights = new Map<number, Light>();
  for (const thread of run?.threads ?? []) {
    if (thread.program === program) add(lights, thread.line, thread.stands ? "stands" : "runs");
    for (const caller of thread.callers ?? []) if (caller.program === program) add(lights, caller.line, "called");
  }
  return lights;
}

/** The lines of a program at a time of the recording [s]; of lines that take no time, the last that began then. */
export function litAt(lines: readonly RunLine[], program: string, time: number): Map<number, Light> {
  const lights = new Map<number, Light>();
  for (const line of lines) {
    if (line.start > time) break;
    if (time >= line.end) continue;
    if (line.program === program) add(lights, line.line, "runs");
    for (const [caller, at] of line.callers ?? []) if (caller === program) add(lights, at, "called");
  }
  return lights;
}
