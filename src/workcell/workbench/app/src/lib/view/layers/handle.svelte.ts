// A handle on the tool of the robot in hand. Dragging it shows where the arm would be; letting go moves the arm once.
import { untrack } from "svelte";
import type { Matrix4 } from "three";
import type { Bench } from "../../bench.svelte";
import type { Drag } from "../../snapping";
import { Gizmo, type Grip, inWindow } from "../gizmo";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

export class HandleLayer implements Layer {
  readonly kind = "overlay";
  private gizmo: Gizmo;
  private drag: Drag | undefined;

  constructor(
    private bench: Bench,
    stage: Stage,
  ) {
    const { pendant, toolHand } = bench;
    this.gizmo = new Gizmo(stage, {
      begin: (grip) => (this.drag = toolHand.begin(grip.axis)),
      type: (grip, text) => this.type(grip, text),
      drag: (pose, grip) => this.follow(pose, grip),
      letGo: (pose) => void this.letGo(pose),
      cancel: () => toolHand.cancel(),
    });
    this.group.name = "handle";
    $effect(() => {
      if (pendant.dragged) return; // otherwise the robot went or changed
      this.gizmo.cancel();
      untrack(() => toolHand.drop());
    });
    $effect(() => {
      if (pendant.handle !== "off" && pendant.tool && !pendant.locked) return void this.hold(pendant.tool);
      this.gizmo.drop();
      untrack(() => toolHand.drop());
    });
  }

  get group() {
    return this.gizmo.group;
  }

  get grabs(): boolean {
    return this.gizmo.grabs;
  }

  enter(pane: Pane): void {
    this.gizmo.enter(pane);
  }

  private hold(tool: Matrix4): void {
    const { handle, frame } = this.bench.pendant;
    this.gizmo.hold(tool, handle === "turn" ? "rotate" : "translate", frame === "hand" ? "local" : "world");
  }

  private follow(pose: Matrix4, grip: Grip): undefined {
    const { x, y } = inWindow(grip);
    if (this.drag) this.bench.toolHand.follow(this.drag, pose, x, y);
  }

  private async letGo(pose: Matrix4): Promise<void> {
    const { pendant, toolHand } = this.bench;
    const done = await toolHand.letGo(pose);
    if (!done && pendant.tool) this.hold(pendant.tool);
  }

  private type(grip: Grip, text: string): void {
    const { toolHand } = this.bench;
    const { drag } = this;
    if (drag && /^[XYZ]$/.test(grip.axis)) toolHand.open({ drag: { ...drag, axis: grip.axis }, kind: toolHand.kind, text, ...inWindow(grip) });
    else toolHand.cancel();
  }

  dispose(): void {
    this.gizmo.drop();
  }
}
