// Grips on the faces of the selected box, cylinder or sphere. Dragging one changes a size; letting go is one command.
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Matrix4, Points, Ray, SphereGeometry, Vector2, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { gripsOf, reachOf, type Resized, type Sized, type SizeGrip } from "../../sizing.svelte";
import { rounded } from "../../snapping";
import type { Theme } from "../../themes";
import { dotMaterial } from "../dots";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";

const SIZE = matchMedia("(pointer: coarse)").matches ? 20 : 15; // pixels
const STILL = 3; // pixels that a click may wander

interface Drag {
  grip: SizeGrip;
  /** The size at the beginning, and where the pointer was along the axis then [m]. */
  size: number;
  along: number;
  /** The axis in the world, and a point of it. */
  axis: Ray;
  from: Vector2;
  moved: boolean;
}

export class SizeLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private points = new Points(new BufferGeometry(), dotMaterial({ size: SIZE }));
  private edges = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  private grips: { grip: SizeGrip; at: Vector3 }[] = [];
  private pane: Pane | undefined;
  private near: number | undefined;
  private drag: Drag | undefined;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    const { sizing, selection, scene, time, connection } = bench;
    this.group.name = "sizes";
    this.group.add(this.edges, this.points);
    for (const one of this.group.children) {
      one.frustumCulled = false;
      one.renderOrder = 20;
    }
    this.edges.matrixAutoUpdate = false;
    $effect(() => {
      void [selection.ids, scene.seen, sizing.on, time.live, connection.link];
      const soon = setTimeout(() => void sizing.refresh(), 30);
      return () => clearTimeout(soon);
    });
    $effect(() => {
      const { held, shown } = sizing;
      this.draw(sizing.on ? held : undefined, shown);
      stage.changed();
    });
  }

  /** Where the grips are in the world [m], in the order of the grips of the shape. */
  get places(): number[][] {
    return this.grips.map(({ at }) => at.toArray());
  }

  private draw(held: Sized | undefined, shown: Resized | undefined): void {
    this.group.visible = held !== undefined;
    this.grips = [];
    if (!held) return void this.leave();
    if (!this.pane && this.stage.panes[0]) this.join(this.stage.panes[0]);
    const sizes = shown?.sizes ?? held.sizes;
    const middle = held.pose.clone().multiply(new Matrix4().makeTranslation(shown?.shift ?? new Vector3()));
    this.grips = gripsOf(held.shape).map((grip) => ({ grip, at: grip.outward.clone().multiplyScalar(reachOf(grip, sizes)).applyMatrix4(middle) }));
    this.points.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(this.grips.flatMap(({ at }) => at.toArray())), 3));
    this.edges.visible = shown !== undefined;
    this.edges.geometry.dispose();
    this.edges.geometry = edgesOf(held.shape, sizes);
    this.edges.matrix.copy(middle);
    this.edges.matrixWorldNeedsUpdate = true;
  }

  get grabs(): boolean {
    return this.drag !== undefined || this.near !== undefined;
  }

  enter(pane: Pane): void {
    if (this.pane && this.pane !== pane && !this.drag) this.join(pane);
  }

  private join(pane: Pane): void {
    this.leave();
    this.pane = pane;
    pane.element.addEventListener("pointermove", this.move, true);
    pane.element.addEventListener("pointerdown", this.press, true);
    pane.element.addEventListener("pointerup", this.release, true);
  }

  private leave(): void {
    this.end();
    this.near = undefined;
    this.pane?.element.removeEventListener("pointermove", this.move, true);
    this.pane?.element.removeEventListener("pointerdown", this.press, true);
    this.pane?.element.removeEventListener("pointerup", this.release, true);
    this.pane = undefined;
  }

  /** The grip under a point of the pane [pixels]. */
  private under(x: number, y: number): number | undefined {
    const away = this.grips.map(({ at }) => this.pane!.project([at.x, at.y, at.z]).distanceTo(new Vector2(x, y)));
    const nearest = away.indexOf(Math.min(...away));
    return nearest >= 0 && away[nearest]! <= SIZE ? nearest : undefined;
  }

  private press = ({ offsetX: x, offsetY: y, button, pointerId }: PointerEvent): void => {
    this.near = this.under(x, y);
    const found = this.near === undefined ? undefined : this.grips[this.near];
    const { held } = this.bench.sizing;
    if (!found || !held || !this.pane || button !== 0) return;
    const axis = new Ray(found.at.clone(), found.grip.outward.clone().transformDirection(held.pose));
    this.drag = { grip: found.grip, size: held.sizes[found.grip.size]!, along: 0, axis, from: new Vector2(x, y), moved: false };
    this.drag.along = this.reached(x, y);
    this.pane.steered = false;
    this.pane.element.setPointerCapture(pointerId);
    addEventListener("keydown", this.key, true);
  };

  /** How far along the axis of the drag the pointer is [m]. */
  private reached(x: number, y: number): number {
    const { axis } = this.drag!;
    const { ray } = this.pane!.ray(x, y);
    const across = axis.origin.clone().sub(ray.origin);
    const [b, d, e] = [axis.direction.dot(ray.direction), axis.direction.dot(across), ray.direction.dot(across)];
    return Math.abs(1 - b * b) < 1e-6 ? this.drag!.along : (b * e - d) / (1 - b * b);
  }

  private move = ({ offsetX: x, offsetY: y, ctrlKey, metaKey }: PointerEvent): void => {
    const { sizing, preferences } = this.bench;
    const { drag } = this;
    if (!drag) {
      this.near = this.under(x, y);
      return;
    }
    drag.moved = drag.moved || drag.from.distanceTo(new Vector2(x, y)) > STILL;
    if (!drag.moved) return;
    const value = drag.size + this.reached(x, y) - drag.along;
    const { snap, step } = preferences.hands;
    sizing.show(drag.grip, snap && !ctrlKey && !metaKey ? rounded(value, step) : rounded(value, 1e-6));
    sizing.readout = { text: sizing.describe(drag.grip), ...this.inWindow(x, y) };
  };

  private inWindow(x: number, y: number): { x: number; y: number } {
    const { left, top } = this.pane!.element.getBoundingClientRect();
    return { x: left + x, y: top + y };
  }

  private release = ({ offsetX: x, offsetY: y }: PointerEvent): void => {
    const { drag } = this;
    if (!drag) return;
    this.end();
    if (drag.moved) void this.bench.sizing.letGo();
    else this.type(drag.grip, "", x, y);
  };

  private type(grip: SizeGrip, text: string, x: number, y: number): void {
    const place = this.inWindow(x, y);
    this.bench.sizing.type(grip, text, place.x, place.y);
  }

  /** Escape takes the drag back; a digit opens the field for a value. */
  private key = (event: KeyboardEvent): void => {
    const { drag } = this;
    const digit = /^[.,0-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey;
    if (!drag || (event.key !== "Escape" && !digit)) return;
    this.end();
    this.bench.sizing.cancel();
    if (digit) this.type(drag.grip, event.key, drag.from.x, drag.from.y);
    event.stopPropagation();
    event.preventDefault();
  };

  private end(): void {
    if (this.drag && this.pane) this.pane.steered = true;
    this.drag = undefined;
    removeEventListener("keydown", this.key, true);
  }

  theme(theme: Theme): void {
    this.points.material.color.set(theme.pick);
    this.edges.material.color.set(theme.pick);
  }

  dispose(): void {
    this.leave();
    for (const one of [this.points, this.edges]) {
      one.geometry.dispose();
      one.material.dispose();
    }
  }
}

/** The edges of a shape around its middle. */
function edgesOf(shape: string, sizes: readonly number[]): BufferGeometry {
  const [a = 0, b = 0, c = 0] = sizes;
  const solid = shape === "box" ? new BoxGeometry(a, b, c) : shape === "cylinder" ? new CylinderGeometry(a, a, b, 48).rotateX(Math.PI / 2) : new SphereGeometry(a, 24, 12);
  const edges = new EdgesGeometry(solid, shape === "sphere" ? 1 : 20);
  solid.dispose();
  return edges;
}
