// All bodies of the cell in few draw calls: three for those with shapes of their own (opaque faces, translucent faces,
// edges), and two for each shape that many opaque bodies share.
import { BatchedMesh, Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, Group, Matrix4, Quaternion, type Raycaster, Vector3, Vector4 } from "three";
import type { Shape } from "../glb";
import type { BodyInfo } from "../protocol";
import type { Theme } from "../themes";
import { type Appearance, isDrawing, PLAIN } from "./appearance";
import { ShapeCrowd } from "./crowd";
import { type Drawn, type Mark, type Marks, STORE, type Stored } from "./drawn";
import { cornersOf, inReach } from "./fitting";
import type { Hit, Outline } from "./layer";
import { SOLID } from "./passes";
import { batchedLines } from "./lines";
import { type Look, Looks, type Shine } from "./looks";
import { edgeColour, faceColour } from "./marking";
import { nearestHit } from "./picks";
import { Trees } from "./trees";

/** From so many bodies on, a shape is drawn as a crowd. */
export const CROWD = 12;
const one = new Vector3(1, 1, 1);
const NONE: ReadonlySet<string> = new Set();

export class Bodies {
  readonly group = new Group();
  private faces: BatchedMesh;
  private glass: BatchedMesh;
  private lines: BatchedMesh;
  private stored = new Map<string, Stored>();
  private drawn = new Map<string, Drawn>();
  private users = new Map<string, Set<string>>(); // the bodies that have a shape
  /** What rays find triangles and edges by. */
  readonly trees = new Trees();
  private crowds = new Group();
  private looks: Looks;
  private look: Look;
  private accent = new Color();
  private marked = new Set<string>();
  private hidden: ReadonlySet<string> = new Set();
  private pieces = 0;
  private freed = false;
  triangles = 0;

  constructor(highQuality: boolean, litGlass = false) {
    this.looks = new Looks(highQuality, litGlass);
    this.look = this.looks.of(PLAIN);
    this.faces = new BatchedMesh(32, 30_000, 90_000, this.look.faces);
    this.faces.castShadow = this.faces.receiveShadow = highQuality;
    this.faces.sortObjects = false;
    // The opacity of each piece is in its colour; pieces are drawn from the farthest to the nearest.
    this.glass = new BatchedMesh(8, 5_000, 15_000, this.look.glass);
    this.glass.sortObjects = true;
    this.lines = batchedLines(32, 20_000, this.look.lines);
    this.lines.sortObjects = false;
    // The batch is never culled as a whole (three would keep the bounds of the empty batch); each piece is.
    this.faces.frustumCulled = this.glass.frustumCulled = this.lines.frustumCulled = false;
    this.faces.layers.set(SOLID);
    this.group.add(this.faces, this.glass, this.lines, this.crowds);
    this.showFilled();
  }

  /** Colours of edges, of paper and of the selection. */
  theme(theme: Theme): void {
    this.looks.theme(theme);
    this.accent.set(theme.accent);
    this.drawn.forEach((body) => this.paint(body));
  }

  set highlights(shine: Shine) {
    this.looks.highlights = shine;
  }

  /** Be drawn like this from now on; `inside` draws the inside of what is cut open. */
  wear(appearance: Appearance, inside = false): void {
    const look = this.looks.of(appearance);
    look.lines.visible = appearance.edges || isDrawing(appearance.surfaces);
    const faces = (inside && look.inside) || look.faces;
    if (look === this.look && faces === this.faces.material) return;
    this.look = look;
    this.faces.material = faces;
    this.glass.material = look.glass;
    this.lines.material = look.lines;
    for (const { crowd } of this.stored.values()) crowd?.wear(faces, look.lines);
  }

  has(hash: string): boolean {
    return this.stored.has(hash);
  }

