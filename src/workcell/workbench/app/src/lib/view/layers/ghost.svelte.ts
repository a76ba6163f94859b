// The ghost of a robot, translucent in the colour of the selection; what would touch something is red.
import { BufferAttribute, BufferGeometry, Group, type Matrix4, Mesh, MeshLambertMaterial } from "three";
import type { Bench } from "../../bench.svelte";
import type { Shape } from "../../glb";
import { ShapeLoader } from "../../shapes";
import { type Theme, TOUCHES } from "../../themes";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

/** Where the ghost is in the robot itself, the robot is seen. */
const BEHIND = { polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 };

export class GhostLayer implements Layer {
  readonly kind = "ghost";
  readonly group = new Group();
  private material = new MeshLambertMaterial({ transparent: true, opacity: 0.42, depthWrite: false, ...BEHIND });
  private red = new MeshLambertMaterial({ color: TOUCHES, transparent: true, opacity: 0.55, depthWrite: false, ...BEHIND });
  private shapes = new Map<string, BufferGeometry>();
  private loader: ShapeLoader;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "ghost-arm";
    this.loader = new ShapeLoader(
      bench.host,
      bench.shortage,
      (hash, shape) => {
        this.shapes.set(hash, geometryOf(shape));
        this.draw(this.bench.ghost.poses);
      },
    );
    $effect(() => this.draw(bench.ghost.poses));
  }

  private draw(poses: ReadonlyMap<string, Matrix4>): void {
    const { bodies } = this.bench.scene.picture;
    const { touching } = this.bench.ghost;
    const pieces = [...poses].flatMap(([id, matrix]) => (bodies.get(id)?.pieces ?? []).flatMap(({ glb, ghost }) => (ghost ? [] : [{ id, glb, matrix }])));
    const known = pieces.filter(({ glb }) => this.shapes.has(glb));
    while (this.group.children.length > known.length) this.group.remove(this.group.children.at(-1)!);
    known.forEach(({ id, glb, matrix }, i) => {
      const mesh = this.mesh(i);
      mesh.geometry = this.shapes.get(glb)!;
      mesh.material = touching.has(id) ? this.red : this.material;
      mesh.matrix.copy(matrix);
      mesh.matrixWorldNeedsUpdate = true;
    });
    this.loader.want([...new Set(pieces.map(({ glb }) => glb))].filter((hash) => !this.shapes.has(hash)));
    if (poses.size === 0) this.free();
    this.stage.changed();
  }

  /** The mesh at a place of the group, which is used again from frame to frame. */
  private mesh(place: number): Mesh {
    const found = this.group.children[place];
    if (found) return found as Mesh;
    const mesh = new Mesh();
    mesh.matrixAutoUpdate = false;
    this.group.add(mesh);
    return mesh;
  }

  private free(): void {
    for (const [hash, shape] of this.shapes) {
      shape.dispose();
      this.loader.forget(hash);
    }
    this.shapes.clear();
  }

  theme(theme: Theme): void {
    this.material.color.set(theme.accent);
  }

  dispose(): void {
    this.loader.dispose();
    this.free();
    this.material.dispose();
    this.red.dispose();
  }
}

function geometryOf(shape: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(shape.positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(shape.normals, 3));
  geometry.setIndex(new BufferAttribute(shape.indices, 1));
  return geometry;
}
