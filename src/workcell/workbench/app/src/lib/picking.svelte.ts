// Picking in the view: bodies, faces or edges; the face or edge under the pointer, the chosen one, and their names.
import { type Matrix4, Vector3 } from "three";
import type { FaceFacts, FaceList } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Shape } from "./glb";
import { gathered, segmentsOf } from "./marked";
import { Once } from "./once.svelte";
import type { Poses } from "./poses";
import { fromSeven } from "./rigid";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import type { Listed } from "./spot_list";
import { sameSpot, type Spot } from "./spots";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

export const PICKED = ["body", "face", "edge"] as const;
/** What a click in the view picks. */
export type Picked = (typeof PICKED)[number];

/** What commands need to know of a face or edge: the thing, its faces by their names in commands, and its pose [m]. */
export interface Named {
  node: TreeNode;
  faces: readonly string[];
  /** The first face, in the frame of the thing; missing if the thing has no such face any more. */
  facts: FaceFacts | undefined;
  pose: Matrix4;
}

/** A point of a surface and its outward normal. */
export interface Pressed {
  point: Vector3;
  normal: Vector3;
}

interface Question {
  kind: Spot["kind"];
  prompt: string;
  /** Why a face or edge cannot be taken; "" if it can. */
  refusal: (spot: Spot) => string;
  answer: (spot: Spot | undefined) => void;
}

export class Picking {
  /** What clicks pick while nobody asks for something. */
  mode = $state<Picked>("body");
  /** Whether a face or edge is chosen in a list, to make something from it. */
  listing = $state(false);
  hover = $state.raw<Spot>();
  chosen = $state.raw<Spot>();
  /** What is being done with the chosen face or edge. */
  readonly work = new Once(() => this.chosen);
  /** Where the chosen face or edge was pressed, and the outward normal there, in the frame of its body. */
  pressed: Pressed | undefined;
  /** Further faces and edges that are drawn as chosen, by whoever asked for them. */
  marked = $state.raw<readonly Spot[]>([]);
  /** What the user is asked to pick; undefined if nothing. */
  asked = $state.raw<Question>();
  /** The shape of a piece of a body; set while there is a view. */
  shapeOf: (body: string, piece: number) => Shape | undefined = () => undefined;
  private lists = $state.raw<ReadonlyMap<string, FaceList>>(new Map());
  private asking = new Map<string, Promise<FaceList | undefined>>();
  /** The shapes that faces and edges had when they were pointed at or chosen. */
  private of = new WeakMap<Spot, string | undefined>();

  constructor(
    private connection: Connection,
    private scene: Scene,
    private selection: Selection,
    private poses: Poses,
  ) {
    scene.watch((touched) => {
      const owners = [...touched.bodies].map((body) => this.owner(body)?.id ?? "");
      if (touched.lists || owners.some((id) => this.lists.has(id) || this.asking.has(id))) this.forget();
      if (this.chosen && this.changed(this.chosen)) this.chosen = undefined;
      if (this.hover && this.changed(this.hover)) this.hover = undefined;
    });
  }

  /** What a click picks now. */
  get what(): Picked {
    return this.asked?.kind ?? this.mode;
  }

  use(mode: Picked): void {
    this.cancel();
    this.listing = false;
    this.mode = mode;
    this.hover = this.chosen = undefined;
  }

  /**
   * Ask the user for a face or an edge; the prompt is shown in the view. Only one question is open at a time.
   * @param refusal why a face or edge cannot be taken, "" if it can; the view shows it and asks on.
   * @returns the face or edge; undefined if the user cancelled, or something else was asked.
   */
  ask(kind: Spot["kind"], prompt: string, refusal: (spot: Spot) => string = () => ""): Promise<Spot | undefined> {
    this.cancel();
    return new Promise((answer) => (this.asked = { kind, prompt, refusal, answer }));
  }

  /** Take the open question back. */
  cancel(): void {
    const { asked } = this;
    this.asked = this.hover = undefined;
    asked?.answer(undefined);
  }

  /** The pointer is over a face or edge, or over none. */
  point(spot: Spot | undefined): void {
    if (sameSpot(spot, this.hover)) return;
    this.hover = spot;
    if (spot) this.of.set(spot, this.shape(spot));
  }

  /** The name of the shape of the piece that a face or edge belongs to; undefined if it is gone. */
  private shape({ body, piece }: Spot): string | undefined {
    return this.scene.picture.bodies.get(body)?.pieces[piece]?.glb;
  }

  /** Whether the piece that a face or edge belongs to is gone or has another shape, whose faces have other numbers. */
  private changed(spot: Spot): boolean {
    return this.shape(spot) !== this.of.get(spot);
  }

  /** A face or edge was clicked, or nothing, at a point of the world; returns why it cannot be taken, or "". */
  take(spot: Spot | undefined, at?: Pressed): string {
    const { asked } = this;
    if (asked && spot) {
      const reason = asked.refusal(spot);
      if (reason) return reason;
      this.asked = this.hover = undefined;
      asked.answer(spot);
    } else if (!asked) {
      this.chosen = spot;
      this.pressed = undefined;
      if (spot) this.of.set(spot, this.shape(spot));
      const pose = spot && this.poses.of(spot.body);
      if (pose && at) {
        const back = fromSeven(pose).invert();
        this.pressed = { point: at.point.clone().applyMatrix4(back), normal: at.normal.clone().transformDirection(back) };
      }
      this.selection.select(spot ? (this.owner(spot.body)?.id ?? "") : "");
    }
    return "";
  }

