// The faces and edges of a shape, from the marks in its GLB: which triangles and which segments belong to which face.

/** The marks of a GLB: names of faces, runs of (face, count) over triangles, runs of (face, face, count) over segments. */
export interface FaceMarks {
  names: string[];
  triangles: number[];
  edges: number[];
}

/** Some triangles or segments in a row: the first, and how many. */
export type Run = readonly [first: number, count: number];

/** The entry for a triangle or segment, in a list whose entries have `width` numbers and a count. */
function find(list: readonly number[], width: number, place: number): number[] | undefined {
  let first = 0;
  for (let at = 0; at + width < list.length; at += width + 1) {
    first += list[at + width]!;
    if (place < first) return list.slice(at, at + width);
  }
  return undefined;
}

/** The runs of the entries that have some numbers. */
function all(list: readonly number[], wanted: readonly number[]): Run[] {
  const width = wanted.length;
  const found: Run[] = [];
  let first = 0;
  for (let at = 0; at + width < list.length; at += width + 1) {
    const count = list[at + width]!;
    if (wanted.every((face, i) => face === list[at + i])) found.push([first, count]);
    first += count;
  }
  return found;
}

/** The number of the face that a triangle belongs to; undefined without marks. */
export function faceOf(marks: FaceMarks | undefined, triangle: number): number | undefined {
  return marks && find(marks.triangles, 1, triangle)?.[0];
}

/** The triangles of a face. */
export function trianglesOf(marks: FaceMarks, face: number): Run[] {
  return all(marks.triangles, [face]);
}

/** The two faces at a segment of an edge, -1 for a missing one; undefined without marks. */
export function sidesOf(marks: FaceMarks | undefined, segment: number): [number, number] | undefined {
  return marks && (find(marks.edges, 2, segment) as [number, number] | undefined);
}

/** The segments of the edge between two faces. */
export function segmentsOf(marks: FaceMarks, sides: readonly number[]): Run[] {
  return all(marks.edges, sides);
}

/** The part of a list of numbers that runs cover, with `width` numbers for each triangle or segment. */
export function gathered<T extends Float32Array | Uint32Array>(list: T, taken: readonly Run[], width: number): T {
  const size = taken.reduce((sum, [, count]) => sum + count, 0) * width;
  const out = new (list.constructor as new (size: number) => T)(size);
  let at = 0;
  for (const [first, count] of taken) {
    out.set(list.subarray(first * width, (first + count) * width), at);
    at += count * width;
  }
  return out;
}
