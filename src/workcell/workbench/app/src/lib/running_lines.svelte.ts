// The present lines of all programs that run together, or call each other: those of a run, or those at the playhead.
import type { Connection } from "./connection.svelte";
import { inner, offset } from "./languages";
import { frontOf, type Light, type Lights } from "./lit";
import type { RunInfo } from "./protocol";
import { quoted } from "./text";

/** A program that runs, with the lines that are carried out now; none before its first one and after its last. */
export interface RunningProgram {
  program: string;
  light: Light | undefined;
  lines: readonly { number: number; text: string }[];
}

interface Kept {
  readonly mark: string;
  readonly language: string;
  readonly lines: readonly string[];
}

interface Programs {
  readonly info: RunInfo | undefined;
  readonly open: string;
  readonly played: boolean;
  readonly lights: Lights;
}

export class RunningLines {
  /** The kept lines of programs by their names. */
  private kept = $state.raw<Readonly<Record<string, Kept>>>({});
  /** Which lines are asked for. */
  private asked = new Set<string>();

  constructor(
    private programs: Programs,
    private connection: Pick<Connection, "call">,
  ) {}

  /** The programs that run; nothing if the open one runs alone, since its list shows its line. */
  rows: readonly RunningProgram[] = $derived.by(() => {
    const { info, lights, open, played } = this.programs;
    const started = (played ? info?.ran : info?.started) ?? [];
    const names = [...new Set([...started, ...lights.keys()])];
    if (names.every((name) => name === open)) return [];
    return names.map((program) => ({ program, light: this.light(program), lines: this.lines(program) }));
  });

  /** How the line of a program is lit that is to be looked at first. */
  private light(program: string): Light | undefined {
    const lights = this.programs.lights.get(program);
    return lights?.get(frontOf(lights)!);
  }

  private lines(program: string): RunningProgram["lines"] {
    const [light, kept] = [this.light(program), this.kept[program]];
    const shift = offset(kept?.language ?? "commands");
    return [...(this.programs.lights.get(program) ?? [])]
      .filter(([, one]) => one === light)
      .map(([line]) => ({ number: line - shift, text: kept?.lines[line - shift - 1]?.trim() ?? "" }));
  }

  /** Ask for the texts of the programs that run, where they are not known as they are now. */
  async read(): Promise<void> {
    const marks = new Map((this.programs.info?.programs ?? []).map((one) => [one.name, one.mark]));
    await Promise.all(this.rows.map(({ program }) => this.readOne(program, marks.get(program))));
  }

  private async readOne(program: string, mark: string | undefined): Promise<void> {
    const key = `${program} ${mark}`;
    if (mark === undefined || this.kept[program]?.mark === mark || this.asked.has(key)) return;
    this.asked.add(key);
    const found = await this.connection.call("outline", { program: quoted(program) }).catch(() => undefined);
    this.asked.delete(key);
    if (found) this.kept = { ...this.kept, [program]: { mark, language: found.language, lines: inner(found.language, found.text).split("\n") } };
  }
}