  /** The faces or edges of an object by their names, as far as their shapes are here. */
  async listed(node: TreeNode, kind: Spot["kind"]): Promise<Listed[]> {
    const { spotsOf } = await import("./spot_list");
    const { bodies } = this.scene.picture;
    const several = node.bodies.some((id) => (bodies.get(id)?.pieces.length ?? 0) > 1);
    const prefixes = (several && (await this.fetch(node))?.prefixes) || [];
    return node.bodies.flatMap((id) => spotsOf(kind, id, bodies.get(id)?.pieces.map((_, piece) => this.shapeOf(id, piece)?.faces) ?? [], prefixes));
  }

  /** Take a face, as if it was clicked in its middle, or an edge; returns why it cannot be taken, or "". */
  async takeListed(spot: Spot): Promise<string> {
    const { asked } = this;
    const [found, { middleOf }] = await Promise.all([this.named(spot), import("./spot_list")]);
    if (asked !== this.asked) return "";
    if (!asked) {
      this.listing = false;
      this.mode = spot.kind; // so that a click chooses another one
    }
    const at = spot.kind === "face" && found?.facts && middleOf(this.shapeOf(spot.body, spot.piece), spot.faces[0]!, found.facts);
    return this.take(spot, at && found ? { point: at.point.applyMatrix4(found.pose), normal: at.normal.transformDirection(found.pose) } : undefined);
  }

  /** The line of the tree of the object or robot that a body belongs to. */
  owner(body: string): TreeNode | undefined {
    return this.scene.node(this.scene.holdersOf(body)[0] ?? "");
  }

  /** The name of a face or edge: `crate.top`, `crate.top + crate.front`. */
  label(spot: Spot): string {
    void this.scene.seen;
    const owner = this.owner(spot.body);
    const before = owner?.kind === "object" ? owner.name : (this.scene.picture.bodies.get(spot.body)?.name ?? "");
    return this.namesOf(spot).map((name) => `${before}.${name}`).join(" + ");
  }

  /** The facts of the chosen face as the server has them; undefined until they are here, and for an edge. */
  facts(spot: Spot): FaceFacts | undefined {
    if (spot.kind !== "face") return undefined;
    const [name] = this.namesOf(spot);
    return this.list(spot)?.faces.find((face) => face.name === name);
  }

  /** The outward normal of a face in the world, at the time that is shown. */
  normal(spot: Spot): Vector3 | undefined {
    const facts = this.facts(spot);
    const pose = this.poses.of(spot.body);
    return facts && pose && new Vector3(...facts.normal).transformDirection(fromSeven(pose));
  }

  /** The length of an edge [m], from the segments that are drawn; 0 if its shape is not here. */
  length(spot: Spot): number {
    const shape = this.shapeOf(spot.body, spot.piece);
    if (!shape?.faces || spot.kind !== "edge") return 0;
    const points = gathered(shape.edges, segmentsOf(shape.faces, spot.faces), 6);
    let sum = 0;
    for (let i = 0; i < points.length; i += 6) {
      sum += Math.hypot(points[i + 3]! - points[i]!, points[i + 4]! - points[i + 1]!, points[i + 5]! - points[i + 2]!);
    }
    return sum;
  }

  /** What commands need to know of a face or edge; undefined for a link of a robot, whose faces have no names there. */
  async named(spot: Spot): Promise<Named | undefined> {
    const node = this.owner(spot.body);
    const pose = this.poses.of(spot.body);
    if (node?.kind !== "object" || !pose) return undefined;
    const list = await this.fetch(node);
    const faces = this.namesOf(spot, list);
    return { node, faces, facts: list?.faces.find((face) => face.name === faces[0]), pose: fromSeven(pose) };
  }

  /** The names of the faces, with the prefix of the piece if its body has several. */
  private namesOf(spot: Spot, given?: FaceList): string[] {
    const names = this.shapeOf(spot.body, spot.piece)?.faces?.names ?? [];
    const several = (this.scene.picture.bodies.get(spot.body)?.pieces.length ?? 0) > 1;
    const list = given ?? (several ? this.list(spot) : undefined);
    const before = list?.prefixes[spot.piece] ?? "";
    return spot.faces.flatMap((face) => (names[face] === undefined ? [] : [before + names[face]]));
  }

  /** The faces of the thing that a spot belongs to; asked for if they are not here. */
  private list(spot: Spot): FaceList | undefined {
    const node = this.owner(spot.body);
    if (node?.kind !== "object") return undefined;
    const known = this.lists.get(node.id);
    if (!known) void this.fetch(node);
    return known;
  }

  private fetch(node: TreeNode): Promise<FaceList | undefined> {
    const known = this.lists.get(node.id);
    if (known) return Promise.resolve(known);
    const asked = this.asking.get(node.id) ?? this.load(node);
    this.asking.set(node.id, asked);
    return asked;
  }

  private async load(node: TreeNode): Promise<FaceList | undefined> {
    const { asking } = this;
    try {
      const list = await this.connection.call("faces", { thing: `object:${quoted(node.name)}` });
      if (asking === this.asking) this.lists = new Map(this.lists).set(node.id, list);
      return list;
    } catch {
      return undefined; // a thing without solids
    }
  }

  private forget(): void {
    this.lists = new Map();
    this.asking = new Map();
  }
}
