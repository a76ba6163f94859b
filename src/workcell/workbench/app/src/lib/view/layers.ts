// The layers of the view, in the order in which they are made. A new layer is one file in layers/ and one line here.
import type { Bench } from "../bench.svelte";
import type { LayerMaker } from "./layer";
import { FrameLayer } from "./layers/frames.svelte";
import { GhostLayer } from "./layers/ghost.svelte";
import { ContactLayer } from "./layers/contacts.svelte";
import { PlannedLayer } from "./layers/planned.svelte";
import { MarkLayer } from "./layers/marks.svelte";
import { PickedLayer } from "./layers/picked.svelte";
import { ReachLayer } from "./layers/reach.svelte";
import { SolidLayer } from "./layers/solids.svelte";
import { TryLayer } from "./layers/tries.svelte";
import { ZoneLayer } from "./layers/zones.svelte";

export const LAYERS: readonly LayerMaker[] = [
  (bench, stage) => new SolidLayer(bench, stage),
  (bench, stage) => new PickedLayer(bench, stage),
  (bench, stage) => new MarkLayer(bench, stage),
  (bench, stage) => new ZoneLayer(bench, stage),
  (bench, stage) => new PlannedLayer(bench, stage),
  (bench, stage) => new GhostLayer(bench, stage),
  (bench, stage) => new ContactLayer(bench, stage),
  (bench, stage) => new ReachLayer(bench, stage),
  (bench, stage) => new TryLayer(bench, stage),
  (bench, stage) => new FrameLayer(bench, stage),
];

/** A layer that is loaded when it is first needed. */
export interface LateLayer {
  needed: (bench: Bench) => boolean;
  load: () => Promise<LayerMaker>;
}

export const LATE: readonly LateLayer[] = [
  {
    needed: ({ pendant }) => pendant.handle !== "off",
    load: () => import("./layers/handle.svelte").then(({ HandleLayer }) => (bench, stage) => new HandleLayer(bench, stage)),
  },
  {
    needed: ({ moving }) => moving.handle !== "off",
    load: () => import("./layers/moving.svelte").then(({ MovingLayer }) => (bench, stage) => new MovingLayer(bench, stage)),
  },
  {
    needed: ({ sizing }) => sizing.on,
    load: () => import("./layers/sizes.svelte").then(({ SizeLayer }) => (bench, stage) => new SizeLayer(bench, stage)),
  },
  {
    needed: ({ lamps }) => lamps.list.length > 0,
    load: () => import("./layers/lamps.svelte").then(({ LampLayer }) => (bench, stage) => new LampLayer(bench, stage)),
  },
  {
    needed: ({ forms }) => forms.nets.size > 0,
    load: () => import("./layers/forms.svelte").then(({ FormLayer }) => (bench, stage) => new FormLayer(bench, stage)),
  },
  {
    needed: ({ workshop }) => workshop.tool !== "" || workshop.grip !== undefined,
    load: () => import("./layers/workshop.svelte").then(({ WorkshopLayer }) => (bench, stage) => new WorkshopLayer(bench, stage)),
  },
  {
    needed: ({ panes }) => panes.list.some((pane) => pane.section !== null),
    load: () => import("./layers/section.svelte").then(({ SectionLayer }) => (bench, stage) => new SectionLayer(bench, stage)),
  },
];
