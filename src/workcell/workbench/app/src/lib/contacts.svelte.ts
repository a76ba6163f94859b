// What touches now, and the smallest distance: asked again after the cell changed, while somebody wants to see it.
import type { ContactRow } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Preferences } from "./preferences.svelte";
import { Repeated } from "./repeated";
import type { Scene } from "./scene.svelte";

/** Two bodies that touch, or are closer than their margin. */
export interface Contact {
  pair: [string, string];
  kind: string;
  /** A point of the contact [m], if it is known. */
  point?: [number, number, number];
  /** How deep it is [m]; 0 if that is not known. */
  depth: number;
}

/** The smallest distance [m], between two bodies, and their nearest points [m]. */
export interface Distance {
  pair: [string, string];
  length: number;
  points: [number, number, number][];
}

/** What touches at the time that is shown, and the smallest distance, or one that was measured. */
export interface Touching {
  readonly list: readonly Contact[];
  readonly distance: Distance | undefined;
  readonly measured: Distance | undefined;
  /** Whether there is anything to show. */
  readonly any: boolean;
  /** The ids of the bodies that touch something. */
  readonly bodies: Set<string>;
}

const QUIET = 200; // ms after a change
const COLD = 500; // ms until it is looked again whether the engines are loaded

export class Contacts implements Touching {
  list = $state.raw<readonly Contact[]>([]);
  distance = $state.raw<Distance>();
  /** A distance that somebody measured between two things; shown until the selection or the cell changes. */
  measured = $state.raw<Distance>();
  /** Whether the list of pairs is folded to one line. */
  folded = $state(false);
  private asked = new Repeated(QUIET, () => this.ask());

  constructor(
    private connection: Connection,
    private scene: Scene,
    private preferences: Preferences,
  ) {
    let revision = "";
    scene.watch((touched) => {
      const edited = scene.facts?.revision !== revision; // what may touch changes without a body that moves, too
      revision = scene.facts?.revision ?? "";
      const moved = touched.bodies.size > 0 || touched.whole;
      if (moved) this.measured = undefined;
      if (moved || edited) this.refresh();
    });
  }

  get any(): boolean {
    return this.list.length > 0 || this.distance !== undefined || this.measured !== undefined;
  }

  /** The ids of the bodies that touch something. */
  get bodies(): Set<string> {
    return bodiesOf(this.list, this.scene);
  }

  /** The cell changed, or somebody wants to see more or less: ask again soon. */
  refresh(): void {
    this.asked.refresh();
  }

  private ask(): Promise<void> | undefined {
    const { contacts, clearance } = this.preferences.view;
    if (!contacts) this.list = [];
    if (!clearance) this.distance = undefined;
    if ((!contacts && !clearance) || this.connection.link !== "open") return undefined;
    if (this.connection.status?.warm) return this.fetch(contacts, clearance);
    this.asked.refresh(COLD); // the engines are being loaded
    return undefined;
  }

  private async fetch(contacts: boolean, clearance: boolean): Promise<void> {
    try {
      if (contacts) this.list = (await this.connection.call("contacts", {})).contacts.map(contactOf);
      if (clearance) this.distance = distanceOf(await this.connection.call("clearance", {}));
    } catch {
      this.list = []; // the collision commands say why when they are typed
      this.distance = undefined;
    }
  }
}

/** The ids of the bodies in some contacts. */
export function bodiesOf(list: readonly Contact[], scene: Scene): Set<string> {
  void scene.seen;
  const names = new Set(list.flatMap((contact) => contact.pair));
  if (names.size === 0) return new Set();
  return new Set([...scene.picture.bodies.values()].filter((body) => names.has(body.name)).map((body) => body.id));
}

export function contactOf(row: ContactRow): Contact {
  return row as unknown as Contact;
}

export function distanceOf(found: { distance: number; pair: [string, string]; points: number[][] }): Distance | undefined {
  if (found.points.length !== 2) return undefined;
  return { pair: found.pair, length: found.distance, points: found.points as Distance["points"] };
}
