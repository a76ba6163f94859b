// What the open card would make: targets as axes, lines and points, and points.
import { BufferAttribute, BufferGeometry, Color, Group, Points, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import { fromSeven } from "../../rigid";
import { AXES, type Theme } from "../../themes";
import { dotMaterial } from "../dots";
import type { Layer } from "../layer";
import type { Stage } from "../stage";
import { ThickLines } from "../thick_lines";

const COLOURS = AXES.map((colour) => new Color(colour));
const WIDTH = 2.5; // pixels
const DOT = 11; // pixels
const LENGTH = 0.05; // m, of an axis at most
const SHARE = 0.6; // of the distance to the next target, of an axis at most
const MOST = 1500; // targets that are drawn with their axes

export class MakingLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private lines = new ThickLines(WIDTH, { depthTest: false });
  private dots = new Points(new BufferGeometry(), dotMaterial({ size: DOT }));
  private accent = new Color("#1f6feb");

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "making";
    this.lines.renderOrder = 10;
    this.dots.renderOrder = 11;
    this.dots.frustumCulled = false;
    this.group.add(this.lines, this.dots);
    $effect(() => this.draw());
  }

  private draw(): void {
    const { shown } = this.bench.making;
    const [points, colours]: [number[], number[]] = [[], []];
    const line = (from: readonly number[], to: readonly number[], colour: Color) => {
      points.push(...from, ...to);
      colours.push(...colour, ...colour);
    };
    for (const one of shown.lines) one.slice(1).forEach((to, i) => line(one[i]!, to, this.accent));
    const poses = shown.frames.slice(0, MOST).map((frame) => fromSeven(frame));
    const at = poses.map((pose) => new Vector3().setFromMatrixPosition(pose));
    const near = at.slice(1).reduce((least, one, i) => Math.min(least, one.distanceTo(at[i]!) || Infinity), Infinity);
    const length = Math.min(LENGTH, SHARE * near);
    poses.forEach((pose, i) => COLOURS.forEach((colour, k) => line(at[i]!.toArray(), new Vector3().setFromMatrixColumn(pose, k).multiplyScalar(length).add(at[i]!).toArray(), colour)));
    this.lines.draw(points, colours);
    this.dots.visible = shown.dots.length > 0;
    this.dots.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(shown.dots.flat()), 3));
    this.stage.changed();
  }

  /** How many targets are drawn; for tests. */
  get drawn(): number {
    return this.bench.making.shown.frames.length;
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    this.dots.material.color.set(theme.pick);
    this.draw();
  }

  dispose(): void {
    this.lines.dispose();
    this.dots.geometry.dispose();
    this.dots.material.dispose();
  }
}
