// Rows that the server lists, asked for again after each change of the cell.
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { Repeated } from "./repeated";
import type { Scene } from "./scene.svelte";

export abstract class AskedRows<Row> {
  list = $state.raw<readonly Row[]>([]);
  /** Whether the server has listed them. */
  known = $state(false);
  private asked: Repeated;

  /** `quiet` is how long nothing has changed before it asks [ms]. */
  constructor(
    protected connection: Connection,
    protected scene: Scene,
    protected log: Log,
    quiet: number,
  ) {
    this.asked = new Repeated(quiet, () => this.ask());
    scene.watch(() => this.asked.refresh());
  }

  /** Ask again soon. */
  refresh(): void {
    this.asked.refresh();
  }

  /** The rows as they are now; undefined if there is nothing to ask for. */
  protected abstract fetch(): Promise<readonly Row[]> | undefined;

  private ask(): Promise<void> | undefined {
    if (this.connection.link !== "open") return undefined;
    const answer = this.fetch();
    if (!answer) this.list = [];
    return answer?.then(
      (rows) => {
        this.known = true;
        if (JSON.stringify(rows) !== JSON.stringify(this.list)) this.list = rows;
      },
      () => undefined, // the connection was lost; the next picture asks again
    );
  }
}
