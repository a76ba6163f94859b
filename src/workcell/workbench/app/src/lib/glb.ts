// Reads the GLB of the server: triangles with normals, and feature edges as lines, both marked with their faces.
import type { FaceMarks } from "./marked";

export interface Shape {
  positions: Float32Array;
  normals: Float32Array;
  indices: Uint32Array;
  /** Segments, two points of three numbers each. */
  edges: Float32Array;
  /** Which triangles and segments belong to which face; missing in a shape of unknown origin. */
  faces?: FaceMarks;
}

interface Accessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
}

interface Gltf {
  accessors?: Accessor[];
  bufferViews?: { byteOffset?: number; byteLength: number; byteStride?: number }[];
  meshes?: { extras?: { faces?: FaceMarks }; primitives: { attributes: Record<string, number>; indices?: number; mode?: number }[] }[];
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const ARRAYS = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array } as const;
const LINES = 1;
const TRIANGLES = 4;

export function parseGlb(buffer: ArrayBuffer): Shape {
  const view = new DataView(buffer);
  if (buffer.byteLength < 20 || view.getUint32(0, true) !== MAGIC) throw new RangeError("This is not a GLB file.");
  let gltf: Gltf = {};
  let bin = new Uint8Array();
  for (let at = 12; at + 8 <= buffer.byteLength; ) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    if (kind === JSON_CHUNK) gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at + 8, length))) as Gltf;
    else if (kind === BIN_CHUNK) bin = new Uint8Array(buffer, at + 8, length);
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  const parts: Shape[] = [];
  for (const mesh of gltf.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      const positions = Float32Array.from(read(gltf, bin, primitive.attributes["POSITION"]));
      const count = positions.length / 3;
      const given = primitive.indices === undefined ? undefined : read(gltf, bin, primitive.indices);
      const indices = given ? Uint32Array.from(given) : Uint32Array.from({ length: count }, (_, i) => i);
      const mode = primitive.mode ?? TRIANGLES;
      if (mode === LINES) parts.push({ ...empty(), edges: gather(positions, indices) });
      else if (mode === TRIANGLES) {
        const normal = primitive.attributes["NORMAL"];
        const normals = normal === undefined ? flat(positions, indices) : Float32Array.from(read(gltf, bin, normal));
        parts.push({ positions, normals, indices, edges: new Float32Array() });
      }
    }
  }
  const faces = gltf.meshes?.[0]?.extras?.faces;
  return faces ? { ...merge(parts), faces } : merge(parts);
}

function empty(): Shape {
  return {
    positions: new Float32Array(),
    normals: new Float32Array(),
    indices: new Uint32Array(),
    edges: new Float32Array(),
  };
}

/** The numbers of an accessor, copied: its place in the file may not be that of a typed array. */
function read(gltf: Gltf, bin: Uint8Array, index: number | undefined): Float32Array | Uint8Array | Uint16Array | Uint32Array {
  const accessor = index === undefined ? undefined : gltf.accessors?.[index];
  const bufferView = accessor?.bufferView === undefined ? undefined : gltf.bufferViews?.[accessor.bufferView];
  const width = accessor && WIDTHS[accessor.type];
  const Numbers = accessor && ARRAYS[accessor.componentType as keyof typeof ARRAYS];
  if (!accessor || !bufferView || !width || !Numbers) throw new RangeError(`Accessor ${index} cannot be read.`);
  const row = Numbers.BYTES_PER_ELEMENT * width;
  const stride = bufferView.byteStride ?? row;
  const base = (bufferView.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
  if (accessor.count > 0 && base + stride * (accessor.count - 1) + row > bin.length) throw new RangeError(`Accessor ${index} ends after the end of the file.`);
  const bytes = new Uint8Array(accessor.count * row);
  if (stride === row) bytes.set(bin.subarray(base, base + bytes.length));
  else for (let i = 0; i < accessor.count; i++) bytes.set(bin.subarray(base + i * stride, base + i * stride + row), i * row);
  return new Numbers(bytes.buffer);
}

function gather(positions: Float32Array, indices: Uint32Array): Float32Array {
  const out = new Float32Array(indices.length * 3);
  indices.forEach((from, to) => {
    for (let c = 0; c < 3; c++) out[3 * to + c] = positions[3 * from + c]!;
  });
  return out;
}

/** Normals for triangles without them, averaged at shared corners. */
function flat(positions: Float32Array, indices: Uint32Array): Float32Array {
  const normals = new Float32Array(positions.length);
  const p = (i: number, c: number) => positions[i * 3 + c]!;
  for (let t = 0; t + 2 < indices.length; t += 3) {
    const [a, b, c] = [indices[t]!, indices[t + 1]!, indices[t + 2]!];
    const u = [0, 1, 2].map((k) => p(b, k) - p(a, k));
    const v = [0, 1, 2].map((k) => p(c, k) - p(a, k));
    const n = [0, 1, 2].map((k) => u[(k + 1) % 3]! * v[(k + 2) % 3]! - u[(k + 2) % 3]! * v[(k + 1) % 3]!);
    for (const corner of [a, b, c]) for (let k = 0; k < 3; k++) normals[corner * 3 + k]! += n[k]!;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i]!, normals[i + 1]!, normals[i + 2]!) || 1;
    for (let k = 0; k < 3; k++) normals[i + k]! /= length;
  }
  return normals;
}

function merge(parts: Shape[]): Shape {
  if (parts.length === 0) return empty();
  const join = (pick: (part: Shape) => Float32Array) => {
    const out = new Float32Array(parts.reduce((sum, part) => sum + pick(part).length, 0));
    let at = 0;
    for (const part of parts) {
      out.set(pick(part), at);
      at += pick(part).length;
    }
    return out;
  };
  const indices = new Uint32Array(parts.reduce((sum, part) => sum + part.indices.length, 0));
  let [at, base] = [0, 0];
  for (const part of parts) {
    for (const index of part.indices) indices[at++] = index + base;
    base += part.positions.length / 3;
  }
  return {
    positions: join((part) => part.positions),
    normals: join((part) => part.normals),
    indices,
    edges: join((part) => part.edges),
  };
}
