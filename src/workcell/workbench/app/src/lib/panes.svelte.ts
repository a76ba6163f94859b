// The panes of the view: how many, how each draws the cell, and which one was used last. Kept in this browser.
import type { CameraState } from "./views.svelte";
import type { Appearance, Surfaces } from "./view/appearance";
import { flipped, PLAIN, SURFACES } from "./view/appearance";

export const MOST = 4;
const KEY = "workcell-panes";

/** What a pane is beside its camera. */
export interface PaneState extends Appearance {
  /** Whether sizes are true, not smaller with the distance. */
  parallel: boolean;
  /** Whether they are only as long as the pane looks square on from a side. */
  square: boolean;
  /** How far the picture is turned clockwise [rad]. */
  twist: number;
  /** What is nearer to the eye than this is cut away [m]; 0 for nothing. */
  near: number;
  /** The named view that it shows, until its camera is moved; "" for none. */
  view: string;
  /** The names of what it shows (null: everything), and of what it hides, beside what the window hides. */
  shows: string[] | null;
  hides: string[];
}

/** What can be switched on and off in a pane. */
export type PaneSwitch = "edges" | "shadows" | "grid" | "axes" | "parallel";

const plain = (): PaneState => ({ ...PLAIN, parallel: false, square: false, twist: 0, near: 0, view: "", shows: null, hides: [] });

export class Panes {
  list = $state<PaneState[]>(kept());
  count = $state(counted());
  /** The number of the pane that was used last. */
  used = $state(0);

  /** Where the camera of each pane is. */
  cameras = $state.raw<readonly (CameraState | undefined)[]>([]);

  /** Whether the next press on a face puts the section there. */
  facing = $state(false);

  /** The pane that was used last. */
  get now(): PaneState {
    return this.list[Math.min(this.used, this.count - 1)]!;
  }

  /** The camera of a pane is somewhere else. */
  stands(number: number, camera: CameraState): void {
    this.cameras = this.list.map((_, i) => (i === number ? camera : this.cameras[i]));
  }

  set shown(count: number) {
    this.count = Math.min(MOST, Math.max(1, count));
    this.save();
  }

  toggle(name: PaneSwitch): void {
    this.now[name] = !this.now[name];
    if (name === "parallel") this.now.square = false; // it was chosen
    this.save();
  }

  set surfaces(surfaces: Surfaces) {
    this.now.surfaces = surfaces;
    this.save();
  }

  /** The next way to draw surfaces. */
  nextSurfaces(): void {
    this.surfaces = SURFACES[(SURFACES.indexOf(this.now.surfaces) + 1) % SURFACES.length]!;
  }

  /** Make a pane another one. */
  become(number: number, state: PaneState): void {
    this.list[number] = state;
    this.save();
  }

  /** A pane looks from a side: square on sizes are true, obliquely they are as before. */
  lookFrom(number: number, side: string): void {
    const pane = this.list[number]!;
    if (side === "iso") this.turn(number);
    else if (!pane.parallel) pane.parallel = pane.square = true;
  }

  /** A pane is turned away from its side. */
  turn(number: number): void {
    const pane = this.list[number]!;
    if (pane.square) pane.parallel = pane.square = false;
  }

  /** Look at the pane in use in the usual way: upright, and with nothing cut away near the eye. */
  upright(): void {
    this.now.twist = this.now.near = 0;
  }

  flip(): void {
    if (this.now.section) this.now.section = flipped(this.now.section);
  }

  save(): void {
    localStorage.setItem(KEY, JSON.stringify({ count: this.count, list: this.list.map((pane) => ({ ...pane, parallel: pane.parallel && !pane.square })) }));
  }
}

function stored(): { count?: unknown; list?: unknown } {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? "{}") as { count?: unknown; list?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

function counted(): number {
  const { count } = stored();
  return typeof count === "number" && count >= 1 && count <= MOST ? Math.floor(count) : 1;
}

/** The panes as they were; what is missing or damaged is plain. A section is not kept: a cut that nobody remembers puzzles. */
function kept(): PaneState[] {
  const { list } = stored();
  const found: unknown[] = Array.isArray(list) ? list : [];
  return Array.from({ length: MOST }, (_, i) => {
    const pane = plain();
    const one = found[i];
    if (one === null || typeof one !== "object") return pane;
    const given = one as Partial<PaneState>;
    for (const name of ["edges", "shadows", "grid", "axes", "parallel"] as const) {
      if (typeof given[name] === "boolean") pane[name] = given[name];
    }
    if (SURFACES.includes(given.surfaces as Surfaces)) pane.surfaces = given.surfaces!;
    return pane;
  });
}
