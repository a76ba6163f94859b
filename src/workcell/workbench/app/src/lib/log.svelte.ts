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
   */
  constructor(
    private connection: Connection,
    private onrefused: (line: string, sentence: string) => void = () => {},
  ) {}

  /** The sentence of the last refusal; "" if there was none. */
  get lastError(): string {
    return this.entries.filter((entry) => entry.state === "error").at(-1)?.text ?? "";
  }

  clear(): void {
    this.entries = [];
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

  /**
   * Carry out several lines as one step of the history; if one is refused, none of them stays. If somebody else
   * changed the same things meanwhile, the lines before the refused one stay, and a message names them.
   */
  async pressAll(lines: readonly string[]): Promise<boolean> {
    if (lines.length < 2) return lines.length === 0 || this.press(lines[0]!);
    if (!(await this.press("group"))) return false;
    for (const [place, line] of lines.entries()) {
      if (await this.press(line)) continue;
      if (!(await this.type("cancel-group"))) await this.keep(lines.slice(0, place));
      return false;
    }
    return this.press("end");
  }

  /** End a group that cannot be cancelled; without a connection the server ends it. */
  private async keep(lines: readonly string[]): Promise<void> {
    if (!(await this.type("end"))) return;
    const done = lines.map((line) => `\`${line}\``).join(", ");
    this.onrefused("cancel-group", `Others changed the same things meanwhile, so these lines stay until you undo them: ${done}.`);
  }

  /** Carry out a command with typed parameters in SI units, shown as `line`; a refusal is also shown as a message. */
  async call<Name extends keyof Commands>(
    line: string,
    command: Name,
    parameters: Commands[Name]["parameters"],
  ): Promise<boolean> {
    return this.pressed(line, () => this.connection.carryOut(command, parameters));
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

  /** Show a command that was carried out, and its answer in a few words. */
  note(line: string, text: string): void {
    this.add({ line, state: "done", text, column: null, kind: "" });
  }

  private async pressed(line: string, ask: () => Promise<Result>): Promise<boolean> {
    return (await this.answered(line, ask)) !== undefined;
  }

  private async answered(line: string, ask: () => Promise<Result>): Promise<Result | undefined> {
    let refusal: Error | undefined;
    const result = await this.enter(line, ask, (error) => (refusal = error));
    if (refusal && !isCancel(refusal)) this.onrefused(line, refusal.message);
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
      const cancelled = isCancel(error);
      entry.text = cancelled ? "Cancelled." : (error as Error).message;
      entry.state = cancelled ? "done" : "error";
      this.failure = error instanceof Refusal ? error.failure : undefined;
      if (error instanceof Refusal) {
        entry.kind = error.failure.kind;
        if (error.failure.line === line) entry.column = error.failure.column;
      }
      onerror(error as Error);
      return undefined;
    }
  }

  /** Show a note about the cell, once even if the page reconnects. */
  remark(note: string): void {
    if (this.remarks.has(note)) return;
    this.remarks.add(note);
    this.add({ line: "", state: "done", text: note, column: null, kind: "note" });
  }

  private add(entry: Omit<Entry, "id">): Entry {
    this.entries.push({ id: ++this.counter, ...entry });
    if (this.entries.length > KEPT) this.entries.splice(0, this.entries.length - KEPT);
    return this.entries[this.entries.length - 1]!;
  }
}

/** Whether a command ended because somebody cancelled it: that is no mistake. */
function isCancel(error: unknown): boolean {
  return error instanceof Refusal && error.failure.kind === "Cancelled";
}
