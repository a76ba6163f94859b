// What a tool of the workshop shows in the view, and its grip: an arrow or a cross of arrows that is dragged.
import { Box3, Group, type Material, type Mesh, type Object3D, Object3D as Held, Vector3 } from "three";
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Bench } from "../../bench.svelte";
import type { Grip } from "../../workshop.svelte";
import { handleIn } from "../handle";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

export class WorkshopLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private shown: Object3D | undefined;
  private held = new Held();
  /** Where the grip was when it was taken. */
  private begun = new Vector3();
  private controls: TransformControls | undefined;
  private pane: Pane | undefined;
  private grip: Grip | undefined;

  constructor(
    bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "workshop";
    this.group.add(this.held);
    $effect(() => {
      this.show(bench.workshop.preview);
      stage.changed();
    });
    $effect(() => {
      const { grip } = bench.workshop;
      this.grip = grip;
      if (grip) this.hold(grip);
      else this.drop();
      stage.changed();
    });
  }

  private show(preview: Object3D | undefined): void {
    if (this.shown) {
      this.group.remove(this.shown);
      free(this.shown);
    }
    const first = preview && !this.shown;
    this.shown = preview;
    if (preview) this.group.add(preview);
    if (first) this.reveal();
  }

  box(): Box3 {
    return this.shown ? new Box3().setFromObject(this.shown) : new Box3();
  }

  /** If the view does not see what is shown, let it show that and everything else. */
  private reveal(): void {
    const [pane] = this.stage.panes;
    const box = this.box();
    if (pane && !box.isEmpty() && !pane.sees(box)) pane.fit(this.stage.corners());
  }

  private hold(grip: Grip): void {
    if (!this.controls) this.stage.bench.attempt("Handle not loaded", () => this.make());
    if (!this.controls || this.controls.dragging) return;
    grip.pose.decompose(this.held.position, this.held.quaternion, this.held.scale);
    this.begun.copy(this.held.position);
    this.controls.space = "local";
    this.controls.showX = this.controls.showY = grip.axes === "xyz";
  }

  private async make(): Promise<void> {
    const pane = this.stage.panes[0];
    const controls = pane && (await handleIn(pane, 0.6));
    if (!controls || !this.grip || this.controls || !this.stage.panes.includes(pane)) return void controls?.dispose();
    controls.attach(this.held);
    controls.addEventListener("change", () => this.stage.changed());
    controls.addEventListener("dragging-changed", ({ value }) => (pane.steered = !value));
    controls.addEventListener("objectChange", () => this.grip?.moved(this.held.position.clone()));
    controls.addEventListener("mouseUp", () => {
      if (!this.held.position.equals(this.begun)) this.grip?.done(this.held.position.clone());
    });
    this.group.add(controls.getHelper());
    pane.element.addEventListener("keydown", this.cancel);
    this.controls = controls;
    this.pane = pane;
    this.hold(this.grip);
    this.stage.changed();
  }

  private cancel = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !this.controls?.dragging) return;
    this.controls.reset();
    this.controls.dragging = false;
    this.controls.axis = null; // letting go does nothing now
    this.grip?.cancelled();
    event.stopPropagation();
  };

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
    this.show(undefined);
  }
}

/** Free what an object keeps on the graphics card. */
function free(object: Object3D): void {
  object.traverse((one) => {
    const { geometry, material } = one as Partial<Mesh>;
    geometry?.dispose();
    for (const each of material ? [material].flat<(Material | Material[])[]>() : []) each.dispose();
  });
}
