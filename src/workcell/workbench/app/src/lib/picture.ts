// The cell of the page: tables by id, made from the whole and updated by differences.
import type {
  BodyInfo,
  Difference,
  Facts,
  NodeInfo,
  RobotInfo,
  Scene,
  ZoneInfo,
} from "./protocol";

/** What a message changed: the ids of bodies to redraw or remove, and whether lists changed. */
export interface Touched {
  bodies: Set<string>;
  zones: boolean;
  lists: boolean;
  whole: boolean;
}

interface Entry {
  id: string;
}

interface TableDifference {
  appeared?: Entry[];
  changed?: Entry[];
  went?: string[];
}

export class Picture {
  number = 0;
  facts: Facts | undefined;
  bodies = new Map<string, BodyInfo>();
  nodes = new Map<string, NodeInfo>();
  robots = new Map<string, RobotInfo>();
  zones = new Map<string, ZoneInfo>();

  /** Replace everything. */
  replace(scene: Scene): Touched {
    const before = this.bodies;
    this.number = scene.number;
    this.facts = scene.facts;
    const byId = <T extends Entry>(entries: T[]) => new Map(entries.map((entry) => [entry.id, entry]));
    this.bodies = byId(scene.bodies);
    this.nodes = byId(scene.nodes);
    this.robots = byId(scene.robots);
    this.zones = byId(scene.zones);
    return { bodies: new Set([...before.keys(), ...this.bodies.keys()]), zones: true, lists: true, whole: true };
  }

  /** Apply a difference; undefined if an earlier one was missed, and the whole is needed. */
  apply(difference: Difference): Touched | undefined {
    if (difference.before !== this.number) return undefined;
    this.number = difference.after;
    this.facts = difference.facts;
    const bodies = merge(this.bodies, difference.bodies);
    const zones = merge(this.zones, difference.zones);
    merge(this.robots, difference.robots);
    merge(this.nodes, difference.nodes);
    const known = difference.bodies;
    const lists =
      difference.nodes !== undefined ||
      !!known?.appeared ||
      !!known?.went ||
      !!known?.changed?.some((one) => "name" in one || "owner" in one || "pieces" in one || "movable" in one) ||
      !!difference.robots?.changed?.some((one) => "tool" in one || "hand" in one || "fitted" in one);
    return { bodies, zones: zones.size > 0, lists, whole: false };
  }
}

function merge<T extends Entry>(table: Map<string, T>, difference: TableDifference | undefined): Set<string> {
  const touched = new Set<string>();
  for (const id of difference?.went ?? []) {
    table.delete(id);
    touched.add(id);
  }
  for (const change of difference?.changed ?? []) {
    table.set(change.id, { ...table.get(change.id)!, ...change });
    touched.add(change.id);
  }
  for (const entry of difference?.appeared ?? []) {
    table.set(entry.id, entry as T);
    touched.add(entry.id);
  }
  return touched;
}
