// Curves as lines and patches as nets of lines; the control points of the selected one, which can be clicked and dragged.
import { Box3, BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Points, type Raycaster, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { Forms } from "../../forms.svelte";
import { linesOf, type Triple } from "../../nurbs";
import type { Theme } from "../../themes";
import { dotMaterial } from "../dots";
import type { Hit, Layer, Outline } from "../layer";
import type { Stage } from "../stage";
import { depthOf } from "../near";

const FORM = new Color("#c7761f");
const NEAR = 0.012; // rad between the ray and what it picks

export class FormLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private lines = new BufferGeometry();
  private net = new BufferGeometry();
  private points = new BufferGeometry();
  private accent = new Color("#1f6feb");
  private segments: { id: string; from: Vector3; to: Vector3 }[] = [];
  private spots: { row: number; column: number; at: Vector3 }[] = [];

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "forms";
    this.group.add(new LineSegments(this.lines, new LineBasicMaterial({ vertexColors: true })));
    this.group.add(new LineSegments(this.net, new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.55, depthTest: false })));
    this.group.add(new Points(this.points, dotMaterial({ vertexColors: true, size: 13 })));
    for (const one of this.group.children) one.frustumCulled = false;
    $effect(() => {
      void [bench.forms.nets, bench.forms.dragged, bench.forms.chosen, bench.selection.ids, bench.selection.hidden];
      this.draw();
    });
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    this.draw();
  }

  private draw(): void {
    const { forms, selection } = this.bench;
    const lines = new Strokes();
    this.segments = [];
    for (const [id, net] of forms.nets) {
      if (selection.hidden.has(id)) continue;
      const mine = id === forms.node?.id;
      for (const line of linesOf(mine ? (forms.net ?? net) : net)) {
        lines.along(line, selection.has(id) ? this.accent : FORM);
        line.slice(1).forEach((to, i) => this.segments.push({ id, from: new Vector3(...line[i]!), to: new Vector3(...to) }));
      }
    }
    lines.fill(this.lines);
    const control = forms.net?.control ?? [];
    const net = new Strokes();
    for (const row of control) net.along(row, this.accent);
    for (const column of control[0]?.keys() ?? []) net.along(control.map((row) => row[column]!), this.accent);
    net.fill(this.net);
    this.spots = control.flatMap((row, i) => row.map((at, k) => ({ row: i, column: k, at: new Vector3(...at) })));
    const { chosen } = forms;
    const paint = this.spots.flatMap(({ row, column }) => (chosen?.row === row && chosen.column === column ? FORM : this.accent).toArray());
    this.points.setAttribute("position", new BufferAttribute(Float32Array.from(this.spots.flatMap(({ at }) => at.toArray())), 3));
    this.points.setAttribute("color", new BufferAttribute(Float32Array.from(paint), 3));
    this.group.visible = this.segments.length > 0;
    this.stage.changed();
  }

  box(): Box3 {
    return new Box3().setFromPoints(this.segments.flatMap(({ from, to }) => [from, to]));
  }

  /** A control point of the selected form, otherwise a curve or patch; a press on a control point chooses it. */
  pick(raycaster: Raycaster): Hit | undefined {
    const { ray } = raycaster;
    for (const { row, column, at } of this.spots) {
      const distance = at.distanceTo(ray.origin);
      if (ray.distanceToPoint(at) < NEAR * depthOf(raycaster, distance)) return { id: Forms.hit(row, column), distance, point: at };
    }
    const on = new Vector3();
    for (const { id, from, to } of this.segments) {
      const off = Math.sqrt(ray.distanceSqToSegment(from, to, undefined, on));
      const distance = on.distanceTo(ray.origin);
      if (off < (NEAR / 2) * depthOf(raycaster, distance)) return { id, distance, point: on.clone() };
    }
    return undefined;
  }

  outlines(): Outline[] {
    const matrix = new Matrix4();
    return this.segments.map(({ id, from, to }) => ({ id, matrix, positions: [...from, ...to], corners: 2 }));
  }

  dispose(): void {
    for (const one of [this.lines, this.net, this.points]) one.dispose();
    for (const one of this.group.children) ((one as LineSegments).material as LineBasicMaterial).dispose();
  }
}

/** Segments with their colours. */
class Strokes {
  private points: number[] = [];
  private colours: number[] = [];

  along(line: readonly Triple[], colour: Color): void {
    line.slice(1).forEach((to, i) => {
      this.points.push(...line[i]!, ...to);
      this.colours.push(...colour.toArray(), ...colour.toArray());
    });
  }

  fill(geometry: BufferGeometry): void {
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(this.points), 3));
    geometry.setAttribute("color", new BufferAttribute(Float32Array.from(this.colours), 3));
  }
}
