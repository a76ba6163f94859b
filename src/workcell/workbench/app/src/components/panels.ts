// The panels of the docks. A new panel is one Svelte file and one line here.
import type { Component } from "svelte";
import type { Bench } from "../lib/bench.svelte";
import type { DockName } from "../lib/layout.svelte";
import type { IconName } from "./icons";
import Tree from "./panels/Tree.svelte";

export type PanelComponent = Component<{ bench: Bench }>;

export interface Panel {
  id: string;
  title: string;
  dock: DockName;
  icon: IconName;
  /** The key that shows or hides it. */
  key?: string;
  /** The component; or how to load it, for one that is not needed before the first picture. */
  component?: PanelComponent;
  load?: () => Promise<{ default: PanelComponent }>;
  /** Whether it has so little to show that it needs no more height than its content. */
  small?: (bench: Bench) => boolean;
}

export const PANELS: readonly Panel[] = [
  { id: "tree", title: "Cell", dock: "left", icon: "panel", key: "t", component: Tree },
  { id: "views", title: "Views", dock: "left", icon: "eye", key: "Alt+U", load: () => import("./panels/Views.svelte") },
  { id: "light", title: "Light", dock: "left", icon: "sun", load: () => import("./panels/Light.svelte") },
  { id: "inspector", title: "Inspector", dock: "right", icon: "inspector", key: "i", load: () => import("./panels/Inspector.svelte") },
  { id: "pendant", title: "Pendant", dock: "right", icon: "pendant", key: "p", load: () => import("./panels/Pendant.svelte") },
  { id: "programs", title: "Programs", dock: "right", icon: "program", key: "r", load: () => import("./panels/Programs.svelte") },
  { id: "console", title: "Console", dock: "bottom", icon: "console", key: "`", load: () => import("./panels/Console.svelte"), small: (bench) => bench.log.entries.length === 0 },
  { id: "events", title: "Events", dock: "bottom", icon: "events", load: () => import("./panels/Events.svelte") },
  { id: "signals", title: "Signals and variables", dock: "bottom", icon: "signal", key: "s", load: () => import("./panels/Signals.svelte") },
  { id: "plots", title: "Plots", dock: "bottom", icon: "plot", key: "l", load: () => import("./panels/Plots.svelte") },
  { id: "gantt", title: "Gantt", dock: "bottom", icon: "gantt", load: () => import("./panels/Gantt.svelte") },
  { id: "checks", title: "Checks", dock: "bottom", icon: "check", key: "Alt+V", load: () => import("./panels/Checks.svelte") },
];
