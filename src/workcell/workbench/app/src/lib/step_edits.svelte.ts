// Changes of single steps of the open program; each is one command that the console shows.
import type { Commands } from "./commands";
import type { Log } from "./log.svelte";
import type { Programs } from "./programs.svelte";
import { copiedLines } from "./step_choice.svelte";
import { quoted, quotedText } from "./text";

type Edit = "insert-step" | "change-step" | "set-step" | "move-step" | "remove-step" | "enclose-steps";

export class StepEdits {
  /** The lines of the steps that were copied last. */
  copied = $state("");

  constructor(
    private programs: Programs,
    private log: Log,
  ) {}

  /** Carry out an edit of a step; returns the line where the step is then, 0 if it was refused. It changes only lines that are shown. */
  private async edit<Name extends Edit>(command: Name, parameters: Omit<Commands[Name]["parameters"], "program" | "mark">, shown: string): Promise<number> {
    const { programs } = this;
    const seen = programs.draft === undefined ? programs.outline?.mark : undefined; // before anything else is taken
    if (!(await programs.keep())) return 0;
    programs.planned = undefined;
    const program = quoted(programs.open);
    const whole = { program, ...parameters, mark: seen ?? programs.outline?.mark } as Commands[Name]["parameters"];
    const result = await this.log.value(`${command} ${program} ${shown}`, command, whole);
    await programs.reload();
    return result?.line ?? 0;
  }

  /** Carry out an edit, and select the step where it is then. */
  private async go(done: Promise<number>): Promise<void> {
    this.programs.line = (await done) || this.programs.line;
  }

  private with(line: number): number[] {
    return this.programs.choice.with(line);
  }

  async insert(line: number, text: string): Promise<void> {
    await this.go(this.edit("insert-step", { line, text }, `${line} ${quotedText(text)}`));
  }

  async set(line: number, field: string, value: string): Promise<boolean> {
    return (await this.edit("set-step", { line, field, value }, `${line} ${field} ${quotedText(value)}`)) > 0;
  }

  async change(line: number, text: string): Promise<boolean> {
    return (await this.edit("change-step", { line, text }, `${line} ${quotedText(text)}`)) > 0;
  }

  /** Move a step before a line; if it is one of several that are selected, all of them. */
  async move(line: number, place: number): Promise<void> {
    const more = this.with(line);
    await this.go(this.edit("move-step", { line, place, more }, `${line} to ${place}${more.map((one) => ` with ${one}`).join("")}`));
  }

  /** Remove a step; if it is one of several that are selected, all of them. */
  async remove(line: number): Promise<void> {
    const more = this.with(line);
    if (await this.edit("remove-step", { line, more }, `${line}${more.map((one) => ` with ${one}`).join("")}`)) this.programs.line = 0;
  }

  /** Put a block around a step; if it is one of several that are selected, around all from the first to the last. */
  async around(line: number, text: string): Promise<void> {
    const lines = [line, ...this.with(line)];
    const [first, last] = [Math.min(...lines), Math.max(...lines)];
    await this.go(this.edit("enclose-steps", { first, last, text }, `${first} to ${last} in ${quotedText(text)}`));
  }

  /** Keep the lines of a step, or of all that are selected with it, for `paste`. */
  copy(line: number): void {
    const { outline } = this.programs;
    this.copied = copiedLines(outline?.text ?? "", outline?.rows ?? [], [line, ...this.with(line)]);
    void navigator.clipboard?.writeText(this.copied).catch(() => undefined); // other programs may want it; not all browsers allow it
  }

  async paste(line: number): Promise<void> {
    if (this.copied) await this.insert(line, this.copied);
  }
}
