// What bodies are made of on the screen.
import type { Box3, BufferGeometry, Matrix4 } from "three";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import type { Instances, ShapeCrowd } from "./crowd";

/** Absent parts are kept below this height [m]. */
export const STORE = -5000;

/** A shape that arrived, and its numbers in the batches; -1 if it is not there. */
export interface Stored {
  geometry: BufferGeometry;
  faces: number;
  glass: number; // set by the first translucent piece with the shape
  edges: number;
  box: Box3;
  triangles: number;
  /** Faces and edges of the many bodies that have the shape. */
  crowd?: ShapeCrowd;
  shape: Shape;
}

/** A piece on the screen; -1 if it has no faces or no edges. `of` and `lines` hold its faces and edges. */
export interface Placed {
  /** Its place among the pieces of its body. */
  place: number;
  of: Instances;
  faces: number;
  lines: Instances;
  edges: number;
  box: Box3;
  colour: [number, number, number];
  opacity: number;
  triangles: number;
}

/** A body: its pieces on the screen, its pose, and how it is marked. */
export interface Drawn {
  info: BodyInfo;
  pieces: Placed[];
  matrix: Matrix4;
  mark: Mark;
  touches: boolean;
}

export type Mark = "none" | "hover" | "theirs" | "selected";

/** The ids of the bodies that are marked, by the reason. */
export interface Marks {
  selected?: ReadonlySet<string>;
  hover?: string;
  theirs?: ReadonlySet<string>;
  touching?: ReadonlySet<string>;
}
