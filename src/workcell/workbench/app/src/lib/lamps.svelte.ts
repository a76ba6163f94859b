// The lamps of the cell, which light the view as they light `render`.
import { Matrix4, type Vector3 } from "three";
import { AskedRows } from "./asked_rows.svelte";
import type { LampRow } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";
import type { Triple } from "./view/appearance";
import type { Grip, Workshop } from "./workshop.svelte";

const QUIET = 150; // ms after a change
const AIM = "aim of ";

export class Lamps extends AskedRows<LampRow> {
  /** The point that a lamp shines at while it is dragged [m], and the name of the lamp. */
  dragged = $state.raw<{ name: string; aim: Triple }>();
  /** The grip on such a point, and the name of its lamp. */
  private held: { name: string; grip: Grip } | undefined;

  constructor(
    connection: Connection,
    scene: Scene,
    log: Log,
    private workshop: Workshop,
  ) {
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
    const at = position.map((value) => plain(value / this.scene.units.lengthSize)).join(",");
    return this.log.press(`place light:${quoted(lamp.name)} at ${at}`);
  }

  /** Let a lamp shine at a point [m], or at the middle of the cell. */
  async aim({ name }: LampRow, at: Triple | undefined): Promise<boolean> {
    const lamp = `light:${quoted(name)}`;
    const lengths = at?.map((value) => plain(value / this.scene.units.lengthSize, 4)).join(",");
    const done = await this.log.press(lengths ? `modify ${lamp} aim ${lengths}` : `drop property aim from ${lamp}`);
    // The next value is typed before the lamps were asked for again.
    if (done) this.list = this.list.map((one) => (one.name === name ? { ...one, aim: at ?? null } : one));
    return done;
  }

  /** How a hit in the view names the point that a lamp shines at. */
  static hit({ name }: LampRow): string {
    return AIM + name;
  }

  /** Put the grip on the point that was hit [m]; returns whether a lamp shines at it. */
  take(hit: string, at: Vector3): boolean {
    const lamp = hit.startsWith(AIM) && this.list.find(({ name }) => name === hit.slice(AIM.length));
    if (lamp) this.hold(lamp, at.toArray());
    return lamp !== false;
  }

  private hold(lamp: LampRow, at: Triple): void {
    const { name } = lamp;
    const grip: Grip = {
      pose: new Matrix4().makeTranslation(...at),
      axes: "xyz",
      moved: (to) => (this.dragged = { name, aim: to.toArray() }),
      done: (to) => void this.aim(lamp, to.toArray()).then((done) => done || (this.dragged = undefined)),
      cancelled: () => (this.dragged = undefined),
    };
    this.held = { name, grip };
    this.workshop.grip = grip;
  }

  /** The lamps have changed, or others are selected: the grip follows, or goes. */
  settle(selected: (name: string) => boolean): void {
    this.dragged = undefined;
    const { held } = this;
    if (!held) return;
    const lamp = this.list.find(({ name }) => name === held.name);
    if (lamp && !lamp.ambient && lamp.aim && selected(lamp.name)) return void this.hold(lamp, lamp.aim);
    this.held = undefined;
    if (this.workshop.grip === held.grip) this.workshop.grip = undefined;
  }

  remove(lamp: LampRow): Promise<boolean> {
    return this.log.press(`remove light:${quoted(lamp.name)} --deep`);
  }
}
