// A layer of the view: one kind of thing that is drawn, in one file.
import type { Box3, Matrix4, Object3D, Raycaster, Vector3 } from "three";
import type { Bench } from "../bench.svelte";
import type { Touched } from "../picture";
import type { Spot } from "../spots";
import type { Theme } from "../themes";
import type { Pane } from "./pane";
import type { Stage } from "./stage";

/** In this order: opaque things, translucent things, contacts, and what is drawn over everything. */
export const KINDS = ["solid", "ghost", "contact", "overlay"] as const;
export type Kind = (typeof KINDS)[number];

/**
 * What is under a ray: the id of the body or thing, how far away [m], and where; of a body also its piece, its triangle and
 * the normal there. A translucent volume is as far away as the point where the ray leaves it.
 */
export interface Hit {
  id: string;
  distance: number;
  point: Vector3;
  piece?: number;
  triangle?: number;
  normal?: Vector3;
}

/** A face or edge under a ray: how far away [m], and where; of a face also the normal there. */
export interface SpotHit {
  spot: Spot;
  distance: number;
  point: Vector3;
  normal?: Vector3;
}

/** A rectangle that is drawn in a pane [pixels]: where it began and where it ends. */
export interface Band {
  from: { x: number; y: number };
  to: { x: number; y: number };
}

/** What a rectangle in the view may take: the id of a body or thing, and its points, each `corners` of which belong together. */
export interface Outline {
  id: string;
  matrix: Matrix4;
  positions: ArrayLike<number>;
  /** Places among the points; in their order without it. */
  indices?: ArrayLike<number>;
  corners: 1 | 2 | 3;
}

export interface Layer {
  readonly kind: Kind;
  /** What it draws; the stage adds it to the scene. */
  readonly group: Object3D;
  /** The picture of the cell changed. */
  update?(touched: Touched): void;
  /** Before a frame is drawn, with the time of the browser [ms]; returns whether it wants another frame after it. */
  frame?(now: number): boolean;
  /** Bodies moved since the last frame; `bench.poses.of(body)` has their poses. */
  moved?(bodies: ReadonlySet<string>): void;
  theme?(theme: Theme): void;
  /** A pane is drawn or picked from next: show what belongs to it, as it wants it; `inside` what is cut open. */
  appear?(pane: Pane, inside: boolean): void;
  /** Whether the pointer is on a handle of this layer; then clicks pick nothing. */
  readonly grabs?: boolean;
  /** The pointer went to another pane. */
  enter?(pane: Pane): void;
  /** The box around what it draws, for fitting the view. */
  box?(): Box3;
  /** Points around what it draws, closer than the corners of the box. */
  corners?(): Vector3[];
  /** Points around all places that the recording has of it. */
  along?(): Vector3[];
  pick?(ray: Raycaster): Hit | undefined;
  /** Whether `pick` would take long, because something large has just arrived. */
  readonly slow?: boolean;
  /** The face or edge under a ray. */
  spot?(ray: Raycaster, kind: Spot["kind"]): SpotHit | undefined;
  /** The outlines of everything that it draws and that can be selected. */
  outlines?(): Iterable<Outline>;
  /** Free everything on the graphics card. */
  dispose(): void;
}

/** Makes a layer. Inside, `$effect` may follow the nouns of the bench; call `stage.changed()` after a change. */
export type LayerMaker = (bench: Bench, stage: Stage) => Layer;
