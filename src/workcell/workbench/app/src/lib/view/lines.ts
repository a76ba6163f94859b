import { BatchedMesh, type Material } from "three";

/**
 * Line segments of many bodies in one draw call: three's batched mesh, drawn as lines.
 *
 * The renderer asks an object only whether it is a mesh or a line, and the basic shader takes batched matrices
 * and colours for both. Segments are not picked.
 */
export function batchedLines(instances: number, vertices: number, material: Material): BatchedMesh {
  const lines = new BatchedMesh(instances, vertices, 0, material);
  return Object.assign(lines, { isMesh: false, isLine: true, isLineSegments: true, raycast: () => {} });
}
