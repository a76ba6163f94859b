// Which steps of a program are selected: one that is open for changes, and others with it.
import type { OutlineRow } from "./commands";

export class StepChoice {
  /** The line of the step that is open for changes; 0 if none is. */
  line = $state(0);
  private more = $state.raw<readonly number[]>([]);

  /** Select one step, or none with 0. */
  only(line: number): void {
    this.line = line;
    this.more = [];
  }

  /** Add a step to those that are selected, or take it out. */
  toggle(line: number): void {
    const all = this.has(line) ? this.lines.filter((one) => one !== line) : [...this.lines, line];
    this.line = all.at(-1) ?? 0;
    this.more = all.slice(0, -1);
  }

  /** Select all steps between the one that is open and another one, among the lines of all steps. */
  until(line: number, all: readonly number[]): void {
    const from = this.line || line;
    const [first, last] = [Math.min(from, line), Math.max(from, line)];
    this.line = from;
    this.more = all.filter((one) => one >= first && one <= last && one !== from);
  }

  /** The lines changed: `now` has where a line is, 0 if it is gone. Steps that are gone are not selected any more. */
  follow(now: (line: number) => number): void {
    const all = this.lines.map(now).filter((line) => line > 0);
    this.line = all.at(-1) ?? 0;
    this.more = all.slice(0, -1);
  }

  has(line: number): boolean {
    return line > 0 && this.lines.includes(line);
  }

  get lines(): number[] {
    return this.line ? [...this.more, this.line] : [];
  }

  get several(): boolean {
    return this.more.length > 0;
  }

  /** The other selected steps, if this one is selected. */
  with(line: number): number[] {
    return this.has(line) ? this.lines.filter((one) => one !== line).sort((a, b) => a - b) : [];
  }
}

/** The lines of whole steps with everything inside them, each shifted to the left; steps inside others go with those. */
export function copiedLines(text: string, rows: readonly OutlineRow[], lines: readonly number[]): string {
  const all = text.split("\n");
  let done = 0;
  return rows
    .filter((row) => lines.includes(row.line))
    .flatMap((row) => {
      if (row.line <= done) return [];
      done = row.end;
      const own = all.slice(row.line - 1, row.end);
      const held = /^\s*/.exec(own[0] ?? "")![0].length;
      return own.map((line) => (line.trim() ? line.slice(Math.min(held, /^\s*/.exec(line)![0].length)) : line));
    })
    .join("\n");
}
