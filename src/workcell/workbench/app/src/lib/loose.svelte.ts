// What stands nowhere and is part of nothing: it has a line in the tree, and no place in the view.
import { AskedRows } from "./asked_rows.svelte";
import type { LooseThing } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";

const QUIET = 250; // ms after a change

export class Loose extends AskedRows<LooseThing> {
  constructor(connection: Connection, scene: Scene, log: Log) {
    super(connection, scene, log, QUIET);
  }

  protected async fetch(): Promise<readonly LooseThing[]> {
    const { things } = await this.connection.call("loose", {});
    this.scene.showLoose(things);
    return things;
  }
}
