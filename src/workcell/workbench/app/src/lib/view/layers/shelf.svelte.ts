// The shelf: what stands nowhere, translucent and with its edges, in rows beside everything that is placed.
import { untrack } from "svelte";
import { Box3, Matrix4, type Raycaster, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { LoosePatch, LooseShapeRow } from "../../commands";
import type { BodyInfo, PieceInfo } from "../../protocol";
import { toSeven } from "../../rigid";
import { ShapeLoader } from "../../shapes";
import { type Extent, shelved } from "../../shelf";
import type { Theme } from "../../themes";
import { Bodies } from "../bodies";
import { cornersAlong, cornersOf } from "../fitting";
import { shapeOfPatch } from "../flat";
import { Labels } from "../labels";
import type { Hit, Layer, Outline } from "../layer";
import type { Pane } from "../pane";
import type { Stage } from "../stage";
import { SolidLayer } from "./solids.svelte";

const CLEAR = 0.4; // of the opacity that it would have in the cell
const NAMED = 20; // names at most
const NONE: ReadonlySet<string> = new Set();

export class ShelfLayer implements Layer {
  readonly kind = "ghost";
  readonly bodies = new Bodies(false, true);
  private labels = new Labels();
  private loader: ShapeLoader;
  private failed = new Set<string>();
  /** Things as they are drawn, by the rows that they were made from. */
  private made = new WeakMap<LooseShapeRow, BodyInfo>();
  private patches = 0;
  private drawn: ReadonlySet<string> = NONE;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "shelf";
    this.group.add(this.labels.group);
    this.loader = new ShapeLoader(
      bench.host,
      bench.shortage,
      (hash, shape) => {
        this.bodies.store(hash, shape);
        this.arrange();
      },
      (hash) => {
        this.failed.add(hash);
        this.arrange();
      },
    );
    $effect(() => {
      void bench.connection.link;
      this.failed.clear(); // a new connection may have them
    });
    $effect(() => {
      void [bench.loose.shapes, bench.scene.seen, bench.shapes];
      untrack(() => this.arrange());
    });
    $effect(() => {
      void bench.moving.motion;
      untrack(() => this.place());
    });
    $effect(() => {
      void [bench.loose.places, bench.scene.seen, bench.selection.hidden];
      const { ids, hover, others } = bench.selection;
      const what = bench.picking.what === "body" ? hover : "";
      this.bodies.mark({ selected: new Set(ids), hover: what, theirs: new Set([...others.values()].flat()) });
      untrack(() => this.name());
    });
    $effect(() => {
      const { node } = bench.selection;
      if (node?.kind === "loose" && bench.loose.leftOut > 0 && !bench.loose.shapeOf(node)) bench.loose.refresh();
    });
  }

  get group() {
    return this.bodies.group;
  }

  /** Draw the things once all of their shapes are here, each in its place. */
  private arrange(): void {
    const { loose, scene } = this.bench;
    const rows = loose.shapes.filter((row) => scene.node(row.id));
    const missing = new Set(rows.flatMap((row) => row.pieces.map(({ glb }) => glb)).filter((glb) => !this.bodies.has(glb) && !this.failed.has(glb)));
    this.loader.want(missing);
    if (missing.size > 0) return;
    const infos = rows.map((row) => this.bodyOf(row));
    const there = new Set(rows.map((row) => row.id));
    this.bodies.remove([...this.drawn].filter((id) => !there.has(id)));
    this.bodies.update(infos);
    this.drawn = there;
    this.bodies.sweep().forEach((hash) => this.loader.forget(hash));
    const extents = new Map([...this.bodies.shown(NONE)].map(({ info, pieces }) => [info.id, pieces.reduce((whole, { box }) => whole.union(box), new Box3())]));
    const sized = infos.flatMap(({ id }) => (extents.has(id) ? [[id, extentOf(extents.get(id)!)] as const] : []));
    const places = shelved(new Map(sized), this.around());
    if (JSON.stringify([...places]) !== JSON.stringify([...loose.places])) loose.places = places;
    this.place();
  }

  /** A thing as a body, the same object as long as its shape is the same. */
  private bodyOf(row: LooseShapeRow): BodyInfo {
    const known = this.made.get(row);
    if (known) return known;
    const solids = row.pieces.map(({ glb, colour, opacity }): PieceInfo => ({ glb, colour, ghost: true, opacity: CLEAR * opacity }));
    const flats = row.patches.map((patch): PieceInfo => ({ glb: this.store(patch), colour: patch.colour, ghost: true, opacity: CLEAR }));
    const info: BodyInfo = { id: row.id, name: row.id, owner: row.id, link: -1, pieces: [...solids, ...flats], pose: [0, 0, 0, 1, 0, 0, 0], movable: false };
    this.made.set(row, info);
    return info;
  }

  private store(patch: LoosePatch): string {
    const name = `patch ${(this.patches += 1)}`;
    this.bodies.store(name, shapeOfPatch(patch));
    return name;
  }

  /** The extent of all that is placed, where it is now; undefined if nothing is. */
  private around(): Extent | undefined {
    const { picture } = this.bench.scene;
    const points = this.stage.layers.flatMap((layer) => {
      if (!(layer instanceof SolidLayer)) return layer.box && layer.group.name !== "workshop" ? cornersOf(layer.box()) : [];
      const now = new Map([...picture.bodies.values()].map(({ id, pose }) => [id, [Float32Array.from(pose)]]));
      return cornersAlong(layer.bodies.shown(NONE), now);
    });
    return points.length > 0 ? extentOf(new Box3().setFromPoints(points)) : undefined;
  }

  /** Put the things where they stand, or where they are dragged. */
  private place(): void {
    for (const [id, at] of this.bench.loose.places) {
      const here = new Matrix4().makeTranslation(...at);
      const motion = this.bench.moving.motionOf(id);
      this.bodies.place(id, toSeven(motion ? here.premultiply(motion) : here), 0);
    }
    this.name();
  }

  /** Write the names of the selected things above them. */
  private name(): void {
    const { selection, scene } = this.bench;
    const chosen = selection.ids.filter((id) => !selection.hidden.has(id) && this.bench.loose.places.has(id)).slice(0, NAMED);
    this.labels.show(chosen.map((id) => ({ text: scene.node(id)?.name ?? "", at: top(this.bodies.box(new Set([id]))) })));
    this.stage.changed();
  }

  /** The names that are written; for tests. */
  get named(): string[] {
    return this.labels.texts;
  }

  theme(theme: Theme): void {
    this.bodies.theme(theme);
    this.labels.theme(theme);
    this.name();
  }

  appear(pane: Pane): void {
    const { appearance, hidden } = pane;
    const { hidden: everywhere } = this.bench.selection;
    this.labels.appear(pane);
    this.bodies.wear(appearance);
    this.bodies.hide(hidden.size > 0 ? new Set([...everywhere, ...hidden]) : everywhere);
  }

  pick(ray: Raycaster): Hit | undefined {
    return this.bodies.pick(ray);
  }

  outlines(): Iterable<Outline> {
    return this.bodies.outlines();
  }

  dispose(): void {
    this.loader.dispose();
    this.labels.dispose();
    this.bodies.dispose();
  }
}

const extentOf = ({ min, max }: Box3): Extent => ({ low: min.toArray(), high: max.toArray() });
const top = ({ min, max }: Box3): Vector3 => new Vector3((min.x + max.x) / 2, (min.y + max.y) / 2, max.z);
