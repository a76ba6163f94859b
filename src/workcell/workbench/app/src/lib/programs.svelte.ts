// The programs of the cell, and running them.
import type { Log } from "./log.svelte";
import { quoted } from "./text";
import type { Scene } from "./scene.svelte";
import type { Time } from "./time.svelte";

export class Programs {
  constructor(
    private scene: Scene,
    private log: Log,
    private time: Time,
  ) {}

  /** The names of the programs, in the order of creation. */
  get names(): string[] {
    void this.scene.seen;
    const found = [...this.scene.picture.nodes.values()].filter((node) => node.kind === "program");
    return found.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map((node) => node.name);
  }

  /** Run a program and play it from its start. */
  async run(name: string): Promise<void> {
    this.time.stop();
    if (await this.log.call(`run ${quoted(name)}`, "run", { program: name })) this.time.replay();
  }
}
