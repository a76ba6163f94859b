// What each panel of the docks shows: its component, or how to load it, for one that is not needed before the first picture.
import type { Component } from "svelte";
import type { Bench } from "../lib/bench.svelte";
import type { PanelId } from "../lib/panels";
import Tree from "./panels/Tree.svelte";

type PanelComponent = Component<{ bench: Bench }>;
type Shown = { component: PanelComponent; load?: undefined } | { component?: undefined; load: () => Promise<{ default: PanelComponent }> };

export const SHOWN: Record<PanelId, Shown> = {
  tree: { component: Tree },
  views: { load: () => import("./panels/Views.svelte") },
  light: { load: () => import("./panels/Light.svelte") },
  inspector: { load: () => import("./panels/Inspector.svelte") },
  pendant: { load: () => import("./panels/Pendant.svelte") },
  programs: { load: () => import("./panels/Programs.svelte") },
  console: { load: () => import("./panels/Console.svelte") },
  events: { load: () => import("./panels/Events.svelte") },
  signals: { load: () => import("./panels/Signals.svelte") },
  plots: { load: () => import("./panels/Plots.svelte") },
  gantt: { load: () => import("./panels/Gantt.svelte") },
  checks: { load: () => import("./panels/Checks.svelte") },
};
