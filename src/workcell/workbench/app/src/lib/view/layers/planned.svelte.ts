// The way of a planned move whose step is open: green if it is proved free, red if it touches something, and the free way beside it.
import { Color, Group } from "three";
import type { Bench } from "../../bench.svelte";
import type { Way } from "../../commands";
import { TOUCHES } from "../../themes";
import type { Layer } from "../layer";
import type { Stage } from "../stage";
import { ThickLines } from "../thick_lines";

const FREE = new Color("#2fa866");
const TOUCHING = new Color(TOUCHES);
const WIDTH = 3; // pixels

export class PlannedLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();

  constructor(
    bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "planned";
    $effect(() => {
      const { line, planned: last } = bench.programs;
      const planned = last?.line === line ? last : undefined;
      this.clear();
      for (const way of [...(planned?.ways ?? []), ...(planned?.instead ?? [])]) this.add(way);
      stage.changed();
    });
  }

  private add(way: Way): void {
    if (way.points.length < 2) return;
    const colour = way.free ? FREE : TOUCHING;
    const line = new ThickLines(WIDTH, { depthTest: false });
    line.draw(way.points.slice(1).flatMap((point, i) => [...way.points[i]!, ...point]), way.points.slice(1).flatMap(() => [...colour, ...colour]));
    line.renderOrder = 10;
    this.group.add(line);
  }

  private clear(): void {
    for (const child of this.group.children as ThickLines[]) child.dispose();
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    this.stage.changed();
  }
}
