// A handle on the tool of the robot in hand. Dragging it shows where the arm would be; letting go moves the arm once.
import type { Matrix4 } from "three";
import type { Bench } from "../../bench.svelte";
import { toMicrometres } from "../../snapping";
import { Gizmo } from "../gizmo";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

export class HandleLayer implements Layer {
  readonly kind = "overlay";
  private gizmo: Gizmo;
  private asking = false;
  private wanted: Matrix4 | undefined;

  constructor(
    private bench: Bench,
    stage: Stage,
  ) {
    const { pendant } = bench;
    this.gizmo = new Gizmo(stage, {
      begin: () => pendant.grasp(),
      click: () => pendant.letLoose(),
      drag: (pose) => this.follow(pose),
      letGo: (pose) => void this.letGo(pose),
      cancel: () => {
        this.wanted = undefined;
        pendant.letLoose();
      },
    });
    $effect(() => {
      if (!pendant.dragged) this.gizmo.cancel(); // the robot went or changed
    });
    $effect(() => {
      if (pendant.handle === "off" || !pendant.tool || pendant.locked) this.gizmo.drop();
      else this.hold(pendant.tool);
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

  /** Show the arm where the handle is; one question at a time. */
  private follow(pose: Matrix4): undefined {
    this.wanted = pose;
    if (!this.asking) void this.ask();
  }

  private async ask(): Promise<void> {
    const { pendant, ghost } = this.bench;
    this.asking = true;
    while (this.wanted && this.gizmo.dragging) {
      const pose = this.wanted;
      this.wanted = undefined;
      const way = await pendant.nearest(pose);
      if (!this.gizmo.dragging) break;
      if (way) pendant.preview(way.joints, pendant.problem(way));
      else ghost.fail(pendant.reason);
    }
    this.asking = false;
  }

  private async letGo(pose: Matrix4): Promise<void> {
    const { pendant } = this.bench;
    const done = pendant.release() && (await pendant.bring(pendant.tool ? toMicrometres(pose, pendant.tool) : pose));
    if (!done && pendant.tool) this.hold(pendant.tool);
  }

  dispose(): void {
    this.gizmo.drop();
  }
}
