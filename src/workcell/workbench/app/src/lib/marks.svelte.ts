// Where targets, frames and paths are now: asked for again after the cell changed.
import type { PathLine, PlacePose, PlacePoses } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Picture } from "./picture";
import { Repeated } from "./repeated";
import type { Scene } from "./scene.svelte";

/** A target or frame with the id of its line in the tree, and the body that it rides on ("" for the world). */
export interface Mark {
  id: string;
  kind: string;
  pose: readonly number[];
  body: string;
}

/** A path: its targets, and their points [m] one after the other, closed if it is a ring. */
export interface Polyline {
  id: string;
  /** The names of its targets, in order. */
  targets: readonly string[];
  points: readonly (readonly number[])[];
  body: string;
}

const QUIET = 80; // ms after a change
const NOTHING: PlacePoses = { places: [], paths: [], text: "" };
const KINDS: ReadonlySet<string> = new Set(["target", "frame", "path"]);

export class Marks {
  list = $state.raw<readonly Mark[]>([]);
  paths = $state.raw<readonly Polyline[]>([]);
  private asked = new Repeated(QUIET, () => this.ask());

  constructor(
    private connection: Connection,
    private scene: Scene,
  ) {
    scene.watch(() => this.refresh());
  }

  /** The cell changed: ask soon. */
  private refresh(): void {
    this.asked.refresh();
  }

  private ask(): Promise<void> | undefined {
    const any = [...this.scene.picture.nodes.values()].some((node) => KINDS.has(node.kind));
    if (any) return this.connection.link === "open" ? this.fetch() : undefined;
    this.show(NOTHING);
    return undefined;
  }

  private async fetch(): Promise<void> {
    try {
      this.show(await this.connection.call("place-poses", {}));
    } catch {
      this.show(NOTHING); // the connection was lost; the next picture asks again
    }
  }

  private show(found: PlacePoses): void {
    if (found.places.length + found.paths.length + this.list.length + this.paths.length === 0) return;
    [this.list, this.paths] = marksOf(found, this.scene.picture);
  }
}

/** The answer with the ids of the page; what the tree does not have yet, or no longer has, is left out. */
export function marksOf(found: PlacePoses, picture: Picture): [Mark[], Polyline[]] {
  const ids = new Map([...picture.nodes.values()].filter((node) => KINDS.has(node.kind)).map((node) => [`${node.kind}:${node.name}`, node.id]));
  const robots = new Map([...picture.robots.values()].map((robot) => [robot.name, robot.id]));
  const bodies = new Map<string, string>();
  for (const body of picture.bodies.values()) {
    bodies.set(body.name, body.id);
    const link = `${body.owner}#${body.link}`;
    if (body.link >= 0 && !bodies.has(link)) bodies.set(link, body.id);
  }
  const carrier = ({ carrier: name, link }: PlacePose | PathLine) =>
    (link < 0 ? bodies.get(name) : bodies.get(`${robots.get(name)}#${link}`)) ?? "";
  const marks = found.places.flatMap((one) => {
    const id = ids.get(`${one.kind}:${one.name}`);
    return id ? [{ id, kind: one.kind, pose: one.pose, body: carrier(one) }] : [];
  });
  const paths = found.paths.flatMap((one) => {
    const id = ids.get(`path:${one.name}`);
    const points = one.ring && one.points.length > 2 ? [...one.points, one.points[0]!] : one.points;
    return id ? [{ id, targets: one.targets, points, body: carrier(one) }] : [];
  });
  return [marks, paths];
}
