// The section of the pane in use: the outline of its plane, and an arrow that moves it.
import { type Box3, BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineLoop, Object3D, Vector3 } from "three";
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Bench } from "../../bench.svelte";
import type { Theme } from "../../themes";
import type { Section } from "../appearance";
import { cornersOf } from "../fitting";
import { handleIn } from "../handle";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

const UP = new Vector3(0, 0, 1);
const ROOM = 1.06; // of the size of the cell

export class SectionLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private held = new Object3D();
  private outline = new LineLoop(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
  private controls: TransformControls | undefined;
  private pane: Pane | undefined;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "section";
    this.outline.frustumCulled = false;
    this.held.add(this.outline);
    this.group.add(this.held);
    $effect(() => {
      void [bench.shapes.here, bench.panes.count];
      const { section } = bench.panes.now;
      if (section) this.hold({ normal: [...section.normal], at: section.at }, stage.panes[bench.panes.used] ?? stage.panes[0]);
      else this.drop();
      stage.changed();
    });
  }

  private hold({ normal, at }: Section, pane: Pane | undefined): void {
    if (pane && pane !== this.pane) this.bench.attempt("Arrow not loaded", () => this.take(pane));
    if (this.controls?.dragging) return;
    const towards = new Vector3(...normal).normalize();
    const box = this.stage.box();
    const middle = box.isEmpty() ? new Vector3() : box.getCenter(new Vector3());
    this.held.quaternion.setFromUnitVectors(UP, towards);
    this.held.position.copy(middle).addScaledVector(towards, at - middle.dot(towards));
    this.held.updateMatrixWorld(true);
    this.draw(box);
  }

  /** Draw the rectangle around the cell in the plane. */
  private draw(box: Box3): void {
    const flat = cornersOf(box).map((corner) => this.held.worldToLocal(corner));
    const [x, y] = (["x", "y"] as const).map((axis) => ROOM * Math.max(0.1, ...flat.map((corner) => Math.abs(corner[axis]))));
    const points = [-x!, -y!, 0, x!, -y!, 0, x!, y!, 0, -x!, y!, 0];
    this.outline.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
  }

  private async take(pane: Pane): Promise<void> {
    this.drop();
    this.pane = pane;
    const controls = await handleIn(pane, 0.8).catch((error: unknown) => {
      this.pane = undefined; // to be tried again
      throw error;
    });
    if (this.pane !== pane || this.controls) return void controls.dispose();
    controls.space = "local";
    controls.showX = controls.showY = false;
    controls.attach(this.held);
    controls.addEventListener("change", () => this.stage.changed());
    controls.addEventListener("dragging-changed", ({ value }) => (pane.steered = !value));
    controls.addEventListener("objectChange", () => this.follow());
    this.group.add(controls.getHelper());
    this.controls = controls;
    this.stage.changed();
  }

  /** The arrow was dragged: cut there. */
  private follow(): void {
    const { section } = this.bench.panes.now;
    if (section) section.at = this.held.position.dot(new Vector3(...section.normal).normalize());
  }

  private drop(): void {
    if (this.pane) this.pane.steered = true;
    this.controls?.getHelper().removeFromParent();
    this.controls?.detach();
    this.controls?.dispose();
    this.controls = this.pane = undefined;
  }

  frame(): boolean {
    if (this.controls && this.pane) this.controls.camera = this.pane.camera;
    return false;
  }

  appear(pane: Pane): void {
    this.group.visible = pane === this.pane;
  }

  theme(theme: Theme): void {
    this.outline.material.color.set(theme.accent);
  }

  dispose(): void {
    this.drop();
    this.outline.geometry.dispose();
    this.outline.material.dispose();
  }
}
