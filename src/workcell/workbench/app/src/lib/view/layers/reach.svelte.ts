// The work envelope of a robot: the section swept over the range of the first joint, translucent.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial } from "three";
import type { Bench } from "../../bench.svelte";
import type { Reach } from "../../commands";
import { reachSurface, rounded } from "../../reach";
import { fromRows } from "../../rigid";
import type { Theme } from "../../themes";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

export class ReachLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private skin = new MeshBasicMaterial({ transparent: true, opacity: 0.1, depthWrite: false, side: DoubleSide });
  private rim = new LineBasicMaterial({ transparent: true, opacity: 0.8 });
  private faces = new Mesh(new BufferGeometry(), this.skin);
  private lines = new LineSegments(new BufferGeometry(), this.rim);

  constructor(bench: Bench, stage: Stage) {
    this.group.name = "reach";
    this.group.matrixAutoUpdate = false;
    this.group.add(this.faces, this.lines);
    $effect(() => {
      this.draw(bench.reach.value);
      stage.changed();
    });
  }

  private draw(reach: Reach | undefined): void {
    this.group.visible = reach !== undefined;
    if (!reach) return;
    const { points, triangles, lines } = reachSurface({ ...reach, outline: reach.outline.map((loop) => rounded(loop)) });
    for (const [one, index] of [[this.faces, triangles], [this.lines, lines]] as const) {
      one.geometry.dispose();
      one.geometry = new BufferGeometry();
      one.geometry.setAttribute("position", new BufferAttribute(points, 3));
      one.geometry.setIndex(index);
    }
    this.group.matrix.copy(fromRows(reach.frame));
    this.group.matrixWorldNeedsUpdate = true;
  }

  theme(theme: Theme): void {
    this.skin.color.set(theme.accent);
    this.rim.color.set(theme.accent);
  }

  dispose(): void {
    for (const one of [this.faces, this.lines]) one.geometry.dispose();
    this.skin.dispose();
    this.rim.dispose();
  }
}
