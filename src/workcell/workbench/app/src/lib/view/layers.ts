// The layers of the view, in the order in which they are made. A new layer is one file in layers/ and one line here.
import type { Bench } from "../bench.svelte";
import type { LayerMaker } from "./layer";
import { SolidLayer } from "./layers/solids.svelte";

export const LAYERS: readonly LayerMaker[] = [(bench, stage) => new SolidLayer(bench, stage)];

/** A layer that is loaded when it is first needed. */
export interface LateLayer {
  needed: (bench: Bench) => boolean;
  load: () => Promise<LayerMaker>;
}

export const LATE: readonly LateLayer[] = [
  {
    needed: ({ scene }) => (scene.lists?.zones.length ?? 0) > 0,
    load: () => import("./layers/zones.svelte").then(({ ZoneLayer }) => (bench, stage) => new ZoneLayer(bench, stage)),
  },
  {
    needed: ({ ghost }) => ghost.poses.size > 0,
    load: () => import("./layers/ghost.svelte").then(({ GhostLayer }) => (bench, stage) => new GhostLayer(bench, stage)),
  },
  {
    needed: ({ recording }) => recording.info?.events.some(({ lines }) => lines?.length) ?? false,
    load: () => import("./layers/tries.svelte").then(({ TryLayer }) => (bench, stage) => new TryLayer(bench, stage)),
  },
  {
    needed: ({ picking }) => picking.what !== "body" || picking.asked !== undefined || picking.chosen !== undefined || picking.marked.length > 0,
    load: () => import("./layers/picked.svelte").then(({ PickedLayer }) => (bench, stage) => new PickedLayer(bench, stage)),
  },
  {
    needed: ({ making }) => making.open,
    load: () => import("./layers/making.svelte").then(({ MakingLayer }) => (bench, stage) => new MakingLayer(bench, stage)),
  },
  {
    needed: ({ marks }) => marks.list.length + marks.paths.length > 0,
    load: () => import("./layers/marks.svelte").then(({ MarkLayer }) => (bench, stage) => new MarkLayer(bench, stage)),
  },
  {
    needed: ({ touching }) => touching.any,
    load: () => import("./layers/contacts.svelte").then(({ ContactLayer }) => (bench, stage) => new ContactLayer(bench, stage)),
  },
  {
    needed: ({ programs }) => programs.planned !== undefined,
    load: () => import("./layers/planned.svelte").then(({ PlannedLayer }) => (bench, stage) => new PlannedLayer(bench, stage)),
  },
  {
    needed: ({ reach }) => reach.value !== undefined,
    load: () => import("./layers/reach.svelte").then(({ ReachLayer }) => (bench, stage) => new ReachLayer(bench, stage)),
  },
  {
    needed: ({ preferences }) => preferences.view.frames,
    load: () => import("./layers/frames.svelte").then(({ FrameLayer }) => (bench, stage) => new FrameLayer(bench, stage)),
  },
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
    needed: ({ loose }) => loose.shapes.length > 0,
    load: () => import("./layers/shelf.svelte").then(({ ShelfLayer }) => (bench, stage) => new ShelfLayer(bench, stage)),
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
