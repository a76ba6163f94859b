// Running the Agent lines of a program, at once or as steps; it is loaded when such a program is first run.
import type { Commands } from "./commands";
import { offset } from "./languages";
import type { Log } from "./log.svelte";
import type { Mark } from "./program_marks";
import type { Programs } from "./programs.svelte";
import { quoted } from "./text";

/** Run a program of Agent lines; returns the marks of the lines that were refused, or undefined if the run was. */
export async function speak(log: Log, name: string): Promise<Mark[] | undefined> {
  const program = quoted(name);
  const ran = await log.value(`run-agent ${program}`, "run-agent", { program });
  if (!ran) return undefined;
  const marks = refusedMarks(ran.outputs);
  const [first, ...others] = marks;
  if (!first) return [];
  const more = others.length > 0 ? ` ${others.length} more ${others.length > 1 ? "lines were" : "line was"} refused.` : "";
  log.blame(`run-agent ${program}`, `Line ${first.line}: ${first.message}${more}`);
  return marks;
}

/** Make steps of the open program in a program beside it, and open that; returns whether it is done. */
export async function makeSteps(log: Log, programs: Programs): Promise<boolean> {
  const steps = `${programs.open}-steps`;
  if (!(await log.press(`agent-steps ${quoted(programs.open)} as ${quoted(steps)}`))) return false;
  await programs.load(steps);
  programs.view = "steps";
  return true;
}

function refusedMarks(outputs: Commands["run-agent"]["result"]["outputs"]): Mark[] {
  const refused = outputs.filter((one) => one.refused);
  return refused.map(({ line, reason }) => ({ line: Math.max(1, line - offset("agent")), column: 0, message: reason ?? "", severity: "error" }));
}
