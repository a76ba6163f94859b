// A frame of a pane: one pass, or four where a section cuts solids open: the inside of what is cut, the outside, the
// depth of the cut, which hides what is behind it, and everything else.
import { AlwaysDepth, type Camera, DoubleSide, EqualStencilFunc, Mesh, MeshBasicMaterial, PlaneGeometry, type Scene, Vector3, type WebGLRenderer } from "three";
import type { Section } from "./appearance";
import { INSIDE } from "./looks";
import type { Pane } from "./pane";

/** Layers of three: the faces of bodies are in one of their own. */
export const SOLID = 1;
const OTHERS = 0;
const LID = 2;

export class Passes {
  /** Where solids are cut, the depth of the plane. */
  private lid = new Mesh(
    new PlaneGeometry(),
    new MeshBasicMaterial({ colorWrite: false, depthFunc: AlwaysDepth, side: DoubleSide, stencilWrite: true, stencilRef: INSIDE, stencilFunc: EqualStencilFunc }),
  );

  constructor(
    private renderer: WebGLRenderer,
    private scene: Scene,
  ) {
    this.lid.layers.set(LID);
    scene.add(this.lid);
  }

  /**
   * Draw a pane.
   *
   * @param appear called before each pass that draws bodies, with whether their inside is drawn.
   * @param reach the size of the cell [m].
   */
  draw(pane: Pane, reach: number, appear: (inside: boolean) => void): void {
    const { camera, appearance } = pane;
    const { section, surfaces } = appearance;
    this.renderer.shadowMap.needsUpdate = true;
    if (!section || surfaces === "wireframe") {
      appear(false);
      return void this.pass(camera, OTHERS, SOLID);
    }
    this.place(section, reach);
    appear(true);
    this.pass(camera, SOLID);
    this.renderer.autoClear = false;
    appear(false);
    this.pass(camera, SOLID);
    this.pass(camera, LID);
    this.pass(camera, OTHERS);
    this.renderer.autoClear = true;
  }

  private pass(camera: Camera, ...layers: number[]): void {
    camera.layers.disableAll();
    layers.forEach((layer) => camera.layers.enable(layer));
    this.renderer.render(this.scene, camera);
  }

  private place({ normal, at }: Section, reach: number): void {
    const towards = new Vector3(...normal).normalize();
    this.lid.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), towards);
    this.lid.position.copy(towards).multiplyScalar(at);
    this.lid.scale.setScalar(40 * reach);
  }

  dispose(): void {
    this.lid.geometry.dispose();
    this.lid.material.dispose();
  }
}
