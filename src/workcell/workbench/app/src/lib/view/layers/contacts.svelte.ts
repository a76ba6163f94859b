// Contacts as red points, and the smallest distance as a line between the nearest points.
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  LineBasicMaterial,
  LineSegments,
  Points,
  PointsMaterial,
} from "three";
import type { Bench } from "../../bench.svelte";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

const RED = "#e5322b";
const LINE = "#1f8fe0";
const SIZE = 9; // pixels

export class ContactLayer implements Layer {
  readonly kind = "contact";
  readonly group = new Group();
  private points = new Points(
    new BufferGeometry(),
    new PointsMaterial({ color: RED, size: SIZE, sizeAttenuation: false, depthTest: false, transparent: true }),
  );
  private line = new LineSegments(
    new BufferGeometry(),
    new LineBasicMaterial({ color: LINE, depthTest: false, transparent: true }),
  );

  constructor(bench: Bench, stage: Stage) {
    this.group.add(this.points, this.line);
    for (const one of [this.points, this.line]) {
      one.frustumCulled = false;
      one.renderOrder = 10;
    }
    $effect(() => {
      void bench.selection.ids;
      bench.contacts.measured = undefined;
    });
    $effect(() => {
      const { list, measured, distance } = bench.contacts;
      const now = bench.time.live; // contacts are those of now
      this.group.visible = now;
      place(this.points.geometry, list.flatMap((contact) => contact.point));
      place(this.line.geometry, (measured ?? distance)?.points.flat() ?? []);
      stage.changed();
    });
  }

  dispose(): void {
    for (const one of [this.points, this.line]) {
      one.geometry.dispose();
      one.material.dispose();
    }
  }
}

function place(geometry: BufferGeometry, numbers: readonly number[]): void {
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(numbers), 3));
  geometry.setDrawRange(0, numbers.length / 3);
}
