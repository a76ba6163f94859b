// The console's log: every command of this window, typed or pressed, with its answer.
import type { Commands } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Failure, Result } from "./protocol";
import { Refusal } from "./wire";

export interface Entry {
  id: number;
  line: string;
  state: "busy" | "done" | "error";
  text: string;
  column: number | null;
  kind: string;
}

const KEPT = 300;

export class Log {
  entries = $state<Entry[]>([]);
  /** Why the last command was refused; undefined if it was done. */
  failure: Failure | undefined;
  private counter = 0;
  private remarks = new Set<string>();

  /**
   * @param connection carries the commands out.
   * @param onrefused called with the line and the sentence when a pressed command was refused.
   * @param shown how the line of a pressed command is shown.
   */
  constructor(
    private connection: Connection,
    private onrefused: (line: string, sentence: string) => void = () => {},
    readonly shown: (line: string) => string = (line) => line,
  ) {}

  /** Whether a command of this window is being carried out. */
  get busy(): boolean {
    return this.entries.some((entry) => entry.state === "busy");
  }

  /** The sentence of the last refusal; "" if there was none. */
  get lastError(): string {
    return this.entries.filter((entry) => entry.state === "error").at(-1)?.text ?? "";
  }

  clear(): void {
    this.entries = [];
  }

