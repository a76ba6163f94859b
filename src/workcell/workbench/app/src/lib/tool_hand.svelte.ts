// The hand on the tool of the robot that the pendant moves: the arm as it would be, the value of the drag or the typed one, and its motion.
import type { Matrix4 } from "three";
import type { Ghost } from "./ghost.svelte";
import type { Pendant } from "./pendant.svelte";
import type { Scene } from "./scene.svelte";
import { type Drag, toMicrometres } from "./snapping";
import { describe, labelOf, posed, TypedHand, type TypedMotion, unitOf } from "./typed_hand.svelte";

export class ToolHand extends TypedHand<TypedMotion> {
  private asking = false;
  private wanted: Matrix4 | undefined;

  constructor(
    private pendant: Pendant,
    private ghost: Ghost,
    private scene: Scene,
  ) {
    super();
  }

  get unit(): string {
    return unitOf(this.typed, this.scene.units);
  }

  get label(): string {
    return labelOf(this.typed);
  }

  get kind(): "move" | "turn" {
    return this.pendant.handle === "turn" ? "turn" : "move";
  }

  /** A drag begins: by its axes, it changes the tool as it is. */
  begin(axis: string): Drag | undefined {
    const { tool, frame } = this.pendant;
    this.pendant.grasp();
    return tool && { start: tool.clone(), axis, own: frame === "hand", flats: [], extent: () => [0, 0] };
  }

  /** The tool is dragged to a pose; the pointer is at a place of the window [pixels]. */
  follow(drag: Drag, pose: Matrix4, x: number, y: number): void {
    this.readout = { text: describe(drag, this.kind, pose, this.scene.units), x, y };
    this.show(pose);
  }

  /** Show the arm with the tool at a pose; one question at a time. */
  private show(pose: Matrix4): void {
    this.wanted = pose;
    if (!this.asking) void this.ask();
  }

  private async ask(): Promise<void> {
    this.asking = true;
    while (this.wanted) {
      const pose = this.wanted;
      this.wanted = undefined;
      const way = await this.pendant.nearest(pose);
      if (!this.pendant.dragged) break;
      if (way) this.pendant.preview(way.joints, this.pendant.problem(way));
      else this.ghost.fail(this.pendant.reason);
    }
    this.asking = false;
  }

  /** Move the tool to a pose, if its robot is still the one that was dragged. */
  async letGo(pose: Matrix4): Promise<boolean> {
    super.cancel();
    this.wanted = undefined;
    const { tool } = this.pendant;
    return this.pendant.release() && this.pendant.bring(tool && this.kind === "move" ? toMicrometres(pose, tool) : pose);
  }

  override cancel(): void {
    super.cancel();
    this.wanted = undefined;
    this.pendant.letLoose();
  }

  /** Take back what is shown, if it is of this hand. */
  drop(): void {
    if (this.typed || this.readout) this.cancel();
  }

  override open(typed: TypedMotion): void {
    super.open(typed);
    this.pendant.grasp();
  }

  protected showTyped(value: number): void {
    const { tool } = this.pendant;
    if (tool && this.typed) this.show(posed(this.typed, tool, value, this.scene.units));
  }

  protected wrong(): string {
    return "";
  }

  protected put(typed: TypedMotion, value: number): Promise<boolean> {
    const { tool } = this.pendant;
    if (tool && value !== 0) return this.letGo(posed(typed, tool, value, this.scene.units));
    this.cancel();
    return Promise.resolve(false);
  }
}
