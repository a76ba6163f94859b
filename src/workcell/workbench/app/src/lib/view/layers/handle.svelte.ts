// A handle on the tool of the robot in hand. Dragging it shows where the arm would be; letting go moves the arm once.
import { Group, type Matrix4, Object3D } from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Bench } from "../../bench.svelte";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

export class HandleLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private held = new Object3D();
  private controls: TransformControls | undefined;
  private pane: Pane | undefined;
  private asking = false;
  private wanted: Matrix4 | undefined;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    const { pendant } = bench;
    this.group.add(this.held);
    $effect(() => {
      const { handle, tool } = pendant;
      if (handle === "off" || !tool) this.drop();
      else this.hold(tool, handle === "turn" ? "rotate" : "translate");
      stage.changed();
    });
    $effect(() => {
      if (this.controls) this.controls.space = pendant.frame === "hand" ? "local" : "world";
      stage.changed();
    });
  }

  private hold(tool: Matrix4, mode: "translate" | "rotate"): void {
    if (!this.controls) this.make();
    if (!this.controls || this.controls.dragging) return;
    tool.decompose(this.held.position, this.held.quaternion, this.held.scale);
    this.controls.setMode(mode);
  }

  private make(): void {
    const pane = this.stage.panes[0];
    if (!pane) return;
    const controls = new TransformControls(pane.camera, pane.element);
    controls.size = 0.7;
    controls.space = this.bench.pendant.frame === "hand" ? "local" : "world";
    controls.attach(this.held);
    controls.addEventListener("change", () => this.stage.changed());
    controls.addEventListener("dragging-changed", ({ value }) => {
      pane.steered = !value;
    });
    controls.addEventListener("objectChange", () => this.follow());
    controls.addEventListener("mouseUp", () => void this.letGo());
    this.group.add(controls.getHelper());
    pane.element.addEventListener("keydown", this.cancel);
    this.controls = controls;
    this.pane = pane;
  }

  private cancel = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.controls?.dragging) return;
    this.controls.reset();
    this.wanted = undefined;
    this.bench.ghost.clear();
    event.stopPropagation();
  };

  /** Show the arm where the handle is; one question at a time. */
  private follow(): void {
    this.held.updateMatrix();
    this.wanted = this.held.matrix.clone();
    if (!this.asking) void this.ask();
  }

  private async ask(): Promise<void> {
    const { pendant, ghost } = this.bench;
    this.asking = true;
    while (this.wanted && this.controls?.dragging) {
      const pose = this.wanted;
      this.wanted = undefined;
      const way = await pendant.nearest(pose);
      if (!this.controls?.dragging) break;
      if (way) pendant.preview(way.joints, pendant.problem(way));
      else ghost.fail(pendant.reason);
    }
    this.asking = false;
  }

  private async letGo(): Promise<void> {
    const { pendant } = this.bench;
    this.held.updateMatrix();
    const done = await pendant.bring(this.held.matrix.clone());
    if (!done && pendant.tool) pendant.tool.decompose(this.held.position, this.held.quaternion, this.held.scale);
    this.stage.changed();
  }

  private drop(): void {
    if (!this.controls) return;
    this.pane?.element.removeEventListener("keydown", this.cancel);
    this.controls.getHelper().removeFromParent();
    this.controls.detach();
    this.controls.dispose();
    this.controls = undefined;
    if (this.pane) this.pane.steered = true;
  }

  dispose(): void {
    this.drop();
  }
}
