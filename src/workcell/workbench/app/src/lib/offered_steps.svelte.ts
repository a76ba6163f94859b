// The kinds of steps that the open program can get, each with a first line for the place of the new step.
import type { StepKinds } from "./commands";
import type { Connection } from "./connection.svelte";
import { quoted } from "./text";

export class OfferedSteps implements StepKinds {
  /** When the answer to the last question is here. */
  loaded: Promise<void> = Promise.resolve();
  private known = $state.raw<StepKinds>({ kinds: [], names: {} });
  private line: number | undefined;
  private asked = 0;

  constructor(
    private connection: Connection,
    private programs: { readonly open: string },
  ) {}

  get kinds(): StepKinds["kinds"] {
    return this.known.kinds;
  }

  get names(): StepKinds["names"] {
    return this.known.names;
  }

  /** Ask again, since the program or the cell has changed. */
  load(): Promise<void> {
    return (this.loaded = this.ask());
  }

  /** A new step is to come before a line: its first line goes on from the steps above it. Without a line it comes at the end. */
  before(line?: number): Promise<void> {
    this.line = line;
    return this.load();
  }

  /** The first line of a kind of step; "" if the cell lacks something for it. It waits for the last question. */
  async first(kind: string): Promise<string> {
    await this.loaded;
    return this.kinds.find((one) => one.kind === kind)?.line ?? "";
  }

  private async ask(): Promise<void> {
    const { open } = this.programs;
    if (!open) return;
    const asked = ++this.asked;
    const place = this.line === undefined ? {} : { line: this.line };
    const found = await this.connection.call("step-kinds", { program: quoted(open), ...place }).catch(() => undefined);
    if (found && asked === this.asked) this.known = found;
  }
}
