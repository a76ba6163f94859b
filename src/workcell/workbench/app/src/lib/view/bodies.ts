// All bodies of the cell in three draw calls: one for faces, one for edges, one for the faces that are seen through;
// whatever their number.
import {
  BatchedMesh,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  type Intersection,
  LineBasicMaterial,
  Matrix4,
  type Material,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  Quaternion,
  type Raycaster,
  SRGBColorSpace,
  Vector3,
  Vector4,
} from "three";
import { POSE } from "../frames";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import { batchedLines } from "./lines";

interface Stored {
  geometry: BufferGeometry;
  faces: number;
  glass: number; // kept from the first translucent piece that has the shape
  edges: number;
  box: Box3;
  triangles: number;
}

/** A piece on the screen; -1 where it has no faces or no edges. `of` holds its faces: opaque or translucent ones. */
interface Placed {
  of: BatchedMesh;
  faces: number;
  edges: number;
  box: Box3;
  colour: [number, number, number];
  opacity: number;
}

export type Mark = "none" | "hover" | "selected";

/** Absent parts are kept below this height [m]. */
const STORE = -5000;
const one = new Vector3(1, 1, 1);

export class Bodies {
  readonly group = new Group();
  private faces: BatchedMesh;
  private glass: BatchedMesh;
  private lines: BatchedMesh;
  private stored = new Map<string, Stored>();
  private placed: Placed[][] = []; // by body
  private bodyOf = new Map<BatchedMesh, Map<number, number>>();
  private matrices: Matrix4[] = [];
  private colours = { edge: new Color(), accent: new Color() };
  private marks: Mark[] = [];
  triangles = 0;

