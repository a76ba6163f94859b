// Contacts as red points, and the smallest distance as a line between the nearest points, with its length.
import { BufferAttribute, BufferGeometry, Color, Group, Points, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { Distance } from "../../contacts.svelte";
import { lengthText } from "../../text";
import { type Theme, TOUCHES } from "../../themes";
import { dotMaterial } from "../dots";
import { Labels } from "../labels";
import type { Layer } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { ThickLines } from "../thick_lines";

const LINE = new Color("#1f8fe0");
const SIZE = 14; // pixels
const WIDTH = 4.5; // pixels

export class ContactLayer implements Layer {
  readonly kind = "contact";
  readonly group = new Group();
  private points = new Points(new BufferGeometry(), dotMaterial({ color: TOUCHES, size: SIZE }));
  private line = new ThickLines(WIDTH, { depthTest: false });
  private labels = new Labels();
  private texts: { text: string; at: Vector3 }[] = [];

  constructor(bench: Bench, stage: Stage) {
    this.group.add(this.points, this.line, this.labels.group);
    this.points.frustumCulled = false;
    this.points.renderOrder = this.line.renderOrder = 10;
    $effect(() => {
      const { list, measured, distance } = bench.touching;
      const shown = measured ?? distance;
      const ends = shown?.points.flat() ?? [];
      this.texts = shown && shown.length > 0 ? [{ text: lengthText(shown.length, bench.scene.units), at: middleOf(shown.points) }] : [];
      this.labels.show(this.texts);
      const points = list.flatMap((contact) => contact.point ?? []);
      this.points.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
      this.points.geometry.setDrawRange(0, points.length / 3);
      this.line.draw(ends, ends.length > 0 ? [...LINE, ...LINE] : []);
      stage.changed();
    });
  }

  appear(pane: Pane): void {
    this.labels.appear(pane);
  }

  theme(theme: Theme): void {
    this.labels.theme(theme);
    this.labels.show(this.texts);
  }

  dispose(): void {
    this.labels.dispose();
    this.points.geometry.dispose();
    this.points.material.dispose();
    this.line.dispose();
  }
}

function middleOf([a, b]: Distance["points"]): Vector3 {
  return new Vector3(...a!).lerp(new Vector3(...b!), 0.5);
}
