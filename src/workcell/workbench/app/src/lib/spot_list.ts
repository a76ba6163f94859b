// The faces or edges of a body by their names, for choosing them without a pointer.
import { Vector3 } from "three";
import type { FaceFacts } from "./commands";
import type { Shape } from "./glb";
import { type FaceMarks, gathered, trianglesOf } from "./marked";
import type { Pressed } from "./picking.svelte";
import type { Spot } from "./spots";

export interface Listed {
  name: string;
  spot: Spot;
}

/**
 * The faces or edges of a body, by its pieces.
 * @param prefixes what stands before the names of the faces of each piece.
 */
export function spotsOf(kind: Spot["kind"], body: string, pieces: readonly (FaceMarks | undefined)[], prefixes: readonly string[]): Listed[] {
  return pieces.flatMap((marks, piece) => {
    if (!marks) return [];
    const nameOf = (face: number) => `${prefixes[piece] ?? ""}${marks.names[face]}`;
    const all = kind === "face" ? marks.names.map((_, face) => [face]) : pairsOf(marks);
    return all.map((faces): Listed => ({ name: faces.map(nameOf).join(" + "), spot: { kind, body, piece, faces } }));
  });
}

/** The pairs of faces that meet in an edge. */
function pairsOf({ names, edges }: FaceMarks): number[][] {
  const found = new Map<string, number[]>();
  for (let at = 0; at + 2 < edges.length; at += 3) {
    const pair = edges.slice(at, at + 2);
    if (pair.every((face) => names[face] !== undefined)) found.set(pair.join(), pair);
  }
  return [...found.values()];
}

/** A point in the middle of a face and the outward normal there, in the frame of the body; of a curved face, that of a triangle. */
export function middleOf(shape: Shape | undefined, face: number, facts: FaceFacts): Pressed | undefined {
  if (facts.kind === "plane") return { point: new Vector3(...facts.centre), normal: new Vector3(...facts.normal) };
  if (!shape?.faces) return undefined;
  const corners = gathered(shape.indices, trianglesOf(shape.faces, face), 3);
  const first = 3 * Math.floor(corners.length / 6);
  if (corners.length === 0) return undefined;
  const [a, b, c] = [0, 1, 2].map((i) => new Vector3().fromArray(shape.positions, 3 * corners[first + i]!)) as [Vector3, Vector3, Vector3];
  const normal = b.clone().sub(a).cross(c.clone().sub(a)).normalize();
  return { point: a.add(b).add(c).divideScalar(3), normal };
}