  constructor(soft: boolean) {
    const offset = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
    const surface = soft
      ? new MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, ...offset })
      : new MeshLambertMaterial(offset);
    this.faces = new BatchedMesh(32, 30_000, 90_000, surface);
    this.faces.castShadow = this.faces.receiveShadow = soft;
    this.faces.sortObjects = false;
    // How opaque each piece is, is in its colour; pieces are drawn from the farthest to the nearest.
    const glass = new MeshBasicMaterial({ transparent: true, depthWrite: false, side: DoubleSide });
    this.glass = new BatchedMesh(8, 5_000, 15_000, glass);
    this.glass.sortObjects = true;
    this.lines = batchedLines(32, 20_000, new LineBasicMaterial({ transparent: true, opacity: 0.75 }));
    this.lines.sortObjects = false;
    // The whole is always drawn (three would keep the bounds it had when empty); each piece is culled by itself.
    this.faces.frustumCulled = this.glass.frustumCulled = this.lines.frustumCulled = false;
    this.group.add(this.faces, this.glass, this.lines);
  }

  /** Colours of edges and of what is selected, for the present theme. */
  theme(edge: string, accent: string): void {
    this.colours.edge.set(edge);
    this.colours.accent.set(accent);
    this.placed.forEach((_, body) => this.paint(body));
  }

  set edgesVisible(on: boolean) {
    this.lines.visible = on;
  }

  has(hash: string): boolean {
    return this.stored.has(hash);
  }

  /** Keep a shape for the bodies that have it. */
  store(hash: string, shape: Shape): void {
    if (this.stored.has(hash)) return;
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(shape.positions, 3));
    geometry.setAttribute("normal", new BufferAttribute(shape.normals, 3));
    geometry.setIndex(new BufferAttribute(shape.indices, 1));
    geometry.computeBoundingBox();
    const box = geometry.boundingBox ?? new Box3();
    let edges = -1;
    if (shape.edges.length > 0) {
      const segments = new BufferGeometry();
      segments.setAttribute("position", new BufferAttribute(shape.edges, 3));
      edges = this.keep(this.lines, segments);
    }
    this.stored.set(hash, { geometry, faces: -1, glass: -1, edges, box, triangles: shape.indices.length / 3 });
  }

  /** Add a geometry to a batch, which grows where it must; its number there. */
  private keep(mesh: BatchedMesh, geometry: BufferGeometry): number {
    const vertices = geometry.getAttribute("position").count;
    const indices = geometry.index?.count ?? 0;
    if (mesh.unusedVertexCount < vertices || mesh.unusedIndexCount < indices) {
      const now = mesh.geometry.getAttribute("position")?.count ?? 0;
      const nowIndex = mesh.geometry.index?.count ?? 0;
      mesh.setGeometrySize(2 * Math.max(now, 1000) + 2 * vertices, indices ? 2 * nowIndex + 2 * indices : 0);
    }
    return mesh.addGeometry(geometry);
  }

  /** A new instance of a shape's faces, among the opaque or the translucent ones; -1 where it has none. */
  private instance(stored: Stored, clear: boolean): number {
    if (stored.triangles === 0) return -1;
    const key = clear ? "glass" : "faces";
    if (stored[key] < 0) stored[key] = this.keep(this[key], stored.geometry);
    return this[key].addInstance(stored[key]);
  }

  /** Show these bodies; pieces whose shape has not arrived are left out until `show` is called again. */
  show(bodies: BodyInfo[]): void {
    this.rebuild(bodies);
    bodies.forEach((info, body) => {
      this.place(body, info.pose, 0);
      this.paint(body);
    });
  }

  private rebuild(bodies: BodyInfo[]): void {
    for (const piece of this.placed.flat()) {
      if (piece.faces >= 0) piece.of.deleteInstance(piece.faces);
      if (piece.edges >= 0) this.lines.deleteInstance(piece.edges);
    }
    this.bodyOf = new Map([this.faces, this.glass].map((mesh) => [mesh, new Map<number, number>()]));
    this.matrices = bodies.map((_, body) => this.matrices[body] ?? new Matrix4());
    this.marks = bodies.map((_, body) => this.marks[body] ?? "none");
    const pieces = bodies.reduce((sum, body) => sum + body.pieces.length, 0);
    for (const mesh of [this.faces, this.glass, this.lines]) {
      if (mesh.maxInstanceCount < pieces) mesh.setInstanceCount(2 * pieces);
    }
    this.triangles = 0;
    this.placed = bodies.map((info, body) =>
      info.pieces.flatMap(({ glb, colour, opacity }) => {
        const stored = this.stored.get(glb);
        if (!stored || opacity <= 0) return [];
        const of = opacity < 1 ? this.glass : this.faces;
        const faces = this.instance(stored, opacity < 1);
        const edges = stored.edges >= 0 ? this.lines.addInstance(stored.edges) : -1;
        if (faces >= 0) this.bodyOf.get(of)?.set(faces, body);
        this.triangles += stored.triangles;
        return [{ of, faces, edges, box: stored.box, colour, opacity }];
      }),
    );
    this.glass.visible = this.glass.instanceCount > 0;
  }

  private position = new Vector3();
  private turn = new Quaternion();

  /** Put a body at a pose: seven numbers of `poses`, from place `at`. */
  place(body: number, poses: ArrayLike<number>, at: number): void {
    const matrix = this.matrices[body];
    if (!matrix) return;
    this.position.set(poses[at]!, poses[at + 1]!, poses[at + 2]!);
    this.turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
    matrix.compose(this.position, this.turn, one);
    for (const piece of this.placed[body] ?? []) {
      if (piece.faces >= 0) piece.of.setMatrixAt(piece.faces, matrix);
      if (piece.edges >= 0) this.lines.setMatrixAt(piece.edges, matrix);
    }
  }

  /** Put the listed bodies at consecutive poses. */
  placeAll(bodies: number[], poses: Float32Array): void {
    bodies.forEach((body, i) => this.place(body, poses, i * POSE));
  }

  matrix(body: number): Matrix4 | undefined {
    return this.matrices[body];
  }

  mark(selected: Set<number>, hover: number): void {
    this.marks.forEach((before, body) => {
      const now: Mark = selected.has(body) ? "selected" : body === hover ? "hover" : "none";
      if (now === before) return;
      this.marks[body] = now;
      this.paint(body);
    });
  }

  private colour = new Color();
  private shade = new Vector4();

  private paint(body: number): void {
    const mark = this.marks[body];
    for (const piece of this.placed[body] ?? []) {
      this.colour.setRGB(...piece.colour, SRGBColorSpace);
      if (mark === "selected") this.colour.lerp(this.colours.accent, 0.4);
      else if (mark === "hover") this.colour.lerp(this.colours.accent, 0.18);
      if (piece.faces >= 0) {
        piece.of.setColorAt(piece.faces, this.shade.set(this.colour.r, this.colour.g, this.colour.b, piece.opacity));
      }
      this.colour.copy(mark === "selected" ? this.colours.accent : this.colours.edge);
      if (piece.edges >= 0) this.lines.setColorAt(piece.edges, this.colour);
    }
  }

  hide(hidden: Set<number>): void {
    this.placed.forEach((pieces, body) => {
      for (const piece of pieces) {
        if (piece.faces >= 0) piece.of.setVisibleAt(piece.faces, !hidden.has(body));
        if (piece.edges >= 0) this.lines.setVisibleAt(piece.edges, !hidden.has(body));
      }
    });
  }

  /** The body under a ray, or -1; what is seen through only where nothing else is. */
  pick(ray: Raycaster): number {
    for (const mesh of [this.faces, this.glass]) {
      const hits: Intersection[] = [];
      mesh.raycast(ray, hits);
      hits.sort((a, b) => a.distance - b.distance);
      const first = hits[0]?.batchId;
      if (first !== undefined) return this.bodyOf.get(mesh)?.get(first) ?? -1;
    }
    return -1;
  }

  /** The box around the chosen bodies, or around all of them. */
  box(chosen?: Set<number>): Box3 {
    const whole = new Box3();
    const part = new Box3();
    this.placed.forEach((pieces, body) => {
      if (chosen && !chosen.has(body)) return;
      if (this.matrices[body]!.elements[14]! < STORE) return;
      for (const piece of pieces) whole.union(part.copy(piece.box).applyMatrix4(this.matrices[body]!));
    });
    return whole;
  }

  dispose(): void {
    for (const { geometry } of this.stored.values()) geometry.dispose();
    for (const mesh of [this.faces, this.glass, this.lines]) {
      (mesh.material as Material).dispose();
      mesh.dispose();
    }
  }
}
