// Curves and patches: their control points as the server has them, the chosen one, and the commands that change them.
import { Matrix4, type Vector3 } from "three";
import type { Net } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { type Form, type Triple, withControl } from "./nurbs";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { plain, quoted } from "./text";
import type { TreeNode } from "./tree";
import type { Workshop } from "./workshop.svelte";

const QUIET = 80; // ms after a change
const POINT = "control ";
const MOST = 60; // forms that are drawn

export class Forms {
  /** The curves and patches by the id of their line in the tree. */
  nets = $state.raw<ReadonlyMap<string, Net>>(new Map());
  /** The selected form while a control point of it is dragged. */
  dragged = $state.raw<Net>();
  /** The chosen control point of the selected form: row and column from 0. */
  chosen = $state.raw<{ row: number; column: number }>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private connection: Connection,
    private scene: Scene,
    private selection: Selection,
    private log: Log,
    private workshop: Workshop,
  ) {
    scene.watch(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.refresh(), QUIET);
    });
  }

  private async refresh(): Promise<void> {
    const nodes = [...this.scene.picture.nodes.values()].filter((node) => node.kind === "curve" || node.kind === "surface");
    if (nodes.length + this.nets.size === 0 || this.connection.link !== "open") return;
    const nets = new Map<string, Net>();
    for (const node of nodes.slice(0, MOST)) {
      try {
        nets.set(node.id, await this.connection.call("control-points", { thing: `${node.kind}:${quoted(node.name)}` }));
      } catch {
        // it went meanwhile; the next picture asks again
      }
    }
    this.nets = nets;
    this.dragged = undefined;
    if (this.chosen) this.choose(this.chosen.row, this.chosen.column);
  }

  /** The selected curve or patch. */
  get node(): TreeNode | undefined {
    const { node } = this.selection;
    return node?.kind === "curve" || node?.kind === "surface" ? node : undefined;
  }

  /** The selected form, as it is shown. */
  get net(): Net | undefined {
    return this.node && (this.dragged ?? this.nets.get(this.node.id));
  }

  /** Choose a control point of the selected form, and put the grip on it. */
  choose(row: number, column: number): void {
    const net = this.node && this.nets.get(this.node.id);
    const at = net?.control[row]?.[column];
    if (!at) {
      this.leave();
      return;
    }
    this.chosen = { row, column };
    this.workshop.grip = {
      pose: new Matrix4().makeTranslation(...at),
      axes: "xyz",
      moved: (to: Vector3) => (this.dragged = withControl<Form & Net>(net, row, column, to.toArray())),
      done: (to: Vector3) => void this.move(to.toArray()),
      cancelled: () => (this.dragged = undefined),
    };
  }

  /** How a hit in the view names a control point. */
  static hit(row: number, column: number): string {
    return `${POINT}${row} ${column}`;
  }

  /** Choose the control point that was hit; returns whether it was one. */
  take(hit: string): boolean {
    if (!hit.startsWith(POINT)) return false;
    const [row, column] = hit.slice(POINT.length).split(" ").map(Number);
    this.choose(row!, column!);
    return true;
  }

  /** Choose no control point. */
  leave(): void {
    this.chosen = this.dragged = undefined;
    if (!this.workshop.tool) this.workshop.grip = undefined;
  }

  private reshape(words: string): Promise<boolean> {
    const { node, chosen } = this;
    if (!node || !chosen) return Promise.resolve(false);
    const number = node.kind === "curve" ? chosen.column + 1 : `${chosen.row + 1} ${chosen.column + 1}`;
    return this.log.press(`reshape ${node.kind === "curve" ? "curve" : "patch"} ${quoted(node.name)} ${number} ${words}`);
  }

  /** Move the chosen control point [m]. */
  async move(to: Triple): Promise<void> {
    const { lengthSize } = this.scene.units;
    if (!(await this.reshape(`to ${to.map((value) => plain(value / lengthSize)).join(",")}`))) this.dragged = undefined;
  }

  weigh(weight: number): Promise<boolean> {
    return this.reshape(`weight ${plain(weight)}`);
  }

  /** Insert a knot in the middle of the parameters, raise the degree, subdivide, or reverse the selected form. */
  refine(how: "insert knot" | "elevate degree" | "subdivide" | "reverse curve"): Promise<boolean> {
    const { node, net } = this;
    if (!node || !net) return Promise.resolve(false);
    const name = quoted(node.name);
    if (how !== "insert knot") return this.log.press(`${how} ${name}`);
    const lines = net.knots.map((knots, i) => `insert knot ${name} ${plain((knots[0]! + knots.at(-1)!) / 2)}${net.knots.length > 1 ? ` along ${"uv"[i]}` : ""}`);
    return this.log.pressAll(lines);
  }
}
