// The docks around the view: which are open, how large, and which panel each shows. Kept in this browser.
import { kept } from "./preferences.svelte";

export type DockName = "left" | "right" | "bottom";
export const DOCKS: readonly DockName[] = ["left", "right", "bottom"];
const KEY = "workcell-docks";

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

  constructor(width: number) {
    const state = (name: DockName, otherwise: DockState) => kept(`${KEY}-${name}`, otherwise);
    this.left = $state(state("left", { open: width > 900, size: 250, panel: "tree" }));
    this.right = $state(state("right", { open: width > 1180, size: 292, panel: "inspector" }));
    this.bottom = $state(state("bottom", { open: true, size: 190, panel: "console" }));
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
