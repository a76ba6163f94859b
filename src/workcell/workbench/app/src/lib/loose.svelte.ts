// What stands nowhere and is part of nothing: lines of the tree, their shapes, and where the view shows them.
import { AskedRows } from "./asked_rows.svelte";
import type { LooseShapeRow, LooseThing } from "./commands";
import type { Connection } from "./connection.svelte";
import { referenceOf } from "./references";
import type { Log } from "./log.svelte";
import type { Preferences } from "./preferences.svelte";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { plain } from "./text";
import type { TreeNode } from "./tree";
import type { Triple } from "./view/appearance";

const QUIET = 250; // ms after a change

export class Loose extends AskedRows<LooseThing> {
  /** The shapes of those that the view draws: the newest, and the selected one. A row that has not changed is the same object. */
  shapes = $state.raw<readonly LooseShapeRow[]>([]);
  /** How many are not drawn because there are so many. */
  leftOut = $state(0);
  /** Where the view shows them: their origins [m], by their ids. */
  places = $state.raw<ReadonlyMap<string, Triple>>(new Map());
  /** The digests of the last answers: what has not changed is not sent again. */
  private listed = "";
  private drawn = "";

  constructor(
    connection: Connection,
    scene: Scene,
    log: Log,
    private selection: Selection,
    private preferences: Preferences,
  ) {
    super(connection, scene, log, QUIET);
  }

  protected async fetch(): Promise<readonly LooseThing[]> {
    const answer = await this.connection.call("loose", unless(this.listed));
    const things = answer.digest === this.listed ? this.list : answer.things;
    this.listed = answer.digest;
    this.scene.showLoose(things, this.note);
    this.selection.look();
    await this.look(things).catch(() => undefined); // what is selected went meanwhile; the next picture asks again
    this.scene.showLoose(things, this.note);
    return things;
  }

  /** Ask for the shapes of what is drawn. */
  private async look(things: readonly LooseThing[]): Promise<void> {
    if (!this.preferences.view.loose || things.length === 0) return void this.draw([], 0, "");
    const chosen = this.selection.node;
    const also = chosen && things.some(({ id }) => id === chosen.id) ? { thing: referenceOf(this.scene, chosen) } : {};
    const { shapes, left_out: leftOut, digest } = await this.connection.call("loose-shapes", { ...also, ...unless(this.drawn) });
    this.draw(digest === this.drawn ? this.shapes : shapes, leftOut, digest);
  }

  private draw(rows: readonly LooseShapeRow[], leftOut: number, digest: string): void {
    const known = new Map(this.shapes.map((row) => [row.id, row]));
    const next = rows.map((row) => (JSON.stringify(known.get(row.id)) === JSON.stringify(row) ? known.get(row.id)! : row));
    if (next.length !== this.shapes.length || next.some((row, i) => row !== this.shapes[i])) this.shapes = next;
    [this.leftOut, this.drawn] = [leftOut, digest];
  }

  /** What the tree notes on their group. */
  private get note(): string {
    return this.leftOut > 0 ? `newest ${this.shapes.length} drawn` : "";
  }

  /** The shape of a line of the tree; undefined if it is not drawn. */
  shapeOf({ id }: TreeNode): LooseShapeRow | undefined {
    return this.shapes.find((row) => row.id === id);
  }

  /** Whether a command puts it into the scene. */
  placeable(node: TreeNode): boolean {
    return this.shapeOf(node)?.placeable ?? (node.note === "block" || node.note === "object");
  }

  /** Put a thing into the scene: where the view shows it, else at the origin. It is selected then. */
  async place(node: TreeNode): Promise<boolean> {
    const at = this.places.get(node.id) ?? [0, 0, 0];
    const { lengthSize } = this.scene.units;
    const done = await this.log.press(`place ${referenceOf(this.scene, node)} at ${at.map((value) => plain(value / lengthSize)).join(",")}`);
    if (done) this.follow(node);
    return done;
  }

  /** Select what a thing became when it was placed, and draw it beside the cell no more. */
  follow({ id, note, name }: TreeNode): void {
    this.draw(this.shapes.filter((row) => row.id !== id), this.leftOut, "");
    this.selection.selectWhenThere([note === "robot" || note === "mechanism" ? "robot" : "object", name]);
  }
}

const unless = (known: string) => (known ? { known } : {});
