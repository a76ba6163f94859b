// The programs of the cell: which is open, its lines and steps, running it, and which lines are lit.
import type { PlannedStep, ProgramOutline, RunLine } from "./commands";
import type { Connection } from "./connection.svelte";
import { type Light, type Lights, litAt, litByRun } from "./lit";
import { inner, languageOf, offset, outer } from "./languages";
import { LineIds, linesNow } from "./line_ids.svelte";
import type { Log } from "./log.svelte";
import { OfferedSteps } from "./offered_steps.svelte";
import { type Orphan, OVERTAKEN } from "./orphans";
import { ProgramCheckup } from "./program_checkup.svelte";
import type { Mark } from "./program_marks";
import type { RunInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { freeName } from "./pendant.svelte";
import { ProgramRuns } from "./program_runs.svelte";
import { StepChoice } from "./step_choice.svelte";
import { StepEdits } from "./step_edits.svelte";
import { namesOf, quoted, quotedText } from "./text";
import type { Time } from "./time.svelte";

export type Naming = "" | "new" | "copy" | "rename";

const NONE: ReadonlyMap<number, Light> = new Map();

export class Programs {
  /** Programs, runs, breakpoints and signals, as the server sent them last. */
  info = $state.raw<RunInfo>();
  /** The name of the program that is open. */
  open = $state("");
  /** When the program that was chosen last is open. */
  loaded: Promise<void> = Promise.resolve();
  /** Counts the programs that were opened: the text of each has a history of its own. */
  opened = $state(0);
  outline = $state.raw<ProgramOutline>();
  /** The kinds of steps that can be added. */
  readonly kinds: OfferedSteps;
  /** Lines that were typed and not kept yet; undefined if there are none. */
  draft = $state<string>();
  /** Whether somebody else changed the lines while there is a draft. */
  overtaken = $state(false);
  /** What was typed into programs that are gone. */
  orphans = $state.raw<readonly Orphan[]>([]);
  /** The name of the program that was open and was removed, not by the menu of this window; "" once that was read. */
  gone = $state("");
  private removing = "";
  /** Called with a title and a sentence when something was not kept, or is gone. */
  onrefused: (title: string, sentence: string) => void = () => {};
  /** Called when a refusal is marked at its line in the panel, so that no message repeats it. */
  onmarked: () => void = () => {};
  /** Whether the panel with the open program is seen. */
  seen = false;
  /** What is wrong with the lines of the open program. */
  readonly checkup: ProgramCheckup;
  view = $state<"text" | "steps">("steps");
  /** Which steps are selected. */
  readonly choice = new StepChoice();
  /** The lines of the open program under ids that stay when others edit it. */
  readonly ids = new LineIds();
  /** Changes of single steps. */
  readonly edits: StepEdits;
  /** Running the open program, and planning its moves. */
  readonly runs: ProgramRuns;
  /** Whether a name is asked for: that of a new program, of a copy, or another one. */
  naming = $state<Naming>("");
  planned = $state.raw<PlannedStep>();
  /** Which lines ran when, in the recording that is shown. */
  ran = $state.raw<RunLine[]>([]);
  private mark = "";
  /** Before which line of which program the run was paused that was heard of last. */
  private stood = "";
  /** The lines that this window sent last: they overtake no draft. */
  private sent = "";
  /** The recording and the programs for which `ran` was asked. */
  private ranOf = "";
  private asked = 0;

  constructor(
    private connection: Connection,
    private log: Log,
    private time: Time,
    private recording: Recording,
  ) {
    this.checkup = new ProgramCheckup(connection, this, log);
    this.kinds = new OfferedSteps(connection, this);
    this.edits = new StepEdits(this, log);
    this.runs = new ProgramRuns(this, log, time);
  }

  /** The names of the programs, in the order of creation. */
  get names(): string[] {
    return (this.info?.programs ?? []).map((program) => program.name);
  }

  get language(): string {
    return this.outline?.language ?? "commands";
  }

  /** The lines that the editor shows: those that were typed, or those that are kept. */
  get text(): string {
    return this.draft ?? (this.outline ? inner(this.language, this.outline.text) : "");
  }

  /** Whether closing the page would lose lines that were typed. */
  get unkept(): boolean {
    return this.draft !== undefined || this.orphans.length > 0;
  }

  /** The mistakes and notes of the open program, with the lines that were refused last if the check finds no mistake there. */
  get problems(): Mark[] {
    const { marks } = this.checkup;
    const wrong = new Set(marks.filter((mark) => mark.severity === "error").map((mark) => mark.line));
    return [...marks, ...this.runs.failedIn(this.open).filter((mark) => !wrong.has(mark.line))];
  }

  /** The program to open if none is: the one that was open before, or else the first. */
  get likely(): string | undefined {
    const { names } = this;
    return names.find((name) => name === this.runs.openBefore) ?? names[0];
  }

  /** A name for a new program, for a copy of the open one, or its own. */
  get proposed(): string {
    const taken = new Set(this.names);
    if (this.naming === "copy") return freeName(`${this.open}-`, taken);
    return this.naming === "rename" ? this.open : freeName("program", taken);
  }

  get paused(): boolean {
    return this.info?.state === "paused";
  }

  // ---- messages ------------------------------------------------------------------------------------------

  /** Something changed: programs, runs, breakpoints or signals. */
  hear(info: RunInfo): void {
    const id = this.info?.programs.find((one) => one.name === this.open)?.id;
    const signals = namesOf(this.info?.signals);
    this.info = info;
    this.runs.hear(info);
    if (namesOf(info.signals) !== signals) void this.kinds.load();
    if (this.open && !this.names.includes(this.open)) {
      const renamed = info.programs.find((one) => one.id === id);
      if (renamed) this.open = renamed.name;
      else this.removed();
    }
    if (!this.open) return;
    const now = info.programs.find((program) => program.name === this.open)?.mark ?? "";
    if (now !== this.mark) void this.reload();
    const stands = info.state === "paused" ? info.threads.find((thread) => thread.stands) : undefined;
    const place = stands ? `${stands.program} ${stands.line} ${info.time}` : "";
    if (stands && place !== this.stood && stands.program !== this.open && this.draft === undefined) void this.show(stands.program);
    this.stood = place;
  }

  /** The open program is gone; a draft of it stays, so that it can be made again. */
  private removed(): void {
    if (this.draft !== undefined) {
      this.orphans = [...this.orphans, { name: this.open, language: this.language, text: this.draft }];
      this.onrefused(`Removed: ${this.open}`, "This program was removed. Your text is still in the Programs panel.");
    } else if (this.open !== this.removing) this.gone = this.open;
    this.removing = "";
    this.overtaken = false;
    this.open = this.mark = "";
    this.outline = this.draft = undefined;
    this.checkup.clear();
  }

  // ---- the open program ----------------------------------------------------------------------------------

  /** Open a program. A draft of another one is kept first. */
  show(name: string): Promise<void> {
    if (name === this.open) return Promise.resolve();
    return (this.loaded = this.keep().then((kept) => (kept ? this.fetch(name) : undefined)));
  }

  /** Load a program and open it; of several that are asked for, the last. */
  load(name: string): Promise<void> {
    return (this.loaded = this.fetch(name));
  }

  private async fetch(name: string): Promise<void> {
    const asked = ++this.asked;
    const outline = await this.outlineOf(name);
    if (!outline || asked !== this.asked || !(await this.keep())) return; // what was typed meanwhile belongs to the other one
    this.open = name;
    this.opened += 1;
    this.line = 0;
    this.planned = undefined;
    this.checkup.clear();
    this.ids.begin(outline.text);
    this.outline = undefined; // what is taken next is no edit of the program that was open
    this.take(outline);
    if (!languageOf(this.language).steps) this.view = "text";
  }

  private outlineOf(name: string): Promise<ProgramOutline | undefined> {
    return this.connection.call("outline", { program: quoted(name) }).catch(() => undefined);
  }

  /** Ask for the lines of the open program as they are now. */
  async reload(): Promise<void> {
    const asked = this.opened;
    const outline = await this.outlineOf(this.open);
    if (outline && asked === this.opened && this.open) this.take(outline);
  }

  private take(outline: ProgramOutline): void {
    this.mark = this.info?.programs.find((program) => program.name === this.open)?.mark ?? "";
    const changed = outline.text !== this.outline?.text;
    if (changed) {
      if (this.outline) this.runs.forget();
      this.planned = undefined;
      this.choice.follow(this.ids.follow(outline.text));
    }
    this.outline = outline;
    if (this.draft === undefined) this.checkup.came(outline.problems);
    else if (changed && outline.text !== this.sent) this.overtaken = outer(this.language, this.draft) !== outline.text;
    void this.kinds.load();
  }

  /** The lines were typed; they are not kept yet. */
  type(text: string): void {
    this.draft = this.outline && outer(this.language, text) === this.outline.text ? undefined : text;
    if (this.draft === undefined) this.overtaken = false;
  }

  /** Keep what was typed; returns whether it is kept. Lines of somebody else are replaced only if `over` says so. */
  async keep(over = false): Promise<boolean> {
    if (this.draft !== undefined && this.stale) await this.reload();
    if (this.draft === undefined) return true;
    if (this.overtaken && !over) {
      this.onrefused(`Not saved: ${this.open}`, OVERTAKEN);
      return false;
    }
    const typed = this.draft;
    const text = (this.sent = outer(this.language, typed));
    const seen = over || !this.outline ? {} : { mark: this.outline.mark };
    const done = await this.log.call(`edit program ${quoted(this.open)} ${quotedText(text)}`, "edit program", { program: quoted(this.open), text, ...seen });
    if (!done) {
      await this.reload(); // somebody else may have changed the lines
      return false;
    }
    await this.reload(); // first, so that the editor does not show the old lines in between
    this.overtaken = false;
    if (this.draft === typed) this.draft = undefined; // otherwise more was typed meanwhile
    return this.draft === undefined;
  }

  /** Whether the server has told of other lines than those that are here. */
  private get stale(): boolean {
    return this.info?.programs.find((program) => program.name === this.open)?.mark !== this.mark;
  }

  /** Forget what was typed into a program that is gone. */
  forget(orphan: Orphan): void {
    this.orphans = this.orphans.filter((one) => one !== orphan);
  }

  /** Forget what was typed. */
  drop(): void {
    this.draft = undefined;
    this.overtaken = false;
    void this.reload();
  }

  /** Forget everything that was typed and is not kept. */
  forgetAll(): void {
    this.orphans = [];
    this.drop();
  }

  /** Make a program, and open it. */
  async create(name: string, language = "commands", text = ""): Promise<boolean> {
    return this.write(name, outer(language, text));
  }

  /** Give the open program another name. */
  rename(to: string): Promise<boolean> {
    return this.log.press(`modify program:${quoted(this.open)} name ${quoted(to)}`);
  }

  /** Copy the open program, and open the copy. */
  async copy(name: string): Promise<boolean> {
    if (!(await this.keep()) || !(await this.log.press(`copy program:${quoted(this.open)} as ${quoted(name)}`))) return false;
    await this.load(name);
    return true;
  }

  async remove(): Promise<void> {
    this.removing = this.open;
    if (!(await this.log.press(`remove program:${quoted(this.open)}`))) this.removing = "";
  }

  private async write(name: string, text: string): Promise<boolean> {
    if (!(await this.keep())) return false;
    if (!(await this.log.call(`write program ${quoted(name)} ${quotedText(text)}`, "write program", { name: quoted(name), text }))) return false;
    await this.load(name);
    return true;
  }

  /** The first line of the step that is open for changes; 0 if none is. */
  get line(): number {
    return this.choice.line;
  }

  set line(line: number) {
    this.choice.only(line);
  }

  // ---- running -------------------------------------------------------------------------------------------

  /** Set or remove the breakpoint of a line of the open program. */
  async toggleBreak(line: number): Promise<void> {
    const at = `${quoted(this.open)} ${line + offset(this.language)}`;
    await this.log.press(`${this.breaks.has(line) ? "unbreak" : "break"} ${at}`);
  }

  /** Let the breakpoint of a line pause only when a condition holds; "" makes it pause always. */
  async breakWhen(line: number, condition: string): Promise<void> {
    const when = condition ? ` when ${condition}` : "";
    await this.log.press(`break ${quoted(this.open)} ${line + offset(this.language)}${when}`);
  }

  /** The breakpoints of the open program by their lines in the editor: their conditions. */
  get breaks(): Map<number, string> {
    const own = (this.info?.breakpoints ?? []).filter((one) => one.program === this.open);
    return new Map(own.map((one) => [one.line - offset(this.language), one.when ?? ""]));
  }

  /** The simulated time at the playhead [s]. */
  get shownTime(): number {
    return this.recording.start + this.time.time;
  }

  /** Whether the lines that are lit are those of the recording at the time that is shown. */
  get played(): boolean {
    return this.time.mode === "playback" || this.time.playing;
  }

  /** The kept lines of all programs that are lit. */
  lights: Lights = $derived.by(() => (this.played ? litAt(this.ran, this.shownTime) : litByRun(this.info)));

  /** The lines of the open program that are lit, by their lines in the editor. */
  get lit(): ReadonlyMap<number, Light> {
    const lights = this.lights.get(this.open) ?? NONE;
    const shift = offset(this.language);
    return shift || this.typed ? new Map([...lights].flatMap(([line, light]) => this.typedAt(line - shift).map((at) => [at, light]))) : lights;
  }

  /** Where the kept lines are in the draft; undefined without one. */
  private typed = $derived.by(() => {
    if (this.draft === undefined || !this.outline) return undefined;
    return linesNow(inner(this.language, this.outline.text).split("\n"), this.draft.split("\n"));
  });

  /** Where the editor shows a kept line; none if it was typed away. */
  private typedAt(line: number): number[] {
    const at = this.typed ? this.typed.get(line) : line;
    return at === undefined ? [] : [at];
  }

  /** Learn which lines ran when in the recording, if it is another one, or the programs have other lines. */
  async follow(): Promise<void> {
    const marks = (this.info?.programs ?? []).map((program) => `${program.name} ${program.mark}`);
    const of = [this.recording.info?.number ?? 0, ...marks].join("\n");
    if (of === this.ranOf) return;
    this.ranOf = of;
    const found = await this.connection.call("line-times", {}).catch(() => undefined);
    if (found && this.ranOf === of) this.ran = found.lines;
  }
}
