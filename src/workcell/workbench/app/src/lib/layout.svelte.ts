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
const OVERLAID = 620;
/** In a window that is not wider one of the docks at the sides is open at a time [px]. */
const NARROW = 900;
const ACROSS: Partial<Record<DockName, "left" | "right">> = { left: "right", right: "left" };

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

  private across = $state(NARROW + 1);
  /** Which docks at the sides are open in a wide window. */
  private wide: { left: boolean; right: boolean };

  constructor(width: number) {
    const state = (name: DockName, otherwise: DockState) => kept(`${KEY}-${name}`, otherwise);
    this.left = $state(state("left", { open: true, size: 250, panel: "tree" }));
    this.right = $state(state("right", { open: width > 1180, size: 308, panel: "inspector" }));
    this.bottom = $state(state("bottom", { open: true, size: 190, panel: "console" }));
    this.wide = { left: this.left.open, right: this.right.open };
    this.width = width;
  }

  /** The width of the window [px]. A narrow one begins with the view alone, a wide one is as it was left. */
  get width(): number {
    return this.across;
  }

  set width(width: number) {
    const { narrow } = this;
    this.across = width;
    if (this.narrow === narrow) return;
    this.left.open = narrow && this.wide.left;
    this.right.open = narrow && this.wide.right;
  }

  private get narrow(): boolean {
    return this.across <= NARROW;
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
    const other = ACROSS[dock];
    if (other && this.narrow) this[other].open = false;
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
    if (!this.narrow) this.wide = { left: this.left.open, right: this.right.open };
    const state = { left: { ...this.left, open: this.wide.left }, right: { ...this.right, open: this.wide.right }, bottom: this.bottom };
    for (const name of DOCKS) localStorage.setItem(`${KEY}-${name}`, JSON.stringify(state[name]));
  }
}
