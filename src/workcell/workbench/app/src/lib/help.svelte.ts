// Help: how much the page explains, the page of the dialog, the reference of commands, and what the page waits for.
import type { CommandFacts } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Preferences } from "./preferences.svelte";

export type HelpPage = "keys" | "commands" | "guide";

const TOUR_KEY = "workcell-tour";

export class Help {
  page = $state<HelpPage>("keys");
  /** The section of the guide, or the command of the reference, that is in front. */
  section = $state("");
  command = $state("");
  /** All commands, once the reference was opened. */
  commands = $state.raw<readonly CommandFacts[]>([]);
  /** What the page waits for, by what has the focus; `tool` is that of a tool that is at work, which comes first. */
  focus = $state("");
  tool = $state("");
  /** The step of the tour; below zero while there is none. */
  step = $state(-1);
  /** Whether somebody in this browser has taken or declined the tour. */
  toured = $state(localStorage.getItem(TOUR_KEY) !== null);
  private understood = $state.raw<ReadonlySet<string>>(new Set());
  private asked: Promise<void> | undefined;

  constructor(
    private connection: Connection,
    private log: Log,
    private preferences: Preferences,
  ) {}

  /** What the status bar prompts for; '' if only errors are wanted. */
  get prompt(): string {
    return this.preferences.general.help === "errors" ? "" : this.tool || this.focus;
  }

  /** The command of the last press, if presses are to be explained and this one is not understood yet. */
  get explained(): CommandFacts | undefined {
    if (this.preferences.general.help !== "explained") return undefined;
    const line = this.log.entries.at(-1)?.line ?? "";
    const found = commandOf(line, this.commands);
    return found && !this.understood.has(found.name) ? found : undefined;
  }

  /** Do not explain a command again, until the page is loaded anew. */
  understand(name: string): void {
    this.understood = new Set([...this.understood, name]);
  }

  /** Fetch the reference, once. */
  fetch(): Promise<void> {
    this.asked ??= this.connection.call("command-reference", {}).then(
      (answer) => {
        this.commands = answer.commands;
      },
      (error: unknown) => {
        this.asked = undefined;
        throw error;
      },
    );
    return this.asked;
  }

  /** Go to a step of the tour; below zero the tour is over, and is not offered again. */
  tour(step: number): void {
    this.step = Math.max(step, -1);
    if (this.step < 0) this.decline();
  }

  decline(): void {
    this.toured = true;
    localStorage.setItem(TOUR_KEY, "seen");
  }
}

/** The command that a line gives: the one with the longest words that begin it. */
export function commandOf<T extends { name: string }>(line: string, commands: readonly T[]): T | undefined {
  let found: T | undefined;
  for (const one of commands) {
    if (`${line} `.startsWith(`${one.name} `) && one.name.length > (found?.name.length ?? 0)) found = one;
  }
  return found;
}
