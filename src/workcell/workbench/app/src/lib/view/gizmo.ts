// A handle in the view that is dragged along or about axes. It follows the pane under the pointer.
import { Group, type Matrix4, Object3D } from "three";
import type { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import { handleIn } from "./handle";
import type { Pane } from "./pane";
import type { Stage } from "./stage";

export type GizmoMode = "translate" | "rotate";
export type GizmoSpace = "world" | "local";

/** How the handle is held: the axes (`X`, `XY`, `XYZ`, `E` …), and where the pointer is in the pane [pixels]. */
export interface Grip {
  axis: string;
  pane: Pane;
  x: number;
  y: number;
  /** Whether the key that turns snapping off is down. */
  free: boolean;
}

export interface Grasping {
  begin?(grip: Grip): void;
  /** The handle was dragged to a pose; the answer is the pose that it takes instead. */
  drag(pose: Matrix4, grip: Grip): Matrix4 | undefined;
  /** The handle was let go at a pose. */
  letGo(pose: Matrix4, grip: Grip): void;
  /** A value is to be typed: the handle was pressed and let go without a drag, or a digit was typed during the drag. */
  type(grip: Grip, text: string): void;
  /** The drag was taken back. */
  cancel(): void;
}

const SIZE = 1;
const FINGER = 1.5; // the size where the pointer is a finger
const STILL = 3; // pixels that a click may wander

export class Gizmo {
  readonly group = new Group();
  private held = new Object3D();
  private controls: TransformControls | undefined;
  /** How the handle is to be held as soon as its controls are here. */
  private wanted: [pose: Matrix4, mode: GizmoMode, space: GizmoSpace] | undefined;
  private pane: Pane | undefined;
  private grip: Grip | undefined;
  private pressed = { x: 0, y: 0, moved: false };

  constructor(
    private stage: Stage,
    private hand: Grasping,
  ) {
    this.group.add(this.held);
  }

  get dragging(): boolean {
    return this.controls?.dragging ?? false;
  }

  /** Whether the pointer is on the handle. */
  get grabs(): boolean {
    return this.controls !== undefined && (this.controls.axis !== null || this.controls.dragging);
  }

  /** Show the handle at a pose; a handle that is being dragged stays in the hand. */
  hold(pose: Matrix4, mode: GizmoMode, space: GizmoSpace): void {
    if (this.pane && !this.stage.panes.includes(this.pane)) this.drop();
    this.wanted = [pose, mode, space];
    if (!this.controls) this.stage.bench.attempt("Handle not loaded", () => this.make());
    if (!this.controls || this.controls.dragging) return;
    this.set(pose);
    this.controls.setMode(mode);
    this.controls.space = space;
    this.stage.changed();
  }

  /** The pointer went to another pane: the handle is used there. */
  enter(pane: Pane): void {
    if (!this.controls || this.pane === pane || this.dragging) return;
    this.leave();
    this.controls.camera = pane.camera;
    this.controls.disconnect();
    this.controls.connect(pane.element);
    this.join(pane);
    this.stage.changed();
  }

  private set(pose: Matrix4): void {
    pose.decompose(this.held.position, this.held.quaternion, this.held.scale);
    this.held.updateMatrix();
  }

  private async make(): Promise<void> {
    const pane = this.stage.panes[0];
    const controls = pane && (await handleIn(pane, matchMedia("(pointer: coarse)").matches ? FINGER : SIZE));
    if (!controls || !this.wanted || this.controls || !this.stage.panes.includes(pane)) return void controls?.dispose();
    controls.attach(this.held);
    controls.addEventListener("change", () => this.stage.changed());
    controls.addEventListener("dragging-changed", ({ value }) => {
      if (this.pane) this.pane.steered = !value;
      if (value) this.begin();
      else removeEventListener("keydown", this.key, true);
    });
    controls.addEventListener("objectChange", () => this.follow());
    controls.addEventListener("mouseUp", () => this.letGo());
    this.group.add(controls.getHelper());
    this.controls = controls;
    this.join(pane);
    this.hold(...this.wanted);
  }

  private join(pane: Pane): void {
    this.pane = pane;
    pane.element.addEventListener("pointerdown", this.note, true);
    pane.element.addEventListener("pointermove", this.note, true);
  }

  private leave(): void {
    this.pane?.element.removeEventListener("pointerdown", this.note, true);
    this.pane?.element.removeEventListener("pointermove", this.note, true);
    if (this.pane) this.pane.steered = true;
    this.pane = undefined;
  }

  /** Note where the pointer is, before the handle hears of it. */
  private note = ({ type, offsetX: x, offsetY: y, ctrlKey, metaKey }: PointerEvent): void => {
    if (type === "pointerdown") this.pressed = { x, y, moved: false };
    if (Math.hypot(x - this.pressed.x, y - this.pressed.y) > STILL) this.pressed.moved = true;
    this.grip = { axis: this.grip?.axis ?? "", pane: this.pane!, x, y, free: ctrlKey || metaKey };
  };

  private begin(): void {
    addEventListener("keydown", this.key, true);
    const grip = this.now();
    if (grip) this.hand.begin?.(grip);
  }

  private now(): Grip | undefined {
    return this.grip && { ...this.grip, axis: this.controls?.axis ?? "" };
  }

  private follow(): void {
    const grip = this.now();
    if (!grip || !this.pressed.moved) return;
    this.held.updateMatrix();
    const instead = this.hand.drag(this.held.matrix.clone(), grip);
    if (instead) this.set(instead);
  }

  private letGo(): void {
    const grip = this.now();
    if (!grip) return;
    this.held.updateMatrix();
    if (this.pressed.moved) this.hand.letGo(this.held.matrix.clone(), grip);
    else this.hand.type(grip, "");
  }

  private key = (event: KeyboardEvent): void => {
    const grip = this.now();
    if (!this.dragging || !grip) return;
    const typed = typedIn(event, grip);
    if (!typed && event.key !== "Escape") return;
    this.cancel();
    if (typed) this.hand.type(grip, event.key);
    event.stopPropagation();
    event.preventDefault();
  };

  /** Take the drag back; the pointer may still be down. */
  cancel(): void {
    if (!this.controls?.dragging) return;
    this.controls.reset();
    this.controls.dragging = false;
    this.controls.axis = null;
    this.hand.cancel();
    this.stage.changed();
  }

  drop(): void {
    this.wanted = undefined;
    if (!this.controls) return;
    if (this.dragging) this.cancel();
    this.leave();
    this.controls.getHelper().removeFromParent();
    this.controls.detach();
    this.controls.dispose();
    this.controls = undefined;
    this.stage.changed();
  }
}

/** Where the pointer of a grip is in the window [pixels]. */
export function inWindow({ pane, x, y }: Grip): { x: number; y: number } {
  const { left, top } = pane.element.getBoundingClientRect();
  return { x: left + x, y: top + y };
}

/** Whether a key that is pressed during a drag along or about one axis begins a value that is typed. */
function typedIn({ key, ctrlKey, metaKey }: KeyboardEvent, { axis }: Grip): boolean {
  return /^[-.,0-9]$/.test(key) && !ctrlKey && !metaKey && /^[XYZ]$/.test(axis);
}