  /** Store a shape for the bodies that have it. */
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
    const triangles = shape.indices.length / 3;
    this.trees.want(shape);
    this.stored.set(hash, { geometry, faces: -1, glass: -1, edges, box, triangles, shape });
  }

  /** Add a geometry to a batch, which grows if needed; returns its number there. */
  private keep(mesh: BatchedMesh, geometry: BufferGeometry): number {
    const vertices = geometry.getAttribute("position").count;
    const indices = geometry.index?.count ?? 0;
    const full = () => mesh.unusedVertexCount < vertices || mesh.unusedIndexCount < indices;
    if (full() && this.freed) {
      for (const one of [this.faces, this.glass, this.lines]) one.optimize();
      this.freed = false;
    }
    if (full()) {
      const now = mesh.geometry.getAttribute("position")?.count ?? 0;
      const nowIndex = mesh.geometry.index?.count ?? 0;
      mesh.setGeometrySize(2 * Math.max(now, 1000) + 2 * vertices, indices ? 2 * nowIndex + 2 * indices : 0);
    }
    return mesh.addGeometry(geometry);
  }

  /** Add an instance of the faces of a shape, opaque or translucent; -1 if it has none. */
  private instance(stored: Stored, clear: boolean): number {
    if (stored.triangles === 0) return -1;
    const key = clear ? "glass" : "faces";
    if (stored[key] < 0) stored[key] = this.keep(this[key], stored.geometry);
    return this[key].addInstance(stored[key]);
  }

  /** Draw or redraw bodies; pieces whose shape has not arrived are left out until then. */
  update(bodies: Iterable<BodyInfo>): void {
    const crowded = new Set<string>();
    for (const info of bodies) {
      const known = this.drawn.get(info.id);
      if (known && known.info.pieces === info.pieces) {
        known.info = info;
        this.place(info.id, info.pose, 0);
        continue;
      }
      if (known) this.erase(known);
      const body = { info, pieces: [], matrix: known?.matrix ?? new Matrix4(), mark: known?.mark ?? ("none"), touches: known?.touches ?? false };
      this.drawn.set(info.id, body);
      for (const { glb } of info.pieces) {
        const users = this.users.get(glb);
        if (users) users.add(info.id);
        else this.users.set(glb, new Set([info.id]));
        if (users?.size === CROWD && !this.stored.get(glb)?.crowd) crowded.add(glb);
      }
      this.draw(body);
    }
    for (const hash of crowded) this.refresh(hash); // those that were drawn alone join
    this.showFilled();
  }

  /** Draw a batch only if there is something in it: an empty one has no normals, which shaders need. */
  private showFilled(): void {
    for (const mesh of [this.faces, this.glass]) mesh.visible = mesh.instanceCount > 0;
  }

  /** Remove bodies. */
  remove(bodies: Iterable<string>): void {
    for (const id of bodies) {
      const known = this.drawn.get(id);
      if (!known) continue;
      this.erase(known);
      this.drawn.delete(id);
      this.marked.delete(id);
    }
    this.showFilled();
  }

  /** Draw the bodies with a shape that has just arrived. */
  refresh(hash: string): void {
    for (const id of this.users.get(hash) ?? []) {
      const body = this.drawn.get(id)!;
      this.erase(body, true);
      this.draw(body);
    }
    this.showFilled();
  }

  /** The bodies that have a shape. */
  usersOf(hash: string): ReadonlySet<string> {
    return this.users.get(hash) ?? new Set();
  }

  /** Free the shapes that no body uses; returns their hashes. */
  sweep(): string[] {
    const unused = [...this.stored.keys()].filter((hash) => !this.users.get(hash)?.size);
    for (const hash of unused) {
      const { geometry, faces, glass, edges, crowd, shape } = this.stored.get(hash)!;
      crowd?.dispose();
      this.trees.forget(shape);
      if (faces >= 0) this.faces.deleteGeometry(faces);
      if (glass >= 0) this.glass.deleteGeometry(glass);
      if (edges >= 0) this.lines.deleteGeometry(edges);
      geometry.dispose();
      this.stored.delete(hash);
      this.freed = true;
    }
    return unused;
  }

  /** The shapes that bodies have. */
  get wanted(): string[] {
    return [...this.users.keys()];
  }

  private erase(body: Drawn, keepsShapes = false): void {
    for (const piece of body.pieces) {
      if (piece.faces >= 0) piece.of.deleteInstance(piece.faces);
      if (piece.edges >= 0) piece.lines.deleteInstance(piece.edges);
      this.triangles -= piece.triangles;
      this.pieces -= 1;
    }
    body.pieces = [];
    if (keepsShapes) return;
    for (const { glb } of body.info.pieces) {
      const users = this.users.get(glb);
      users?.delete(body.info.id);
      if (users?.size === 0) this.users.delete(glb);
    }
  }

  private draw(body: Drawn): void {
    const { info } = body;
    this.pieces += info.pieces.length;
    for (const mesh of [this.faces, this.glass, this.lines]) {
      if (mesh.maxInstanceCount < this.pieces) mesh.setInstanceCount(2 * this.pieces);
    }
    body.pieces = info.pieces.flatMap(({ glb, colour, opacity }, place) => {
      const stored = this.stored.get(glb);
      if (!stored || opacity <= 0) return [];
      const crowd = opacity < 1 || stored.triangles === 0 ? undefined : this.crowd(glb, stored);
      const of = crowd?.faces ?? (opacity < 1 ? this.glass : this.faces);
      const faces = crowd ? crowd.faces.addInstance() : this.instance(stored, opacity < 1);
      const lines = crowd?.edges ?? this.lines;
      const edges = stored.edges < 0 ? -1 : (crowd?.edges?.addInstance() ?? this.lines.addInstance(stored.edges));
      this.triangles += stored.triangles;
      return [{ place, of, faces, lines, edges, box: stored.box, colour, opacity, triangles: stored.triangles }];
    });
    this.pieces -= info.pieces.length - body.pieces.length;
    this.place(info.id, info.pose, 0);
    this.paint(body);
    this.reveal(body);
  }

  /** The crowd of a shape that many bodies have; undefined if few have it. */
  private crowd(hash: string, stored: Stored): ShapeCrowd | undefined {
    if (!stored.crowd && (this.users.get(hash)?.size ?? 0) >= CROWD) {
      stored.crowd = new ShapeCrowd(this.crowds, stored.geometry, stored.shape.edges, this.look, this.faces.castShadow);
    }
    return stored.crowd;
  }

  private position = new Vector3();
  private turn = new Quaternion();

  /** Put a body at a pose: seven numbers of `poses`, from place `at`. */
  place(id: string, poses: ArrayLike<number>, at: number): void {
    const body = this.drawn.get(id);
    if (!body) return;
    this.position.set(poses[at]!, poses[at + 1]!, poses[at + 2]);
    this.turn.set(poses[at + 4]!, poses[at + 5]!, poses[at + 6]!, poses[at + 3]!);
    body.matrix.compose(this.position, this.turn, one);
    for (const piece of body.pieces) {
      if (piece.faces >= 0) piece.of.setMatrixAt(piece.faces, body.matrix);
      if (piece.edges >= 0) piece.lines.setMatrixAt(piece.edges, body.matrix);
    }
  }

  matrix(id: string): Matrix4 | undefined {
    return this.drawn.get(id)?.matrix;
  }

  /** Mark what is selected here and in other windows, what is under the pointer, and what touches something. */
  mark({ selected = NONE, hover = "", theirs = NONE, touching = NONE }: Marks): void {
    const now = new Set([...selected, ...theirs, ...touching, ...(hover ? [hover] : [])]);
    for (const id of new Set([...this.marked, ...now])) {
      const body = this.drawn.get(id);
      const mark: Mark = selected.has(id) ? "selected" : id === hover ? "hover" : theirs.has(id) ? "theirs" : "none";
      const touches = touching.has(id);
      if (!body || (body.mark === mark && body.touches === touches)) continue;
      body.mark = mark;
      body.touches = touches;
      this.paint(body);
    }
    this.marked = now;
  }

  private colour = new Color();
  private shade = new Vector4();

  private paint(body: Drawn): void {
    const edge = edgeColour(body, this.accent);
    for (const piece of body.pieces) {
      const { r, g, b } = faceColour(this.colour, body, piece, this.accent);
      if (piece.faces >= 0) piece.of.setColorAt(piece.faces, this.shade.set(r, g, b, piece.opacity));
      if (piece.edges >= 0) piece.lines.setColorAt(piece.edges, edge);
    }
  }

  /** The colour in which the first piece of a body is drawn, marks included: red, green, blue. */
  colourOf(id: string): number[] {
    const body = this.drawn.get(id);
    if (!body?.pieces[0]) return [];
    return faceColour(this.colour, body, body.pieces[0], this.accent).toArray();
  }

  /** Hide these bodies and show all others. */
  hide(hidden: ReadonlySet<string>): void {
    if (hidden === this.hidden || hidden.size + this.hidden.size === 0) return;
    const others = new Set([...this.hidden, ...hidden]);
    this.hidden = hidden;
    for (const id of others) {
      const body = this.drawn.get(id);
      if (body) this.reveal(body);
    }
  }

  private reveal({ info, pieces }: Drawn): void {
    const visible = !this.hidden.has(info.id);
    for (const piece of pieces) {
      if (piece.faces >= 0) piece.of.setVisibleAt(piece.faces, visible);
      if (piece.edges >= 0) piece.lines.setVisibleAt(piece.edges, visible);
    }
  }

  /** The body under a ray, or nothing; a translucent one only if nothing else is hit. Some bodies may be left out. */
  pick(ray: Raycaster, except = NONE): Hit | undefined {
    const inside = this.look.inside !== undefined; // the cut is hit where the inside is seen
    return nearestHit(this, ray, false, inside || this.look.faces.side === DoubleSide, except) ?? nearestHit(this, ray, true, true, except);
  }

  /** The shape of a piece of a body, if it has arrived. */
  shapeOf(id: string, piece: number): Shape | undefined {
    return this.stored.get(this.drawn.get(id)?.info.pieces[piece]?.glb ?? "")?.shape;
  }

  /** The bodies that are drawn and not hidden. */
  *shown(hidden = this.hidden): Generator<Drawn> {
    for (const body of this.drawn.values()) if (!hidden.has(body.info.id) && body.pieces.length > 0) yield body;
  }

  /** What a rectangle in the view may take: the triangles of the bodies that are drawn and not hidden. */
  *outlines(): Generator<Outline> {
    for (const { info, matrix, pieces } of this.shown()) {
      for (const { place } of pieces) {
        const shape = this.shapeOf(info.id, place);
        if (shape) yield { id: info.id, matrix, positions: shape.positions, indices: shape.indices, corners: 3 };
      }
    }
  }

  /** The corners of the boxes of the chosen bodies, or of all of them. */
  corners(chosen?: ReadonlySet<string>): Vector3[] {
    const found: Vector3[] = [];
    for (const [id, { matrix, pieces }] of this.drawn) {
      if ((chosen && !chosen.has(id)) || matrix.elements[14] < STORE) continue;
      for (const { box } of pieces) found.push(...cornersOf(box).map((corner) => corner.applyMatrix4(matrix)).filter(inReach));
    }
    return found;
  }

  /** The box around the chosen bodies, or around all of them. */
  box(chosen?: ReadonlySet<string>): Box3 {
    return new Box3().setFromPoints(this.corners(chosen));
  }

  dispose(): void {
    for (const { geometry, crowd } of this.stored.values()) {
      crowd?.dispose();
      geometry.dispose();
    }
    this.trees.dispose();
    this.looks.dispose();
    for (const mesh of [this.faces, this.glass, this.lines]) mesh.dispose();
  }
}
