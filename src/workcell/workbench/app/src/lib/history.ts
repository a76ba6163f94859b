// The lines typed in the console: going back and forth keeps the line that is being typed.

const KEPT = 200;

export class History {
  private lines: string[];
  private place: number;
  private draft = "";

  constructor(
    private load: () => string | null = () => null,
    private save: (text: string) => void = () => {},
  ) {
    this.lines = parse(this.load());
    this.place = this.lines.length;
  }

  add(line: string): void {
    if (line && this.lines.at(-1) !== line) this.lines.push(line);
    this.lines = this.lines.slice(-KEPT);
    this.place = this.lines.length;
    this.draft = "";
    this.save(JSON.stringify(this.lines));
  }

  /** The line before, or undefined at the oldest. */
  back(current: string): string | undefined {
    if (this.place === 0) return undefined;
    if (this.place === this.lines.length) this.draft = current;
    this.place -= 1;
    return this.lines[this.place];
  }

  /** The line after; after the newest, what was being typed. */
  forth(): string | undefined {
    if (this.place >= this.lines.length) return undefined;
    this.place += 1;
    return this.place === this.lines.length ? this.draft : this.lines[this.place];
  }
}

function parse(text: string | null): string[] {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(found) ? found.filter((line): line is string => typeof line === "string") : [];
  } catch {
    return [];
  }
}
