// The panels of the docks: what they are called, and where each of them is at first. A new panel is a line here, and one in `components/panels.ts`.
import type { Bench } from "./bench.svelte";
import type { IconName } from "./icons";
import type { DockName } from "./layout.svelte";

export interface Panel {
  id: PanelId;
  title: string;
  dock: DockName;
  icon: IconName;
  /** The key that shows or hides it. */
  key?: string;
  /** Whether it has so little to show that it needs no more height than its content. */
  small?: (bench: Bench) => boolean;
}

export type PanelId = "tree" | "views" | "light" | "inspector" | "pendant" | "programs" | "console" | "events" | "signals" | "plots" | "gantt" | "checks";

export const PANELS: readonly Panel[] = [
  { id: "tree", title: "Cell", dock: "left", icon: "panel", key: "t" },
  { id: "views", title: "Views", dock: "left", icon: "eye", key: "Alt+U" },
  { id: "light", title: "Light", dock: "left", icon: "sun" },
  { id: "inspector", title: "Inspector", dock: "right", icon: "inspector", key: "i" },
  { id: "pendant", title: "Pendant", dock: "right", icon: "pendant", key: "p" },
  { id: "programs", title: "Programs", dock: "right", icon: "program", key: "r" },
  { id: "console", title: "Console", dock: "bottom", icon: "console", key: "`", small: (bench) => bench.log.entries.length === 0 },
  { id: "events", title: "Events", dock: "bottom", icon: "events" },
  { id: "signals", title: "Signals and variables", dock: "bottom", icon: "signal", key: "s" },
  { id: "plots", title: "Plots", dock: "bottom", icon: "plot", key: "l" },
  { id: "gantt", title: "Gantt", dock: "bottom", icon: "gantt" },
  { id: "checks", title: "Checks", dock: "bottom", icon: "check", key: "Alt+V" },
];
