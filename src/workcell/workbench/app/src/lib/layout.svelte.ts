// The docks around the view: which are open, how large, and which panel each shows. Kept in this browser.
import { kept } from "./preferences.svelte";

export type DockName = "left" | "right" | "bottom";
export const DOCKS: readonly DockName[] = ["left", "right", "bottom"];
const KEY = "workcell-docks";
/** The least and the largest size of each dock [px]. */
const BOUNDS: Record<DockName, [number, number]> = { left: [170, 560], right: [220, 640], bottom: [90, 560] };
/** What the view keeps of the width of the window [px]. */
export const LEAST_VIEW = 240;
/** In a window that is not wider the docks at the sides lie over the view [px]; `Dock.svelte` has it, too. */
const OVERLAID = 900;

export interface DockState {
  open: boolean;
  /** Width or height in pixels. */
  size: number;
  /** The id of the panel in front. */
  panel: string;
}

export class Layout {
  left: DockState;
  right: DockState;
  bottom: DockState;

  /** The width of the window [px]. */
  width = $state(0);

  constructor(width: number) {
    this.width = width;
    const state = (name: DockName, otherwise: DockState) => kept(`${KEY}-${name}`, otherwise);
    this.left = $state(state("left", { open: width > 900, size: 250, panel: "tree" }));
    this.right = $state(state("right", { open: width > 1180, size: 292, panel: "inspector" }));
    this.bottom = $state(state("bottom", { open: true, size: 190, panel: "console" }));
  }

  /** The least and the largest size that a dock can have now, so that the view keeps its least width. */
  bounds(dock: DockName): [number, number] {
    const [least, most] = BOUNDS[dock];
    if (dock === "bottom" || this.width <= OVERLAID) return [least, most];
    const other = dock === "left" ? (this.right.open ? this.sizeOf("right") : 0) : this.left.open ? BOUNDS.left[0] : 0;
    return [least, Math.max(least, Math.min(most, this.width - LEAST_VIEW - other))];
  }

  /** The size of a dock as it is shown [px]. */
  sizeOf(dock: DockName): number {
    const [least, most] = this.bounds(dock);
    return Math.min(most, Math.max(least, this[dock].size));
  }

  /** Bring a panel of a dock to the front, and open the dock. */
  show(dock: DockName, panel: string): void {
    this[dock].panel = panel;
    this[dock].open = true;
    this.save();
  }

  /** Close the dock if the panel is in front, otherwise show the panel. */
  toggle(dock: DockName, panel: string): void {
    if (this.shows(dock, panel)) this[dock].open = false;
    else this.show(dock, panel);
    this.save();
  }

  shows(dock: DockName, panel: string): boolean {
    return this[dock].open && this[dock].panel === panel;
  }

  save(): void {
    for (const name of DOCKS) localStorage.setItem(`${KEY}-${name}`, JSON.stringify(this[name]));
  }
}
