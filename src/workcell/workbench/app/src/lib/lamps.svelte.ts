// The lamps of the cell, which light the view as they light `render`.
import type { LampRow } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { Repeated } from "./repeated";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";

const QUIET = 150; // ms after a change

export class Lamps {
  list = $state.raw<readonly LampRow[]>([]);
  private asked = new Repeated(QUIET, () => this.ask());

  constructor(
    private connection: Connection,
    private scene: Scene,
    private log: Log,
  ) {
    scene.watch(() => this.asked.refresh());
  }

  private ask(): Promise<void> | undefined {
    if (this.connection.link !== "open") return undefined;
    return this.connection.call("lamps", {}).then(
      ({ lamps }) => {
        if (JSON.stringify(lamps) !== JSON.stringify(this.list)) this.list = lamps;
      },
      () => undefined, // the connection was lost; the next picture asks again
    );
  }

  /** Add a lamp above and before everything, at the right. */
  async add(): Promise<void> {
    const taken = new Set(this.list.map((lamp) => lamp.name));
    let number = 1;
    while (taken.has(`lamp${number}`)) number += 1;
    const far = (metres: number) => plain(metres / this.scene.units.lengthSize);
    if (await this.log.press(`create light lamp${number}`)) await this.log.press(`place light lamp${number} at ${far(2)},${far(-3)},${far(4)}`);
  }

  /** Change a property of a lamp. */
  change(lamp: LampRow, property: "brightness" | "ambient" | "colour", value: string): Promise<boolean> {
    return this.log.press(`modify light:${quoted(lamp.name)} ${property} ${value}`);
  }

  /** Move a lamp [m]. */
  place(lamp: LampRow, position: readonly number[]): Promise<boolean> {
    const at = position.map((value) => plain(value / this.scene.units.lengthSize, 4)).join(",");
    return this.log.press(`place light:${quoted(lamp.name)} at ${at}`);
  }

  remove(lamp: LampRow): Promise<boolean> {
    return this.log.press(`remove light:${quoted(lamp.name)} --deep`);
  }
}
