// Running the open program: at once or step by step, at a speed, and which line was refused; planning single moves.
import { Company } from "./company.svelte";
import { offset } from "./languages";
import type { Log } from "./log.svelte";
import { returnedTo } from "./paused_run";
import type { Mark } from "./program_marks";
import type { Programs } from "./programs.svelte";
import type { RunInfo } from "./protocol";
import { RunValues } from "./run_values.svelte";
import { startWords } from "./start_words";
import { quoted } from "./text";
import type { Time } from "./time.svelte";

export class ProgramRuns {
  /** The speed of runs, in percent of what their moves have. */
  percent = $state(100);
  /** Whether runs start from the present state of the cell, and not from the initial one. */
  fromPresent = $state(false);
  /** Which programs start together. */
  readonly company: Company;
  /** The values of their parameters. */
  readonly values: RunValues;
  /** Called with a title and a sentence when a run was paused earlier than what was shown. */
  onreturned: (title: string, sentence: string) => void = () => {};
  /** Called with a program whose value was refused, and whose fields are not seen. */
  onneeds: (program: string) => void = () => {};
  /** The program that was open when this window showed another page. */
  openBefore = "";
  /** The lines that were refused in the last run or plan, their program, and the mark of its lines then. */
  private failed = $state.raw<{ program: string; marks: Mark[]; seen?: string }>();

  constructor(
    private programs: Programs,
    private log: Log,
    private time: Time,
  ) {
    this.company = new Company(programs);
    this.values = new RunValues(programs);
  }

  /** Something changed: programs, or the recording. */
  hear(info: RunInfo): void {
    if (!info.elsewhere?.length) this.fromPresent = false; // both states are the same
    this.company.hear(info);
    const { failed } = this;
    if (failed && failed.program !== this.programs.open && failed.seen !== this.seen(failed.program)) this.forget();
  }

  /** The mark of the lines of a program. */
  private seen(program: string): string | undefined {
    const { open, outline, info } = this.programs;
    return program === open && outline ? outline.mark : info?.programs.find((one) => one.name === program)?.mark;
  }

  /** The lines of a program that were refused last. */
  failedIn(program: string): Mark[] {
    return this.failed?.program === program ? this.failed.marks : [];
  }

  /** Forget which lines were refused. */
  forget(): void {
    this.failed = undefined;
  }

  /** What this window keeps of the choices for runs, and takes up again. */
  get kept(): unknown {
    return { together: this.company.kept, values: this.values.kept, open: this.programs.open };
  }

  resume(kept: unknown): void {
    const { together, values, open } = (kept ?? {}) as { together?: unknown; values?: unknown; open?: unknown };
    if (typeof open === "string") this.openBefore = open;
    this.company.resume(together);
    this.values.resume(values);
  }

  /** The speed of the run that is paused or under way, otherwise that of the next one, in percent. */
  get speed(): number {
    return this.programs.info?.override || this.percent;
  }

  /** What differs between the present state and the initial one. */
  get elsewhere(): readonly string[] {
    return this.programs.info?.elsewhere ?? [];
  }

  /** Why the state of the cell cannot be kept or reset now; "" if it can. */
  get busy(): string {
    const { info } = this.programs;
    if (info?.state === "paused") return "a run is paused; resume it to its end or stop it first";
    return info?.state === "goes" ? "a run is in progress; stop it or wait for its end" : "";
  }

  /** The programs that start when the open one does; the values are those of the first. */
  get together(): string[] {
    return this.company.of(this.programs.open);
  }

  /** The command that runs a program, or begins it step by step, with those that start together with it. */
  start(word: "run" | "debug", line = 0, name = this.programs.open): string {
    return this.started(word, line, name).text;
  }

  private started(word: "run" | "debug", line: number, name: string) {
    const programs = this.company.of(name, line ? name : "");
    const values = this.values.given(programs[0]!);
    const command = word === "run" && programs.length > 1 ? "run-together" : word;
    const given = values.length > 0 ? ` with ${values.join(", ")}` : "";
    const text = `${command} ${programs.map(quoted).join(" ")}${given}${line ? ` from ${line}` : ""}${this.fromPresent ? " --from-present" : ""}`;
    const how = { ...(values.length > 0 ? { arguments: values } : {}), ...(line ? { line } : {}), from_present: this.fromPresent };
    return { text, programs, how };
  }

  /** Run a program and play it from its start; the open one is kept first. */
  async run(chosen = ""): Promise<void> {
    await this.programs.loaded;
    const name = chosen || this.programs.open;
    if (!name || !(await this.programs.keep())) return;
    this.forget();
    this.values.forget();
    this.time.stop();
    if (await this.whole(name)) this.time.replay();
    else this.markRefused();
  }

