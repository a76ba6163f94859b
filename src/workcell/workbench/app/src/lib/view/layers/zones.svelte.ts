// The zones of the cell, translucent in the colour of their rule.
import type { Box3, Raycaster } from "three";
import type { Bench } from "../../bench.svelte";
import type { Touched } from "../../picture";
import { ShapeLoader } from "../../shapes";
import type { Theme } from "../../themes";
import type { Hit, Layer, Outline } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { Zones } from "../zones";

export class ZoneLayer implements Layer {
  readonly kind = "ghost";
  private zones = new Zones();
  private loader: ShapeLoader;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.loader = new ShapeLoader(
      bench.host,
      bench.shortage,
      (hash, shape) => {
        this.zones.store(hash, shape);
        this.place();
      },
    );
    $effect(() => {
      const { motion, held } = bench.moving;
      this.zones.lift(motion ? (held?.others ?? new Set()) : new Set(), motion);
      stage.changed();
    });
    $effect(() => {
      this.mark();
      stage.changed();
    });
    $effect(() => {
      this.zones.hide(bench.selection.hidden);
      stage.changed();
    });
  }

  get group() {
    return this.zones.group;
  }

  update(touched: Touched): void {
    if (!touched.zones) return;
    const { zones } = this.bench.scene.picture;
    this.zones.sweep(zones.values()).forEach((hash) => this.loader.forget(hash));
    this.place();
    this.loader.want([...zones.values()].map((zone) => zone.glb));
  }

  private place(): void {
    this.zones.show(this.bench.scene.picture.zones.values());
    this.mark();
    this.zones.hide(this.bench.selection.hidden);
    this.stage.changed();
  }

  private mark(): void {
    const { ids, hover } = this.bench.selection;
    this.zones.mark(new Set([...ids, hover]));
  }

  theme(theme: Theme): void {
    this.zones.theme(theme);
  }

  appear({ hidden, appearance }: Pane): void {
    const { hidden: everywhere } = this.bench.selection;
    this.zones.hide(hidden.size > 0 ? new Set([...everywhere, ...hidden]) : everywhere);
    this.zones.cut(appearance.section);
  }

  box(): Box3 {
    return this.zones.box();
  }

  pick(ray: Raycaster): Hit | undefined {
    return this.zones.pick(ray);
  }

  outlines(): Outline[] {
    return this.zones.outlines();
  }

  dispose(): void {
    this.loader.dispose();
    this.zones.dispose();
  }
}
