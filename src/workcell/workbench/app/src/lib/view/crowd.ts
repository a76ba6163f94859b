// Many instances of one shape in one draw call: as faces, or as the segments of its edges.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedBufferAttribute,
  InstancedMesh,
  type Material,
  Matrix4,
  type Object3D,
  type Vector4,
} from "three";
import type { Look } from "./looks";
import { SOLID } from "./passes";

/** What bodies do with their instances, in a crowd or in a batch of different shapes. */
export interface Instances {
  setMatrixAt(instance: number, matrix: Matrix4): unknown;
  setColorAt(instance: number, colour: Color | Vector4): unknown;
  setVisibleAt(instance: number, visible: boolean): unknown;
  deleteInstance(instance: number): unknown;
}

const NOWHERE = new Matrix4().makeScale(0, 0, 0);
const FIRST = 32;

export class Crowd implements Instances {
  mesh: InstancedMesh;
  private matrices: Matrix4[] = [];
  private colours: Color[] = [];
  private seen: boolean[] = [];
  private free: number[] = [];

  /**
   * @param parent holds the mesh, which is made anew when the crowd grows.
   * @param segments whether the geometry consists of line segments.
   */
  constructor(
    private parent: Object3D,
    private geometry: BufferGeometry,
    private material: Material,
    private segments: boolean,
    private shadows: boolean,
  ) {
    this.mesh = this.make(FIRST);
  }

  private make(room: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, room);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * room), 3);
    mesh.frustumCulled = false; // three would keep the bounds of the first instances
    mesh.castShadow = mesh.receiveShadow = this.shadows && !this.segments;
    mesh.count = 0;
    // The renderer asks only whether an object is a mesh or a line; the basic shader takes instances of both.
    if (!this.segments) mesh.layers.set(SOLID);
    else Object.assign(mesh, { isMesh: false, isLine: true, isLineSegments: true, raycast: () => {} });
    this.parent.add(mesh);
    return mesh;
  }

  /** Be drawn with another material. */
  set drawnWith(material: Material) {
    this.material = this.mesh.material = material;
  }

  /** The number of instances. */
  get size(): number {
    return this.matrices.length - this.free.length;
  }

  addInstance(): number {
    const number = this.free.pop() ?? this.matrices.length;
    this.matrices[number] = new Matrix4();
    this.colours[number] = new Color();
    this.seen[number] = true;
    if (number >= this.mesh.instanceMatrix.count) this.grow();
    this.mesh.count = this.matrices.length;
    return number;
  }

  private grow(): void {
    const old = this.mesh;
    this.mesh = this.make(2 * old.instanceMatrix.count);
    this.mesh.visible = old.visible;
    this.matrices.forEach((matrix, i) => this.mesh.setMatrixAt(i, this.seen[i] ? matrix : NOWHERE));
    this.colours.forEach((colour, i) => this.mesh.setColorAt(i, colour));
    old.removeFromParent();
    old.dispose();
  }

  setMatrixAt(instance: number, matrix: Matrix4): void {
    this.matrices[instance]!.copy(matrix);
    this.put(instance);
  }

  setVisibleAt(instance: number, visible: boolean): void {
    if (this.seen[instance] === visible) return;
    this.seen[instance] = visible;
    this.put(instance);
  }

  setColorAt(instance: number, colour: Color | Vector4): void {
    const kept = this.colours[instance]!;
    if (colour instanceof Color) kept.copy(colour);
    else kept.setRGB(colour.x, colour.y, colour.z);
    this.mesh.setColorAt(instance, kept);
    this.mesh.instanceColor!.needsUpdate = true;
  }

  private put(instance: number): void {
    this.mesh.setMatrixAt(instance, this.seen[instance] ? this.matrices[instance]! : NOWHERE);
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.boundingSphere = null;
  }

  deleteInstance(instance: number): void {
    this.setVisibleAt(instance, false);
    this.free.push(instance);
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.dispose();
  }
}

/** The faces and the edges of the many bodies that share a shape. */
export class ShapeCrowd {
  readonly faces: Crowd;
  readonly edges: Crowd | undefined;
  private segments = new BufferGeometry();

  constructor(
    parent: Object3D,
    geometry: BufferGeometry,
    segments: Float32Array,
    look: Look,
    shadows: boolean,
  ) {
    this.faces = new Crowd(parent, geometry, look.faces, false, shadows);
    if (segments.length === 0) return;
    this.segments.setAttribute("position", new BufferAttribute(segments, 3));
    this.edges = new Crowd(parent, this.segments, look.lines, true, false);
  }

  wear(faces: Material, lines: Material): void {
    this.faces.drawnWith = faces;
    if (this.edges) this.edges.drawnWith = lines;
  }

  dispose(): void {
    this.faces.dispose();
    this.edges?.dispose();
    this.segments.dispose();
  }
}
