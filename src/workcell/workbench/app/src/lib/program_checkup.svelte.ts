// What is wrong with the lines of the open program: found when they came, when they were typed, or by a check.
import type { Commands } from "./commands";
import type { Connection } from "./connection.svelte";
import { outer } from "./languages";
import type { Log } from "./log.svelte";
import { type Mark, marksOf, type Problem } from "./program_marks";
import type { Programs } from "./programs.svelte";
import { Repeated } from "./repeated";
import { quoted } from "./text";

type Checked = Pick<Commands["check draft"]["result"], "problems">;

const QUIET = 400; // how long the cell must not change before the marks are checked again [ms]

export class ProgramCheckup {
  marks = $state.raw<Mark[]>([]);
  /** Whether the marks are those of a check of the kept program, with everything that can be decided before a run. */
  private whole = false;
  /** Whether the marks follow the cell: something was marked, or a check was asked for. */
  private follows = false;
  private again = new Repeated(QUIET, () => this.recheck());

  constructor(
    private connection: Connection,
    private programs: Programs,
    private log: Log,
  ) {}

  /** Whether a mistake is marked. */
  get mistaken(): boolean {
    return this.marks.some((mark) => mark.severity === "error");
  }

  /** Mark what was found in the lines as they are now. */
  take(problems: readonly Problem[], whole = false): void {
    this.mark(problems);
    this.whole = whole;
    this.follows = whole || problems.length > 0;
  }

  clear(): void {
    this.take([]);
  }

  /** The cell changed, or the panel is seen again: what is marked may not hold any more. */
  refresh(): void {
    if (this.follows && this.programs.seen) this.again.refresh();
  }

  /** The kept lines came with these problems; a check of their own finds those of Agent lines. */
  came(problems: readonly Problem[]): void {
    if (this.programs.language === "agent") void this.proofread();
    else this.take(problems);
  }

  /** Check the lines that the editor shows, and mark their problems. */
  async proofread(): Promise<void> {
    const found = await this.current(this.draftChecked()).catch(() => undefined);
    if (found) this.take(found.problems);
  }

  /** Check the kept program with everything that can be decided before a run; all problems are marked. */
  async check(): Promise<void> {
    const { programs } = this;
    if (!programs.open || !(await programs.keep())) return;
    programs.runs.forget();
    if (programs.language === "agent") return this.proofread();
    const program = quoted(programs.open);
    const found = await this.current(this.wholeChecked());
    if (!found) return;
    this.take(found.problems, true);
    const wrong = found.problems.filter((one) => !one.warning && one.severity !== "info").length;
    this.log.note(`check program ${program}`, wrong ? `${wrong} problem${wrong > 1 ? "s" : ""}` : "no mistakes");
  }

  /** Check once more what was checked last, without a line in the console. */
  private recheck(): Promise<void> | undefined {
    const { programs, whole } = this;
    if (!this.follows || !programs.seen || !programs.open) return undefined;
    return this.current<Checked>(whole ? this.wholeChecked() : this.draftChecked()).then(
      (found) => {
        if (found && whole === this.whole) this.mark(found.problems);
      },
      () => undefined, // the connection was lost, or the program is gone
    );
  }

  private mark(problems: readonly Problem[]): void {
    this.marks = marksOf(problems, this.programs.open, this.programs.language);
  }

  /** What was found, if the lines are still those that were checked. */
  private async current<Found>(asked: Promise<Found>): Promise<Found | undefined> {
    const { opened, text } = this.programs;
    const found = await asked;
    return this.programs.opened === opened && this.programs.text === text ? found : undefined;
  }

  private draftChecked(): Promise<Checked> {
    const { text, language, open } = this.programs;
    if (language === "agent") return this.connection.call("check agent", { text });
    return this.connection.call("check draft", { name: quoted(open), text: outer(language, text) });
  }

  private async wholeChecked(): Promise<{ problems: Problem[] }> {
    const { problems, open } = await this.connection.call("check program", { program: quoted(this.programs.open) });
    return { problems: [...problems, ...(open ?? []).map((one) => ({ ...one, severity: "info" as const }))] };
  }
}
