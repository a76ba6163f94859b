// The docks around the view: which are open, how large, which panels each has, and which of them are in front. Kept in this browser.
import { kept } from "./preferences.svelte";

export type DockName = "left" | "right" | "bottom";
export const DOCKS: readonly DockName[] = ["left", "right", "bottom"];
/** A place for panels: a dock, or its second part, which is below the first one and, in the lower dock, beside it. */
export type Slot = DockName | `${DockName}-2`;
export const secondOf = (dock: DockName): Slot => `${dock}-2`;
export const dockOf = (slot: Slot): DockName => slot.replace("-2", "") as DockName;
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

/** What a dock is called in sentences. */
export const DOCK_TITLES: Record<DockName, string> = { left: "left", right: "right", bottom: "lower" };
/** The share of its dock that a second part has at least and at most. */
export const SHARES: readonly [number, number] = [0.2, 0.8];

export interface DockState {
  open: boolean;
  /** Width or height in pixels. */
  size: number;
  /** The ids of the panels in front, of both parts. */
  panel: string;
  second: string;
  /** The share of the second part, if there is one. */
  share: number;
}

/** The tools at the left of the view, and the status bar. */
export type Bar = "tools" | "status";

const opened = (open: boolean, size: number, panel: string): DockState => ({ open, size, panel, second: "", share: 0.5 });
const docksOf = (width: number): Record<DockName, DockState> => ({
  left: opened(true, 250, "tree"),
  right: opened(width > 1180, 308, "inspector"),
  bottom: opened(true, 190, "console"),
});

export class Layout {
  left: DockState;
  right: DockState;
  bottom: DockState;
  /** Which bars are shown. */
  bars: Record<Bar, boolean>;
  /** The panel that was used last. */
  used = $state("");
  /** The panel whose tab is dragged, and where the pointer is [pixels of the window]. */
  dragged = $state.raw<{ panel: string; x: number; y: number }>();
  /** Where it would land. */
  landing: Slot | undefined;

  /** Where each panel is. */
  private slots: Record<string, Slot>;
  private across = $state(NARROW + 1);
  /** Which docks at the sides are open in a wide window. */
  private wide: { left: boolean; right: boolean };

  /**
   * @param width of the window [px].
   * @param panels all panels, each with the dock where it is at first.
   */
  constructor(
    width: number,
    private panels: readonly { id: string; dock: DockName }[],
  ) {
    const first = docksOf(width);
    const state = (name: DockName) => kept(`${KEY}-${name}`, first[name]);
    this.left = $state(state("left"));
    this.right = $state(state("right"));
    this.bottom = $state(state("bottom"));
    this.bars = $state(kept(`${KEY}-bars`, { tools: true, status: true }));
    const known = new Set<string>(DOCKS.flatMap((dock) => [dock, secondOf(dock)]));
    const moved = Object.entries(kept<Record<string, string>>(`${KEY}-panels`, this.homes)).filter(([, slot]) => known.has(slot));
    this.slots = $state({ ...this.homes, ...(Object.fromEntries(moved) as Record<string, Slot>) });
    for (const dock of DOCKS) this.fill(dock);
    this.wide = { left: this.left.open, right: this.right.open };
    this.width = width;
  }

  private get homes(): Record<string, DockName> {
    return Object.fromEntries(this.panels.map(({ id, dock }) => [id, dock]));
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
    const other = dock === "left" ? (this.opens("right") ? this.sizeOf("right") : 0) : this.opens("left") ? BOUNDS.left[0] : 0;
    return [least, Math.max(least, Math.min(most, this.width - LEAST_VIEW - other))];
  }

  /** The size of a dock as it is shown [px]. */
  sizeOf(dock: DockName): number {
    const [least, most] = this.bounds(dock);
    return Math.min(most, Math.max(least, this[dock].size));
  }

  /** Where a panel is. */
  slotOf(panel: string): Slot {
    return this.slots[panel]!;
  }

  /** The ids of the panels at a place. */
  panelsIn(slot: Slot): string[] {
    return this.panels.map(({ id }) => id).filter((id) => this.slots[id] === slot);
  }

  /** The id of the panel in front at a place; "" if there is none. */
  front(slot: Slot): string {
    const there = this.panelsIn(slot);
    const dock = this[dockOf(slot)];
    const wanted = slot.endsWith("-2") ? dock.second : dock.panel;
    return there.includes(wanted) ? wanted : (there[0] ?? "");
  }

  /** Whether a dock shows two panels. */
  parted(dock: DockName): boolean {
    return this.panelsIn(secondOf(dock)).length > 0;
  }

  /** Whether a dock is shown: it is open, and some panel is there. */
  opens(dock: DockName): boolean {
    return this[dock].open && this.panelsIn(dock).length > 0;
  }

  /** Bring a panel to the front where it is, and open its dock. */
  show(panel: string): void {
    const slot = this.slotOf(panel);
    const dock = dockOf(slot);
    this[dock][slot === dock ? "panel" : "second"] = panel;
    this[dock].open = true;
    this.used = panel;
    const other = ACROSS[dock];
    if (other && this.narrow) this[other].open = false;
    this.save();
  }

  /** Close the dock of a panel that is in front, otherwise show the panel. */
  toggle(panel: string): void {
    if (this.shows(panel)) this[dockOf(this.slotOf(panel))].open = false;
    else this.show(panel);
    this.save();
  }

  shows(panel: string): boolean {
    const slot = this.slotOf(panel);
    return this[dockOf(slot)].open && this.front(slot) === panel;
  }

  /** Move a panel to another place, and show it there. */
  move(panel: string, slot: Slot): void {
    const before = dockOf(this.slotOf(panel));
    this.slots[panel] = slot;
    for (const dock of [before, dockOf(slot)]) this.fill(dock);
    this.show(panel);
  }

  /** Make one part of both parts of a dock. */
  join(dock: DockName): void {
    this.gather(dock);
    this.save();
  }

  private gather(dock: DockName): void {
    for (const panel of this.panelsIn(secondOf(dock))) this.slots[panel] = dock;
  }

  /** If nothing is left in the first part of a dock, the second one takes its place. */
  private fill(dock: DockName): void {
    if (this.panelsIn(dock).length > 0 || !this.parted(dock)) return;
    this[dock].panel = this.front(secondOf(dock));
    this.gather(dock);
  }

  /** Make a dock at least so large that a panel there can be read [px]; the lower one is wide enough. */
  widen(panel: string, least: number): void {
    const dock = dockOf(this.slotOf(panel));
    if (dock !== "bottom") this[dock].size = Math.max(this[dock].size, least);
  }

  /** Show or hide a bar. */
  switch(bar: Bar): void {
    this.bars[bar] = !this.bars[bar];
    this.save();
  }

  /** Put all panels where they are at first, with the first sizes, and show all bars. */
  reset(): void {
    const { narrow } = this;
    const first = docksOf(this.width);
    this.slots = this.homes;
    this.wide = { left: first.left.open, right: first.right.open };
    for (const name of DOCKS) Object.assign(this[name], first[name], name !== "bottom" && narrow ? { open: false } : {});
    this.bars = { tools: true, status: true };
    this.save();
  }

  save(): void {
    if (!this.narrow) this.wide = { left: this.left.open, right: this.right.open };
    const state = { left: { ...this.left, open: this.wide.left }, right: { ...this.right, open: this.wide.right }, bottom: this.bottom, panels: this.slots, bars: this.bars };
    for (const [name, value] of Object.entries(state)) localStorage.setItem(`${KEY}-${name}`, JSON.stringify(value));
  }
}
