// The lamps of the cell, which light the view as they light `render`.
import { AskedRows } from "./asked_rows.svelte";
import type { LampRow } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";

const QUIET = 150; // ms after a change

export class Lamps extends AskedRows<LampRow> {
  constructor(connection: Connection, scene: Scene, log: Log) {
    super(connection, scene, log, QUIET);
  }

  protected fetch(): Promise<readonly LampRow[]> {
    return this.connection.call("lamps", {}).then(({ lamps }) => lamps);
  }

  /** Add a lamp above and before everything, at the right. */
  async add(): Promise<void> {
    const taken = new Set(this.list.map((lamp) => lamp.name));
    let number = 1;
    while (taken.has(`lamp${number}`)) number += 1;
    const far = (metres: number) => plain(metres / this.scene.units.lengthSize);
    await this.log.pressAll([`create light lamp${number}`, `place light lamp${number} at ${far(2)},${far(-3)},${far(4)}`]);
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
