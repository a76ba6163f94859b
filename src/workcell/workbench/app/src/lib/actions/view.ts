import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

const TURN = Math.PI / 24;
const SHIFT = 0.06; // of the height of the view
const CLOSER = 0.85;

export function viewActions(bench: Bench): Action[] {
  const { preferences } = bench;
  const look = (id: string, label: string, key: string): Action => ({
    id: `view.${id}`,
    group: "View",
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
    run,
  });
  return [
    {
      id: "view.fit",
      group: "View",
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
    steer("orbit-left", "Turn the view to the left", "ArrowLeft", () => bench.view?.orbit(-TURN, 0)),
    steer("orbit-right", "Turn the view to the right", "ArrowRight", () => bench.view?.orbit(TURN, 0)),
    steer("orbit-up", "Turn the view up", "ArrowUp", () => bench.view?.orbit(0, TURN)),
    steer("orbit-down", "Turn the view down", "ArrowDown", () => bench.view?.orbit(0, -TURN)),
    steer("pan-left", "Shift the view to the left", "Shift+ArrowLeft", () => bench.view?.pan(-SHIFT, 0)),
    steer("pan-right", "Shift the view to the right", "Shift+ArrowRight", () => bench.view?.pan(SHIFT, 0)),
    steer("pan-up", "Shift the view up", "Shift+ArrowUp", () => bench.view?.pan(0, SHIFT)),
    steer("pan-down", "Shift the view down", "Shift+ArrowDown", () => bench.view?.pan(0, -SHIFT)),
    { ...steer("zoom-in", "Closer", "+", () => bench.view?.zoom(CLOSER)), keys: ["+", "="] },
    steer("zoom-out", "Farther", "-", () => bench.view?.zoom(1 / CLOSER)),
    {
      id: "view.grid",
      group: "View",
      label: "Grid",
      keys: ["g"],
      icon: "grid",
      on: () => preferences.view.grid,
      run: () => preferences.toggle("grid"),
    },
    {
      id: "view.edges",
      group: "View",
      label: "Edges",
      keys: ["e"],
      icon: "edges",
      on: () => preferences.view.edges,
      run: () => preferences.toggle("edges"),
    },
    {
      id: "view.shadows",
      group: "View",
      label: "Shadows",
      on: () => preferences.view.shadows,
      run: () => preferences.toggle("shadows"),
    },
    {
      id: "view.contacts",
      group: "View",
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
      label: "What path searches tried",
      on: () => preferences.view.tries,
      run: () => preferences.toggle("tries"),
    },
    {
      id: "view.marks",
      group: "View",
      label: "Targets, frames and paths",
      keys: ["m"],
      on: () => preferences.view.marks,
      run: () => preferences.toggle("marks"),
    },
    ...[1, 2, 4].map((count): Action => ({
      id: `view.panes-${count}`,
      group: "View",
      label: count === 1 ? "One view" : count === 2 ? "Two views" : "Four views",
      on: () => preferences.view.panes === count,
      run: () => (preferences.panes = count),
    })),
  ];
}
