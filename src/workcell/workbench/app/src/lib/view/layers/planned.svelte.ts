// The way of a planned move: green if it is proved free, red if it touches something, and the free way beside it.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";
import type { Bench } from "../../bench.svelte";
import type { Way } from "../../commands";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

const FREE = 0x2fa866;
const TOUCHES = 0xe0483c;

export class PlannedLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();

  constructor(
    bench: Bench,
    private stage: Stage,
  ) {
    $effect(() => {
      const planned = bench.programs.planned;
      this.clear();
      for (const way of [...(planned?.ways ?? []), ...(planned?.instead ?? [])]) this.add(way);
      stage.changed();
    });
  }

  private add(way: Way): void {
    if (way.points.length < 2) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(way.points.flat()), 3));
    const material = new LineBasicMaterial({ color: way.free ? FREE : TOUCHES, depthTest: false, transparent: true });
    const line = new Line(geometry, material);
    line.renderOrder = 10;
    this.group.add(line);
  }

  private clear(): void {
    for (const child of this.group.children as Line[]) {
      child.geometry.dispose();
      (child.material as LineBasicMaterial).dispose();
    }
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    this.stage.changed();
  }
}
