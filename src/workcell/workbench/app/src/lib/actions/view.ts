import type { IconName } from "../icons";
import type { Bench } from "../bench.svelte";
import type { Bar } from "../layout.svelte";
import type { PaneSwitch } from "../panes.svelte";
import { type Section, SURFACES, type Surfaces, type Triple } from "../view/appearance";
import { keepView } from "../keeping";
import type { Action } from "./action";

const TURN = Math.PI / 24;
const SHIFT = 0.06; // of the height of the view
const CLOSER = 0.85;
const STYLES: Record<Surfaces, string> = { shaded: "Shaded", solid: "Solid", "hidden-line": "Hidden lines removed", wireframe: "Wireframe" };
const NO_SHADOWS = "Not drawn: this browser draws the view without a graphics processor. To draw shadows anyway, slowly, choose “Always sharp” in the preferences (Sharpness of the view).";

export function viewActions(bench: Bench): Action[] {
  const { preferences, panes } = bench;
  const shadowless = () => bench.view?.shadows === false;
  const flag = (name: PaneSwitch, label: string, key: string, icon?: IconName): Action => ({
    id: `view.${name}`,
    group: "View",
    part: "Shown",
    label,
    keys: [key],
    ...(icon ? { icon } : {}),
    on: () => panes.now[name],
    run: () => panes.toggle(name),
  });
  const look = (id: string, label: string, key: string): Action => ({
    id: `view.${id}`,
    group: "View",
    part: "Camera",
    label,
    keys: [key],
    run: () => bench.view?.fit(id),
  });
  const steer = (id: string, label: string, key: string, run: () => void): Action => ({
    id: `view.${id}`,
    group: "View",
    label,
    keys: [key],
    where: "view",
    hidden: true,
    run,
  });
  const zoom = (id: string, label: string, keys: string[], factor: number): Action => ({
    id: `view.${id}`,
    group: "View",
    part: "Camera",
    label,
    keys,
    where: "view",
    run: () => bench.view?.zoom(factor),
  });
  const bar = (name: Bar, label: string, title: string): Action => ({
    id: `view.${name}`,
    group: "View",
    part: "Bars",
    label,
    title: () => title,
    on: () => bench.layout.bars[name],
    run: () => bench.layout.switch(name),
  });
  return [
    {
      id: "view.fit",
      group: "View",
      part: "Camera",
      label: "Fit the selection, or everything",
      keys: ["f"],
      icon: "fit",
      run: () => bench.view?.fit(),
    },
    look("iso", "Oblique view", "0"),
    look("front", "From the front", "1"),
    look("right", "From the right", "2"),
    look("top", "From above", "3"),
    look("back", "From behind", "4"),
    look("left", "From the left", "5"),
    look("bottom", "From below", "6"),
    zoom("zoom-in", "Zoom in", ["+", "="], CLOSER),
    zoom("zoom-out", "Zoom out", ["-"], 1 / CLOSER),
    steer("orbit-left", "Turn the view to the left", "ArrowLeft", () => bench.view?.orbit(-TURN, 0)),
    steer("orbit-right", "Turn the view to the right", "ArrowRight", () => bench.view?.orbit(TURN, 0)),
    steer("orbit-up", "Turn the view up", "ArrowUp", () => bench.view?.orbit(0, TURN)),
    steer("orbit-down", "Turn the view down", "ArrowDown", () => bench.view?.orbit(0, -TURN)),
    steer("pan-left", "Shift the view to the left", "Shift+ArrowLeft", () => bench.view?.pan(-SHIFT, 0)),
    steer("pan-right", "Shift the view to the right", "Shift+ArrowRight", () => bench.view?.pan(SHIFT, 0)),
    steer("pan-up", "Shift the view up", "Shift+ArrowUp", () => bench.view?.pan(0, SHIFT)),
    steer("pan-down", "Shift the view down", "Shift+ArrowDown", () => bench.view?.pan(0, -SHIFT)),
    ...SURFACES.map((surfaces, i): Action => ({
      id: `view.${surfaces}`,
      group: "View",
      part: "Drawing style",
      label: STYLES[surfaces],
      keys: [`Alt+${i + 1}`],
      on: () => panes.now.surfaces === surfaces,
      run: () => (panes.surfaces = surfaces),
    })),
    { id: "view.next-style", group: "View", label: "Next drawing style", keys: ["z"], hidden: true, run: () => panes.nextSurfaces() },
    flag("edges", "Edges", "e", "edges"),
    {
      ...flag("shadows", "Shadows", "w"),
      title: () => (shadowless() ? NO_SHADOWS : "Shadows"),
      enabled: () => !shadowless(),
      on: () => panes.now.shadows && !shadowless(),
    },
    flag("grid", "Grid", "g", "grid"),
    flag("axes", "World axes", "y"),
    flag("parallel", "Parallel projection", "o"),
    {
      id: "view.section",
      group: "View",
      part: "Shown",
      label: "Section",
      keys: ["k"],
      on: () => panes.now.section !== null,
      run: () => (panes.now.section = panes.now.section ? null : middleCut(bench)),
    },
    { id: "view.flip-section", group: "View", label: "Keep the other side of the section", hidden: true, enabled: () => panes.now.section !== null, run: () => panes.flip() },
    {
      id: "view.contacts",
      group: "View",
      part: "Shown",
      label: "Mark contacts",
      keys: ["c"],
      icon: "contact",
      on: () => preferences.view.contacts,
      command: () => "contacts",
      run: () => {
        preferences.toggle("contacts");
        bench.contacts.refresh();
      },
    },
    {
      id: "view.clearance",
      group: "View",
      part: "Shown",
      label: "Smallest distance",
      keys: ["d"],
      icon: "distance",
      on: () => preferences.view.clearance,
      command: () => "clearance",
      run: () => {
        preferences.toggle("clearance");
        bench.contacts.refresh();
      },
    },
    {
      id: "view.tries",
      group: "View",
      part: "Shown",
      label: "What path searches tried",
      on: () => preferences.view.tries,
      run: () => preferences.toggle("tries"),
    },
    {
      id: "view.marks",
      group: "View",
      part: "Shown",
      label: "Targets, frames and paths",
      keys: ["m"],
      on: () => preferences.view.marks,
      run: () => preferences.toggle("marks"),
    },
    {
      id: "view.loose",
      group: "View",
      part: "Shown",
      label: "Loose things beside the cell",
      keys: ["Alt+L"],
      on: () => preferences.view.loose,
      run: () => {
        preferences.toggle("loose");
        bench.loose.refresh();
      },
    },
    {
      id: "view.frames",
      group: "View",
      part: "Shown",
      label: "Frames of the world and of the selected robot",
      keys: ["Alt+J"],
      on: () => preferences.view.frames,
      run: () => preferences.toggle("frames"),
    },
    { id: "view.save", group: "View", part: "Views", label: "Save this view", keys: ["Ctrl+Shift+V"], run: () => void keepView(bench, panes.used, bench.views.freeName("view")) },
    ...[1, 2, 3, 4].map((count): Action => ({
      id: `view.panes-${count}`,
      group: "View",
      part: "Views",
      label: ["One view", "Two views", "Three views", "Four views"][count - 1]!,
      on: () => panes.count === count,
      run: () => (panes.shown = count),
    })),
    bar("tools", "Toolbar", "The tools at the left of the view"),
    bar("status", "Status bar", "The last line of the window"),
  ];
}

/** A cut across the middle of everything: along x or y, whichever is nearer to the direction of the view. */
function middleCut({ view }: Bench): Section {
  const [x, y] = view?.sight() ?? [0, 1, 0];
  const normal: Triple = Math.abs(x) > Math.abs(y) ? [Math.sign(x), 0, 0] : [0, Math.sign(y) || 1, 0];
  const [low, high] = view?.extent(normal) ?? [-1, 1];
  return { normal, at: (low + high) / 2 };
}
