// The draft of an arm that is being built: its table as the server has it, and the commands that change it.
import { Matrix4 } from "three";
import type { DraftRow, DraftTable } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import { type Convention, fromRows, poseText } from "./rigid";
import { plain, quoted } from "./text";

/** A frame that the orientation table offers, with its angles in degrees. */
export interface Turn {
  code: number;
  theta: number;
  alpha: number;
}

export class Drafts {
  names = $state.raw<readonly string[]>([]);
  table = $state.raw<DraftTable>();
  /** The frames of the orientation table. */
  turns = $state.raw<readonly Turn[]>([]);
  chosen = $state("");
  /** The draft that was open and that somebody else removed or finished; "" if there is none. */
  gone = $state("");
  /** Where the base will stand [m]. */
  place = $state.raw<readonly number[]>([0, 0, 0]);

  constructor(
    private connection: Connection,
    private scene: Scene,
    private log: Log,
  ) {}

  /** Ask for the drafts of the cell, and the table of the chosen one. */
  async refresh(): Promise<void> {
    if (this.turns.length === 0) this.turns = turnsOf((await this.connection.call("orientation-table", {})).text);
    const before = this.names;
    const { names } = await this.connection.call("drafts", {});
    this.names = names;
    if (this.chosen && !names.includes(this.chosen)) {
      const was = this.chosen;
      const renamed = await this.renamed(names.filter((name) => !before.includes(name)));
      if (this.chosen === was) {
        this.chosen = renamed;
        this.gone = renamed ? "" : was;
      }
    }
    const wanted = this.chosen;
    const table = wanted ? await this.connection.call("draft-table", { robot: quoted(wanted) }) : undefined;
    if (wanted === this.chosen) this.table = table;
  }

  /** The one among new drafts that has the rows of the chosen one; "" if none has. */
  private async renamed(found: readonly string[]): Promise<string> {
    const rowsOf = (table?: DraftTable) => JSON.stringify([table?.base, table?.rows]);
    for (const name of found) {
      const table = await this.connection.call("draft-table", { robot: quoted(name) });
      if (rowsOf(table) === rowsOf(this.table)) return name;
    }
    return "";
  }

  get complete(): boolean {
    return !!this.table && this.table.faults.length === 0 && this.table.rows.every((row) => row.faults.length === 0);
  }

  /** The frames of the links in the world, at home. */
  get frames(): Matrix4[] {
    const shift = new Matrix4().makeTranslation(this.place[0]!, this.place[1]!, this.place[2]!);
    return (this.table?.frames ?? []).map((rows) => shift.clone().multiply(fromRows(rows)));
  }

  private press(line: string): Promise<boolean> {
    return this.log.press(line);
  }

  private length = (value: number) => plain(value / this.scene.units.lengthSize);
  private angle = (value: number) => plain(value / this.scene.units.angleSize);

  async begin(name: string, joints: number): Promise<void> {
    if (await this.press(`draft robot ${quoted(name)} ${joints}`)) await this.open(name);
  }

  /** Begin a draft with the rows of a finished robot. */
  async again(robot: string, name: string): Promise<void> {
    if (await this.press(`draft copy ${quoted(name)} of ${quoted(robot)}`)) await this.open(name);
  }

  async open(name: string): Promise<void> {
    this.chosen = name;
    this.gone = "";
    this.names = [...new Set([...this.names, name])];
    await this.refresh();
  }

  /** Change a column of a row; the other one of the pair counts as zero if nothing is chosen yet. */
  set(joint: number, column: "theta" | "alpha" | "d" | "a", value: number): Promise<boolean> {
    const row = { ...this.row(joint), [column]: value };
    const name = quoted(this.chosen);
    if (column === "theta" || column === "alpha") return this.press(`draft turn ${name} ${joint} ${this.angle(row.theta ?? 0)} ${this.angle(row.alpha ?? 0)}`);
    return this.press(`draft lengths ${name} ${joint} ${this.length(row.d ?? 0)} ${this.length(row.a ?? 0)}`);
  }

  /** Change a limit; the other one is that of one turn, or of one metre, if nothing is chosen yet. */
  limit(joint: number, end: 0 | 1, value: number): Promise<boolean> {
    const row = this.row(joint);
    const range: [number, number] = row.limits ? [...row.limits] : row.prismatic ? [0, 1] : [-Math.PI, Math.PI];
    range[end] = value;
    return this.range(joint, row.prismatic, range);
  }

  /** Let a joint slide, or turn, with the usual range. */
  slide(joint: number, slides: boolean): Promise<boolean> {
    return this.range(joint, slides, slides ? [0, 0.5] : [-Math.PI, Math.PI]);
  }

  private range(joint: number, slides: boolean, [low, high]: [number, number]): Promise<boolean> {
    const shown = slides ? this.length : this.angle;
    return this.press(`draft ${slides ? "slide" : "limits"} ${quoted(this.chosen)} ${joint} ${shown(low)} ${shown(high)}`);
  }

  private row(joint: number): DraftRow {
    return this.table!.rows[joint - 1]!;
  }

  /** Choose a frame of the orientation table. */
  turn(code: number): Promise<boolean> {
    return this.press(`draft frame ${quoted(this.chosen)} ${code}`);
  }

  assign(link: number, solid: string): Promise<boolean> {
    return this.press(`assign link ${quoted(this.chosen)} ${link} ${solid}`);
  }

  unassign(relation: string): Promise<boolean> {
    return this.press(`detach robot:${quoted(this.chosen)}/${quoted(relation)}`);
  }

  /** Remove the chosen draft. */
  async discard(): Promise<boolean> {
    const { chosen } = this;
    this.chosen = "";
    const done = await this.press(`remove robot:${quoted(chosen)} --deep`);
    if (!done) this.chosen = chosen;
    return done;
  }

  /** Make the robot, in the place of another one if that is given; one step of the history. */
  finish(convention: Convention, instead: string): Promise<boolean> {
    const [base] = this.frames;
    const name = quoted(this.chosen);
    const made = `finish robot ${name} at ${poseText(base!, this.scene.units, convention)}`;
    if (!instead) return this.log.pressAll([made]);
    return this.log.pressAll([made, `replace robot ${quoted(instead)} with robot:${name}`, `remove robot:${name} --deep`]);
  }
}

/** The rows of the orientation table: code, theta, alpha. */
export function turnsOf(text: string): Turn[] {
  return text.split("\n").flatMap((line) => {
    const found = /^\s*(\d+)\s+(-?\d+)\s+(-?\d+)\s*$/.exec(line);
    return found ? [{ code: Number(found[1]), theta: Number(found[2]), alpha: Number(found[3]) }] : [];
  });
}