  private async whole(name: string): Promise<boolean> {
    const program = quoted(name);
    const agent = this.programs.info?.programs.find((one) => one.name === name)?.language === "agent";
    if (agent) return this.spoken(name);
    if (this.percent !== 100) return (await this.begin(name)) && this.log.press("resume");
    const { text, programs, how } = this.started("run", 0, name);
    return programs.length > 1 ? this.log.call(text, "run-together", { programs, ...how }, startWords) : this.log.call(text, "run", { program, ...how }, startWords);
  }

  /** Carry out Agent lines; behind one that is refused they go on, and all that were refused are marked. */
  private async spoken(name: string): Promise<boolean> {
    const { speak } = await import("./agent_run");
    const marks = await speak(this.log, name);
    if (!marks?.length) return marks !== undefined;
    this.failed = { program: name, marks, seen: this.seen(name) };
    if (this.programs.seen && name === this.programs.open) this.programs.onmarked();
    return true;
  }

  /** Begin a run and stand before its first step, or before a line. Agent lines become steps of another program first. */
  async debug(line = 0): Promise<void> {
    const { programs } = this;
    await programs.loaded;
    if (!programs.open || !(await programs.keep())) return;
    this.forget();
    this.values.forget();
    if (programs.language === "agent") {
      if (!(await (await import("./agent_run")).makeSteps(this.log, programs))) return;
    }
    if (!(await this.begin(programs.open, line))) this.markRefused();
  }

  /** Pause a run before its first step, at the speed that is set. */
  private async begin(name: string, line = 0): Promise<boolean> {
    const { text, programs, how } = this.started("debug", line, name);
    if (!(await this.log.call(text, "debug", { programs, ...how }, startWords))) return false;
    return this.percent === 100 || this.log.press(`override ${this.percent}`);
  }

  /**
   * Pause the run that is computed; or, while one is played, return it to the time that is shown, so that it can be
   * stepped from there. Other motion is held, and so is a run that cannot be returned; then the reason is shown.
   */
  async pause(): Promise<void> {
    const { info } = this.programs;
    if (info?.state === "goes") return void (await this.log.press("pause"));
    if (this.time.loaded || !this.time.playing) return void this.time.pause();
    const [at, shown] = [Number(this.programs.shownTime.toFixed(3)), this.time.time];
    this.time.standBy();
    if (!info?.again) await this.programs.follow(); // only the open panel knows already which lines ran
    if (!info?.again && this.programs.ran.length === 0) return void this.time.seek(shown);
    const stood = await this.log.value(`pause-at ${at.toFixed(3)}s`, "pause-at", { time: at });
    if (stood) {
      this.time.toNow();
      const [title, sentence] = returnedTo(stood, at);
      if (title) this.onreturned(title, sentence);
      return;
    }
    this.time.seek(shown); // somebody may have changed the cell meanwhile
    if (!this.log.failure) return;
    this.programs.onmarked(); // one message has the reason, and what was done instead
    this.programs.onrefused("Only the playback is paused", this.log.failure.message);
  }

  /** Set the speed of runs: of the next ones, and of the one that is paused or under way; returns whether it holds for that one. */
  async steer(percent: number): Promise<boolean> {
    this.percent = Math.round(percent);
    const goes = this.programs.info?.state === "goes";
    if (goes && !(await this.log.press("pause"))) return false;
    if (!goes && !this.programs.paused) return true;
    const done = await this.log.press(`override ${this.percent}`);
    return goes ? (await this.log.press("resume")) && done : done;
  }

  /** Show the certified way of the move in a line; the view draws it. */
  async plan(line: number): Promise<void> {
    const { programs } = this;
    if (!(await programs.keep())) return;
    this.forget();
    const program = quoted(programs.open);
    programs.planned = await this.log.value(`plan-step ${program} ${line}`, "plan-step", { program, line });
    if (!programs.planned) this.markRefused();
  }

  /** Mark the line or the value that was refused, if the refusal names one. The panel shows the mistakes of the open program anyway. */
  private markRefused(): void {
    const { failure } = this.log;
    const { program, parameter, line_number: line, problems } = failure?.evidence ?? {};
    if (typeof program === "string" && typeof parameter === "string" && this.values.refuse(program, parameter, failure!.message)) {
      if (this.programs.seen && this.together[0] === program) this.programs.onmarked();
      else this.onneeds(program);
    }
    const marked = typeof line === "number" || (Array.isArray(problems) && this.programs.checkup.mistaken);
    if (marked && this.programs.seen && program === this.programs.open) this.programs.onmarked();
    if (typeof program !== "string" || typeof line !== "number") return;
    const language = this.programs.info?.programs.find((one) => one.name === program)?.language ?? "commands";
    const mark: Mark = { line: Math.max(1, line - offset(language)), column: 0, message: failure!.message, severity: "error" };
    this.failed = { program, marks: [mark], seen: this.seen(program) };
  }
}
