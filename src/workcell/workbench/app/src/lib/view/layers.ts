// The layers of the view, in the order in which they are made. A new layer is one file in layers/ and one line here.
import type { LayerMaker } from "./layer";
import { FormLayer } from "./layers/forms.svelte";
import { FrameLayer } from "./layers/frames.svelte";
import { GhostLayer } from "./layers/ghost.svelte";
import { HandleLayer } from "./layers/handle.svelte";
import { ContactLayer } from "./layers/contacts.svelte";
import { MovingLayer } from "./layers/moving.svelte";
import { PlannedLayer } from "./layers/planned.svelte";
import { MarkLayer } from "./layers/marks.svelte";
import { PickedLayer } from "./layers/picked.svelte";
import { ReachLayer } from "./layers/reach.svelte";
import { SectionLayer } from "./layers/section.svelte";
import { SolidLayer } from "./layers/solids.svelte";
import { TryLayer } from "./layers/tries.svelte";
import { WorkshopLayer } from "./layers/workshop.svelte";
import { ZoneLayer } from "./layers/zones.svelte";

export const LAYERS: readonly LayerMaker[] = [
  (bench, stage) => new SolidLayer(bench, stage),
  (bench, stage) => new PickedLayer(bench, stage),
  (bench, stage) => new MarkLayer(bench, stage),
  (bench, stage) => new ZoneLayer(bench, stage),
  (bench, stage) => new PlannedLayer(bench, stage),
  (bench, stage) => new GhostLayer(bench, stage),
  (bench, stage) => new HandleLayer(bench, stage),
  (bench, stage) => new MovingLayer(bench, stage),
  (bench, stage) => new FormLayer(bench, stage),
  (bench, stage) => new WorkshopLayer(bench, stage),
  (bench, stage) => new ContactLayer(bench, stage),
  (bench, stage) => new ReachLayer(bench, stage),
  (bench, stage) => new TryLayer(bench, stage),
  (bench, stage) => new FrameLayer(bench, stage),
  (bench, stage) => new SectionLayer(bench, stage),
];
