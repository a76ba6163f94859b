// Where the tab of a panel lands that is dragged: the docks and parts under the pointer, and the edges of the window for docks that are not shown.
import { DOCK_TITLES, DOCKS, dockOf, type DockName, type Layout, secondOf, type Slot } from "./layout.svelte";
import type { Edges } from "./view/free";

/** A place of the page where panels are shown. */
export interface Area {
  slot: Slot;
  box: Edges;
}

/** Where the panel would be: the place, where that is in the window, and how a reader calls it. */
export interface Landing {
  slot: Slot;
  mark: Edges;
  title: string;
}

const EDGE = 80; // pixels of the window that stand for a dock that is not shown
const SHARE = 0.4; // of a dock, at its end, for a second part

const titleOf = (slot: Slot): string => {
  const dock = dockOf(slot);
  const second = dock === "bottom" ? ", on the right" : ", below";
  return `To the ${DOCK_TITLES[dock]} dock${slot === dock ? "" : second}`;
};

/**
 * Where a panel lands at a point of the window [pixels]; nothing where it is already, and nothing beside all docks.
 *
 * @param areas what is shown of the docks.
 * @param middle the view, between the docks at the sides.
 */
export function landing(layout: Layout, panel: string, { x, y }: { x: number; y: number }, areas: readonly Area[], middle: Edges): Landing | undefined {
  const found = (slot: Slot, mark: Edges): Landing | undefined => (slot === layout.slotOf(panel) ? undefined : { slot, mark, title: titleOf(slot) });
  const within = (box: Edges) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
  const area = areas.find(({ box }) => within(box));
  if (area) {
    const { slot, box } = area;
    const dock = dockOf(slot);
    const others = layout.panelsIn(slot).some((id) => id !== panel);
    if (layout.parted(dock) || !others) return found(slot, box);
    const [left, top] = [box.right - SHARE * (box.right - box.left), box.bottom - SHARE * (box.bottom - box.top)];
    if (dock === "bottom") return x > left ? found(secondOf(dock), { ...box, left }) : found(slot, box);
    return y > top ? found(secondOf(dock), { ...box, top }) : found(slot, box);
  }
  const hidden = (dock: DockName) => !areas.some(({ slot }) => dockOf(slot) === dock);
  const strips: Record<DockName, [near: number, mark: Edges]> = {
    left: [x - middle.left, { ...middle, right: middle.left + layout.sizeOf("left") }],
    right: [middle.right - x, { ...middle, left: middle.right - layout.sizeOf("right") }],
    bottom: [middle.bottom - y, { ...middle, top: middle.bottom - layout.sizeOf("bottom") }],
  };
  const dock = DOCKS.find((one) => hidden(one) && strips[one][0] < EDGE);
  return dock && found(dock, strips[dock][1]);
}
