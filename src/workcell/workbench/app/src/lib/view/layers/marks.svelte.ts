// Targets and frames as small axes, paths as lines; the selected ones with their names. What is behind something shows faintly.
import { Color, Group, Matrix4, type Raycaster, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { Mark, Polyline } from "../../marks.svelte";
import { fromSeven } from "../../rigid";
import { AXES, type Theme } from "../../themes";
import { Labels } from "../labels";
import type { Hit, Layer, Outline } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { ThickLines } from "../thick_lines";
import { depthOf } from "../near";

const COLOURS = AXES.map((colour) => new Color(colour));
const WIDTH = 2; // pixels
const PATH = new Color("#b06ad9");
const LENGTH = 0.06; // m, of an axis of a target
const FRAME = 1.6; // a frame is larger
const NEAR = 0.012; // rad between the ray and what it picks
const NAMED = 20; // names at most
const CLOSER = 0.03; // m: marks on a face come before the face

export class MarkLayer implements Layer {
  readonly kind = "solid";
  readonly group = new Group();
  /** Faint where something is before them, and clear elsewhere. */
  private lines = [new ThickLines(WIDTH, { opacity: 0.3, depthTest: false }), new ThickLines(WIDTH)];
  private accent = new Color("#1f6feb");
  private spots: { id: string; at: Vector3 }[] = [];
  private segments: { id: string; from: Vector3; to: Vector3 }[] = [];
  private labels = new Labels();
  private dragged = false;
  private riders = new Set<string>();

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "marks";
    this.group.add(...this.lines, this.labels.group);
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
    this.labels.theme(theme);
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
      COLOURS.forEach((colour, i) => {
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
    for (const lines of this.lines) lines.draw(points, colours);
    const named = this.spots.filter(({ id }) => selected(id)).slice(0, NAMED);
    this.labels.show(named.map(({ id, at }) => ({ text: this.bench.scene.node(id)?.name ?? "", at })));
    this.stage.changed();
  }

  appear(pane: Pane): void {
    this.labels.appear(pane);
  }

  /** The names that are written beside marks; for tests. */
  get named(): string[] {
    return this.labels.texts;
  }

  pick(raycaster: Raycaster): Hit | undefined {
    const { ray } = raycaster;
    let best: Hit | undefined;
    const offer = (id: string, point: Vector3, off: number, within: number) => {
      const away = point.distanceTo(ray.origin);
      if (off > within * depthOf(raycaster, away) || (best && best.distance <= away - CLOSER)) return;
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
    this.lines.forEach((one) => one.dispose());
    this.labels.dispose();
  }
}
