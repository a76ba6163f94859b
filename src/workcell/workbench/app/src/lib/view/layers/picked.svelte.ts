// The face or edge under the pointer and the chosen one, drawn over the bodies that they belong to.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, type Material, type Matrix4, Mesh, MeshBasicMaterial, type Object3D } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { Bench } from "../../bench.svelte";
import type { Shape } from "../../glb";
import { gathered, segmentsOf, trianglesOf } from "../../marked";
import { fromSeven } from "../../rigid";
import type { Spot } from "../../spots";
import type { Theme } from "../../themes";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

const WIDTH = 4; // pixels

export class PickedLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private faint = faceMaterial(0.45);
  private strong = faceMaterial(0.8);
  private line = new LineMaterial({ linewidth: WIDTH, transparent: true, depthTest: true, polygonOffset: true, polygonOffsetFactor: -4, polygonOffsetUnits: -4 });
  private drawn: { body: string; part: Object3D }[] = [];

  constructor(
    private bench: Bench,
    stage: Stage,
  ) {
    this.group.name = "picked";
    $effect(() => {
      const { hover, chosen, marked } = bench.picking;
      void bench.scene.seen;
      this.clear();
      for (const spot of [chosen, ...marked]) if (spot) this.add(spot, this.strong);
      if (hover) this.add(hover, this.faint);
      stage.changed();
    });
  }

  /** The bodies whose faces or edges are drawn. */
  get bodies(): string[] {
    return this.drawn.map(({ body }) => body);
  }

  private add(spot: Spot, material: Material): void {
    const shape = this.bench.picking.shapeOf(spot.body, spot.piece);
    if (!shape?.faces) return;
    const part = spot.kind === "face" ? faceMesh(shape, spot.faces[0]!, material) : this.edgeLines(shape, spot.faces);
    part.matrixAutoUpdate = false;
    part.renderOrder = 5;
    this.drawn.push({ body: spot.body, part });
    this.group.add(part);
    this.place(spot.body, part.matrix);
  }

  private edgeLines(shape: Shape, faces: readonly number[]): LineSegments2 {
    const geometry = new LineSegmentsGeometry().setPositions(gathered(shape.edges, segmentsOf(shape.faces!, faces), 6));
    return new LineSegments2(geometry, this.line);
  }

  private place(body: string, matrix: Matrix4): void {
    const pose = this.bench.poses.of(body);
    if (pose) matrix.copy(fromSeven(pose));
  }

  frame(): boolean {
    for (const { body, part } of this.drawn) {
      this.place(body, part.matrix);
      part.matrixWorldNeedsUpdate = true;
    }
    return false;
  }

  theme(theme: Theme): void {
    for (const material of [this.faint, this.strong, this.line]) material.color = new Color(theme.pick);
  }

  private clear(): void {
    for (const { part } of this.drawn) (part as Mesh).geometry.dispose();
    this.drawn = [];
    this.group.clear();
  }

  dispose(): void {
    this.clear();
    for (const material of [this.faint, this.strong, this.line]) material.dispose();
  }
}

function faceMaterial(opacity: number): MeshBasicMaterial {
  const before = { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1 };
  return new MeshBasicMaterial({ transparent: true, opacity, depthWrite: false, side: DoubleSide, ...before });
}

function faceMesh(shape: Shape, face: number, material: Material): Mesh {
  const corners = gathered(shape.indices, trianglesOf(shape.faces!, face), 3);
  const positions = new Float32Array(3 * corners.length); // of the face alone: the shape may be large
  corners.forEach((corner, to) => {
    for (let k = 0; k < 3; k += 1) positions[3 * to + k] = shape.positions[3 * corner + k]!;
  });
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(positions, 3));
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  return mesh;
}
