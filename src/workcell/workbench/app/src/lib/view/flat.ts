// Flat surfaces as shapes: filled outlines with their holes, and all contours as edges.
import { ShapeUtils, Vector2, Vector3 } from "three";
import type { LoosePatch } from "../commands";
import type { Shape } from "../glb";
import { fromRows } from "../rigid";

/** The shape of a flat surface in the frame of its thing. */
export function shapeOfPatch({ regions, matrix }: LoosePatch): Shape {
  const place = fromRows(matrix);
  const normal = new Vector3(0, 0, 1).transformDirection(place);
  const positions: number[] = [];
  const indices: number[] = [];
  const edges: number[] = [];
  for (const region of regions) {
    const first = positions.length / 3;
    const loops = region.map((loop) => loop.map(([x, y]) => new Vector2(x, y)));
    const [outline = [], ...holes] = loops;
    for (const triangle of ShapeUtils.triangulateShape(outline, holes)) indices.push(...triangle.map((corner) => first + corner));
    for (const loop of loops) {
      const points = loop.map(({ x, y }) => new Vector3(x, y, 0).applyMatrix4(place));
      for (const point of points) positions.push(...point);
      points.forEach((point, i) => edges.push(...point, ...points[(i + 1) % points.length]!));
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from({ length: positions.length }, (_, i) => normal.getComponent(i % 3)),
    indices: Uint32Array.from(indices),
    edges: Float32Array.from(edges),
  };
}
