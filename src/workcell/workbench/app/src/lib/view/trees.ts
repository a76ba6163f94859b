// The trees of shapes, made when the browser has nothing else to do. Until then a ray looks at everything in a shape.
import type { Ray } from "three";
import type { Shape } from "../glb";
import type { BoxTree } from "./box_tree";

/** Fewer triangles or segments than this are all looked at. */
const FEW = 256;
const MANY = 300_000; // triangles that would keep a pointer that only passes from being followed
const SLICE = 6; // ms
const SOON = 40; // ms until a busy browser has to do a slice

type Kind = "triangles" | "segments";

export class Trees {
  private made = new Map<Shape, Partial<Record<Kind, BoxTree>>>();
  private work = new Map<Shape, Set<Kind>>();
  /** The tree that is being made. */
  private making: { shape: Shape; kind: Kind; work: Generator<void, BoxTree> } | undefined;
  private maker: typeof BoxTree | undefined;
  private planned = false;

  /** Whether so much has no tree yet that a ray may take long. */
  get slow(): boolean {
    let triangles = 0;
    for (const shape of this.work.keys()) triangles += shape.indices.length / 3;
    return triangles > MANY;
  }

  /** A shape arrived: make its trees soon. */
  want(shape: Shape): void {
    const kinds = new Set<Kind>();
    if (shape.indices.length >= 3 * FEW) kinds.add("triangles");
    if (shape.edges.length >= 6 * FEW) kinds.add("segments");
    if (kinds.size === 0) return;
    this.work.set(shape, kinds);
    this.plan();
  }

  forget(shape: Shape): void {
    this.work.delete(shape);
    this.made.delete(shape);
  }

  /** Visit the triangles or segments of a shape that a ray may meet; see `BoxTree.along`. */
  along(shape: Shape, kind: Kind, ray: Ray, room: number, limit: number, visit: (item: number) => number): void {
    const tree = this.made.get(shape)?.[kind];
    if (tree) {
      tree.along(ray, room, limit, visit);
      return;
    }
    const count = kind === "triangles" ? shape.indices.length / 3 : shape.edges.length / 6;
    for (let item = 0; item < count; item += 1) visit(item);
  }

  dispose(): void {
    this.work.clear();
    this.made.clear();
  }

  /** Do a part of the work on the first tree that is wanted. */
  private step(maker: typeof BoxTree): void {
    const [shape, kinds] = this.work.entries().next().value!;
    const [kind] = kinds as unknown as [Kind];
    if (this.making?.shape !== shape || this.making.kind !== kind) {
      const work = kind === "triangles" ? maker.made(shape.positions, shape.indices, 3) : maker.made(shape.edges, undefined, 2);
      this.making = { shape, kind, work };
    }
    const { done, value } = this.making.work.next();
    if (!done) return;
    this.making = undefined;
    this.made.set(shape, { ...this.made.get(shape), [kind]: value });
    kinds.delete(kind);
    if (kinds.size === 0) this.work.delete(shape);
  }

  private plan(): void {
    if (this.planned || this.work.size === 0) return;
    this.planned = true;
    const { maker } = this;
    if (!maker) {
      const load = import("./box_tree").then(({ BoxTree }) => (this.maker = BoxTree), () => undefined);
      void load.then((loaded) => {
        this.planned = false; // without it, the next shape tries again
        if (loaded) this.plan();
      });
      return;
    }
    const slice = (idle?: IdleDeadline) => {
      this.planned = false;
      const end = performance.now() + Math.max(SLICE, idle?.timeRemaining() ?? 0);
      while (this.work.size > 0 && performance.now() < end) this.step(maker);
      this.plan();
    };
    if (typeof requestIdleCallback === "function") requestIdleCallback(slice, { timeout: SOON });
    else setTimeout(slice);
  }
}
