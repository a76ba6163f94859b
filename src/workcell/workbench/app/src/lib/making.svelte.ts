// The card that makes targets from geometry, curves, patches or walls; what it shows in the view, and the points that are pressed for it.
import type { ShownTargets } from "./commands";
import { Once } from "./once.svelte";
import type { Under } from "./snapping";

/** The commands that make a path of targets. */
export type PatternKind = "along-edge" | "over-face" | "along-curve" | "grid" | "mirror";
export type DrawnKind = "curve" | "patch" | "wall";

/** Which targets: from what, by the id of its line in the tree, and for faces by their names there. */
export interface PatternAsked {
  kind: PatternKind;
  id: string;
  faces: readonly string[];
  /** A first step between targets that suits the size of the face, edge or curve [m]. */
  step: number;
  /** Whether the face is flat. */
  flat: boolean;
  /** Where the first target of a grid is at first, on the thing: x y z [m], quaternion w x y z. */
  first?: readonly number[];
}

/** What the card shows in the view, in the world [m]. */
export interface Sketched {
  frames: ShownTargets["places"];
  lines: readonly (readonly (readonly number[])[])[];
  dots: readonly (readonly number[])[];
}

const NOTHING: Sketched = { frames: [], lines: [], dots: [] };

export class Making {
  /** What the open card makes; undefined if there is none. A card that is asked for again is another one. */
  targets = $state.raw<PatternAsked>();
  drawn = $state.raw<{ kind: DrawnKind }>();
  private work = new Once(() => this.card);
  shown = $state.raw<Sketched>(NOTHING);
  /** Hears of what is under the pointer, and whether it is pressed; undefined while a click selects. */
  takes = $state.raw<(under: Under | undefined, pressed: boolean) => void>();

  get card(): PatternAsked | { kind: DrawnKind } | undefined {
    return this.targets ?? this.drawn;
  }

  get open(): boolean {
    return this.card !== undefined;
  }

  /** Whether what the open card makes is being made. */
  get busy(): boolean {
    return this.work.busy;
  }

  ask(targets: PatternAsked): void {
    this.close();
    this.targets = targets;
  }

  draw(kind: DrawnKind): void {
    this.close();
    this.drawn = { kind };
  }

  /** Make what the open card is for, and close the card; returns whether it was made, and no other card was opened meanwhile. */
  async make(press: () => Promise<boolean>): Promise<boolean> {
    const done = await this.work.run(press);
    if (done) this.close();
    return done;
  }

  show(shown: Partial<Sketched>): void {
    this.shown = { ...NOTHING, ...shown };
  }

  close(): void {
    this.targets = this.drawn = this.takes = undefined;
    this.shown = NOTHING;
  }
}
