// The ghost of a robot, translucent in the colour of the selection; what would touch something is red.
import { BufferAttribute, BufferGeometry, Group, type Matrix4, Mesh, MeshLambertMaterial } from "three";
import type { Bench } from "../../bench.svelte";
import type { Shape } from "../../glb";
import { ShapeLoader } from "../../shapes";
import type { Theme } from "../../themes";
import type { Layer } from "../layer";
import type { Stage } from "../stage";

const RED = "#e5322b";

export class GhostLayer implements Layer {
  readonly kind = "ghost";
  readonly group = new Group();
  private material = new MeshLambertMaterial({ transparent: true, opacity: 0.38, depthWrite: false });
  private red = new MeshLambertMaterial({ color: RED, transparent: true, opacity: 0.55, depthWrite: false });
  private shapes = new Map<string, BufferGeometry>();
  private loader: ShapeLoader;

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "ghost-arm";
    this.loader = new ShapeLoader(
      bench.address.glb,
      (hash, shape) => {
        this.shapes.set(hash, geometryOf(shape));
        this.draw(this.bench.ghost.poses);
      },
      (_, reason) => bench.messages.error("A shape of the ghost is missing", reason),
    );
    $effect(() => this.draw(bench.ghost.poses));
  }

  private draw(poses: ReadonlyMap<string, Matrix4>): void {
    this.group.clear();
    const wanted = new Set<string>();
    const { touching } = this.bench.ghost;
    for (const [id, matrix] of poses) {
      for (const { glb, ghost } of this.bench.scene.picture.bodies.get(id)?.pieces ?? []) {
        if (ghost) continue;
        wanted.add(glb);
        const shape = this.shapes.get(glb);
        if (!shape) continue;
        const mesh = new Mesh(shape, touching.has(id) ? this.red : this.material);
        mesh.matrixAutoUpdate = false;
        mesh.matrix.copy(matrix);
        this.group.add(mesh);
      }
    }
    this.loader.want([...wanted].filter((hash) => !this.shapes.has(hash)));
    if (poses.size === 0) this.free();
    this.stage.changed();
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
