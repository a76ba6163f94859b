// Targets and frames as small axes, paths as lines; the selected ones with their names. What is behind something shows faintly.
import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, type Raycaster, Sprite, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { Mark, Polyline } from "../../marks.svelte";
import { fromSeven } from "../../rigid";
import type { Theme } from "../../themes";
import { dropLabel, type Label, labelOf } from "../label";
import type { Hit, Layer, Outline } from "../layer";
import type { Stage } from "../stage";

const AXES = ["#e0473c", "#3fa34d", "#3a78d8"].map((colour) => new Color(colour));
const PATH = new Color("#b06ad9");
const LENGTH = 0.06; // m, of an axis of a target
const FRAME = 1.6; // a frame is larger
const NEAR = 0.012; // rad between the ray and what it picks
const NAMED = 20; // names at most
const CLOSER = 0.03; // m: marks on a face come before the face

export class MarkLayer implements Layer {
  readonly kind = "solid";
  readonly group = new Group();
  private geometry = new BufferGeometry();
  private accent = new Color("#1f6feb");
  private spots: { id: string; at: Vector3 }[] = [];
  private segments: { id: string; from: Vector3; to: Vector3 }[] = [];
  private names = new Group();
  private labels = new Map<string, Label>();
  private dragged = false;
  private riders = new Set<string>();

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "marks";
    const clear = new LineBasicMaterial({ vertexColors: true, transparent: true });
    const faint = new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.3, depthTest: false });
    for (const material of [faint, clear]) {
      const lines = new LineSegments(this.geometry, material);
      lines.frustumCulled = false;
      this.group.add(lines);
    }
    this.group.add(this.names);
    $effect(() => {
      if (bench.moving.motion || this.dragged) this.draw();
      this.dragged = bench.moving.motion !== undefined;
    });
    $effect(() => {
      void [bench.selection.ids, bench.selection.hidden, bench.time.mode, bench.scene.seen, bench.preferences.view.marks];
      this.riders = new Set([...bench.marks.list, ...bench.marks.paths].map((one) => one.body).filter(Boolean));
      this.draw();
    });
  }

  /** How many targets, frames and paths are drawn. */
  get drawn(): number {
    return this.spots.length + new Set(this.segments.map((one) => one.id)).size;
  }

  /** Where a target or frame is drawn [m]. */
  at(id: string): number[] {
    return this.spots.find((one) => one.id === id)?.at.toArray() ?? [];
  }

  moved(bodies: ReadonlySet<string>): void {
    if ([...this.riders].some((body) => bodies.has(body))) this.draw();
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    this.draw();
  }

  /** How a mark has moved with its body, or by hand, from where it is now to where it is shown. */
  private shift({ id, body }: Mark | Polyline): Matrix4 {
    const dragged = this.bench.moving.motionOf(id);
    if (dragged) return dragged.clone();
    const now = this.bench.scene.picture.bodies.get(body)?.pose;
    const shown = now && this.bench.poses.of(body);
    return now && shown ? fromSeven(shown).multiply(fromSeven(now).invert()) : new Matrix4();
  }

  private draw(): void {
    const { hidden } = this.bench.selection;
    const selected = (id: string) => this.bench.selection.has(id);
    const points: number[] = [];
    const colours: number[] = [];
    const line = (from: Vector3, to: Vector3, colour: Color) => {
      points.push(...from, ...to);
      colours.push(...colour, ...colour);
    };
    const shown = <T extends Mark | Polyline>(all: readonly T[]) =>
      this.bench.preferences.view.marks ? all.filter((one) => !hidden.has(one.id)) : [];
    this.spots = shown(this.bench.marks.list).map((mark) => {
      const pose = this.shift(mark).multiply(fromSeven(mark.pose));
      const at = new Vector3().setFromMatrixPosition(pose);
      const length = LENGTH * (mark.kind === "frame" ? FRAME : 1) * (selected(mark.id) ? 1.8 : 1);
      AXES.forEach((colour, i) => {
        const end = new Vector3().setFromMatrixColumn(pose, i).multiplyScalar(length).add(at);
        line(at, end, selected(mark.id) ? this.accent.clone().lerp(colour, 0.35) : colour);
      });
      return { id: mark.id, at };
    });
    this.segments = shown(this.bench.marks.paths).flatMap((path) => {
      const shift = this.shift(path);
      const along = path.points.map(([x, y, z]) => new Vector3(x, y, z).applyMatrix4(shift));
      return along.slice(1).map((to, i) => {
        line(along[i]!, to, selected(path.id) ? this.accent : PATH);
        return { id: path.id, from: along[i]!, to };
      });
    });
    this.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
    this.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 3));
    this.geometry.setDrawRange(0, points.length / 3);
    this.name(this.spots.filter(({ id }) => selected(id)).slice(0, NAMED));
    this.group.visible = points.length > 0;
    this.stage.changed();
  }

  /** Write the names of some marks beside them. */
  private name(spots: readonly { id: string; at: Vector3 }[]): void {
    this.names.clear();
    const texts = new Set<string>();
    for (const { id, at } of spots) {
      const text = this.bench.scene.node(id)?.name ?? "";
      texts.add(text);
      let label = this.labels.get(text);
      if (!label) this.labels.set(text, (label = labelOf(text)));
      const sprite = new Sprite(label.material);
      sprite.position.copy(at);
      sprite.center.set(-0.1, -0.35);
      sprite.scale.set(0.024 * label.wide, 0.024, 1);
      sprite.renderOrder = 9;
      this.names.add(sprite);
    }
    for (const [text, label] of this.labels) {
      if (texts.has(text)) continue;
      dropLabel(label);
      this.labels.delete(text);
    }
  }

  /** The names that are written beside marks; for tests. */
  get named(): string[] {
    return [...this.labels.keys()];
  }

  pick({ ray }: Raycaster): Hit | undefined {
    let best: Hit | undefined;
    const offer = (id: string, point: Vector3, off: number, within: number) => {
      const away = point.distanceTo(ray.origin);
      if (off > within * away || (best && best.distance <= away - CLOSER)) return;
      best = { id, distance: Math.max(0, away - CLOSER), point: point.clone() };
    };
    for (const { id, at } of this.spots) offer(id, at, ray.distanceToPoint(at), NEAR);
    if (best) return best; // a target comes before the path that it is on
    const on = new Vector3();
    for (const { id, from, to } of this.segments) {
      const off = Math.sqrt(ray.distanceSqToSegment(from, to, undefined, on));
      offer(id, on, off, NEAR / 2);
    }
    return best;
  }

  outlines(): Outline[] {
    const matrix = new Matrix4();
    const spots = this.spots.map(({ id, at }): Outline => ({ id, matrix, positions: at.toArray(), corners: 1 }));
    return [...spots, ...this.segments.map(({ id, from, to }): Outline => ({ id, matrix, positions: [...from, ...to], corners: 2 }))];
  }

  dispose(): void {
    this.geometry.dispose();
    this.labels.forEach(dropLabel);
    for (const one of this.group.children) if (one instanceof LineSegments) (one.material as LineBasicMaterial).dispose();
  }
}
