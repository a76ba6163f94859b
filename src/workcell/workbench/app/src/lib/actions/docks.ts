import { PANELS } from "../panels";
import type { Bench } from "../bench.svelte";
import { DOCK_TITLES, DOCKS, dockOf, secondOf, type Slot } from "../layout.svelte";
import type { Action } from "./action";

/** Where the panel that was used last is shown. */
export function dockActions({ layout }: Bench): Action[] {
  const panel = () => PANELS.find(({ id }) => id === layout.used);
  const title = () => panel()?.title ?? "the panel";
  const dock = () => dockOf(layout.slotOf(layout.used));
  const alone = () => layout.panelsIn(layout.slotOf(layout.used)).length < 2;
  const second = () => panel() !== undefined && layout.slotOf(layout.used) !== dock();
  const move = (slot: Slot) => {
    const id = layout.used;
    layout.move(id, slot);
    setTimeout(() => document.getElementById(`tab-${id}`)?.focus());
  };
  return [
    ...DOCKS.map((to): Action => ({
      id: `window.move-${to}`,
      group: "Window",
      part: "Layout",
      get label() {
        return `Move ${title()} to the ${DOCK_TITLES[to]} dock`;
      },
      title: () => "The panel that was used last",
      enabled: () => panel() !== undefined && dock() !== to,
      run: () => move(to),
    })),
    {
      id: "window.split",
      group: "Window",
      part: "Layout",
      get label() {
        const beside = panel() && dock() === "bottom";
        if (second()) return `Put ${title()} with the panels ${beside ? "on the left" : "above"}`;
        return `Show ${title()} ${beside ? "beside" : "below"} the other panels`;
      },
      title: () => "The panel that was used last",
      enabled: () => second() || (panel() !== undefined && !alone()),
      run: () => move(second() ? dock() : secondOf(dock())),
    },
    { id: "window.reset", group: "Window", part: "Layout", label: "Reset the layout", title: () => "Restore the original panels, sizes and bars", run: () => layout.reset() },
  ];
}