  /** Go on after entries of an earlier page of this window. */
  resume(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.add(entry);
      if (entry.kind === "note") this.remarks.add(entry.text);
    }
  }

  /** Carry out a typed command line; returns whether it was done. */
  async type(line: string): Promise<boolean> {
    return (await this.enter(line, () => this.connection.ask<Result>({ type: "command", line }))) !== undefined;
  }

  /** Carry out the command line of a button, menu or key; a refusal is also shown as a message. */
  async press(line: string): Promise<boolean> {
    return this.pressed(line, () => this.connection.ask<Result>({ type: "command", line }));
  }

  /** As `press`; returns the answer, or undefined after a refusal. */
  async answer(line: string): Promise<string | undefined> {
    return (await this.answered(line, () => this.connection.ask<Result>({ type: "command", line })))?.text;
  }

  /** Carry out several lines as one step of the history; if one is refused, none of them takes effect. */
  async pressAll(lines: readonly string[]): Promise<boolean> {
    if (lines.length < 2) return lines.length === 0 || this.press(lines[0]!);
    return (await this.together(lines, false)) !== undefined;
  }

  /**
   * Carry out several lines as one step of the history; a line that is refused is left out.
   * @returns the answer of each line that was done, at its place; none if the work was cancelled.
   */
  async pressEach(lines: readonly string[]): Promise<(string | undefined)[]> {
    if (lines.length < 2) return Promise.all(lines.map((line) => this.answer(line)));
    return (await this.together(lines, true)) ?? [];
  }

  /** Send lines in one message; returns the answers, none for a line that was left out, or undefined if nothing was done. */
  private async together(lines: readonly string[], each: boolean): Promise<(string | undefined)[] | undefined> {
    const entries = ["group", ...lines.map(this.shown), "end"].map((line) => this.add({ line, state: "busy", text: "", column: null, kind: "" }));
    try {
      const { value } = await this.connection.ask<Result>({ type: "lines", lines: [...lines], each });
      const { texts, refused } = value as { texts: string[]; refused: number[] };
      entries.forEach((entry, i) => Object.assign(entry, { state: refused.includes(i - 1) ? "error" : "done", text: texts[i - 1] ?? "" }));
      this.failure = undefined;
      for (const i of refused) this.onrefused(entries[i + 1]!.line, texts[i]!);
      return texts.map((text, i) => (refused.includes(i) ? undefined : text));
    } catch (error) {
      const place = error instanceof Refusal ? Number(error.failure.evidence["place"] ?? 0) : 0;
      const refused = entries[place + 1]!;
      for (const entry of entries.slice(0, place + 1)) Object.assign(entry, { state: "done", text: "" });
      entries[place]!.text = `Nothing in this group was done, because the next line was ${isCancel(error) ? "cancelled" : "refused"}.`;
      this.entries = this.entries.filter((one) => !entries.slice(place + 2).some(({ id }) => id === one.id));
      this.fail(refused, error);
      if (!isCancel(error)) this.onrefused(refused.line, (error as Error).message);
      return undefined;
    }
  }

  /**
   * Carry out a command with typed parameters in SI units, shown as `line`; a refusal is also shown as a message.
   * @param worded how its answer is shown.
   */
  async call<Name extends keyof Commands>(
    line: string,
    command: Name,
    parameters: Commands[Name]["parameters"],
    worded: (text: string) => string = (text) => text,
  ): Promise<boolean> {
    return this.pressed(line, async () => {
      const result = await this.connection.carryOut(command, parameters);
      return { ...result, text: worded(result.text) };
    });
  }

  /** As `call`; returns the typed value of the answer, or undefined after a refusal. */
  async value<Name extends keyof Commands>(
    line: string,
    command: Name,
    parameters: Commands[Name]["parameters"],
  ): Promise<Commands[Name]["result"] | undefined> {
    const result = await this.answered(line, () => this.connection.carryOut(command, parameters));
    return result?.value as Commands[Name]["result"] | undefined;
  }

  /** Show as refused what was carried out with mistakes: the last entry with this line, and a message with the sentence. */
  blame(line: string, sentence: string): void {
    const shown = this.shown(line);
    this.entries.filter((one) => one.line === shown).at(-1)!.state = "error";
    this.onrefused(shown, sentence);
  }

  /** Show a command that was carried out, and its answer in a few words. */
  note(line: string, text: string): void {
    this.add({ line, state: "done", text, column: null, kind: "" });
  }

  private async pressed(line: string, ask: () => Promise<Result>): Promise<boolean> {
    return (await this.answered(line, ask)) !== undefined;
  }

  private async answered(line: string, ask: () => Promise<Result>): Promise<Result | undefined> {
    let refusal: Error | undefined;
    const result = await this.enter(this.shown(line), ask, (error) => (refusal = error));
    if (refusal && !isCancel(refusal)) this.onrefused(this.shown(line), refusal.message);
    return result;
  }

  private async enter(
    line: string,
    ask: () => Promise<Result>,
    onerror: (error: Error) => void = () => {},
  ): Promise<Result | undefined> {
    const entry = this.add({ line, state: "busy", text: "", column: null, kind: "" });
    try {
      const result = await ask();
      entry.text = result.text;
      entry.state = "done";
      this.failure = undefined;
      return result;
    } catch (error) {
      this.fail(entry, error);
      onerror(error as Error);
      return undefined;
    }
  }

  /** Note why the command of an entry was not done. */
  private fail(entry: Entry, error: unknown): void {
    const cancelled = isCancel(error);
    entry.text = cancelled ? "Cancelled." : (error as Error).message;
    entry.state = cancelled ? "done" : "error";
    this.failure = error instanceof Refusal ? error.failure : undefined;
    if (error instanceof Refusal) {
      entry.kind = error.failure.kind;
      if (error.failure.line === entry.line) entry.column = error.failure.column;
    }
  }

  /** Show a note about the cell, once even if the page reconnects. */
  remark(note: string): void {
    if (this.remarks.has(note)) return;
    this.remarks.add(note);
    this.add({ line: "", state: "done", text: note, column: null, kind: "note" });
  }

  private add(entry: Omit<Entry, "id">): Entry {
    this.entries.push({ ...entry, id: ++this.counter });
    if (this.entries.length > KEPT) this.entries.splice(0, this.entries.length - KEPT);
    return this.entries[this.entries.length - 1]!;
  }
}

/** Whether a command ended because somebody cancelled it: that is no mistake. */
function isCancel(error: unknown): boolean {
  return error instanceof Refusal && error.failure.kind === "Cancelled";
}
