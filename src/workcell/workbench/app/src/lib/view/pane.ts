// A pane of the view: a camera with its controls, in a part of the canvas.
import { type Box3, PerspectiveCamera, Raycaster, Spherical, Vector2, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

interface Flight {
  from: { target: Vector3; offset: Spherical };
  to: { target: Vector3; offset: Spherical };
  begun: number;
}

const FLIGHT_TIME = 320; // ms
const MARGIN = 1.08;
const LEAST = 0.15; // m from what is fitted

export const DIRECTIONS: Record<string, [number, number, number]> = {
  iso: [1.0, -1.25, 0.78],
  front: [0, -1, 0.0001],
  back: [0, 1, 0.0001],
  right: [1, 0, 0.0001],
  left: [-1, 0, 0.0001],
  top: [0, -0.0002, 1],
  bottom: [0, -0.0002, -1],
};

/** Where a pane is on the canvas, from its upper left corner [pixels]. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Pane {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 200);
  rect: Rect = { x: 0, y: 0, width: 1, height: 1 };
  /** Whether the user moved the camera. */
  moved = false;
  /** Called when the camera moved, with its rotation as three axes in screen coordinates. */
  oncamera: (axes: [number, number, number][]) => void = () => {};
  private controls: OrbitControls;
  private flight: Flight | undefined;
  private raycaster = new Raycaster();

  /**
   * @param element takes the pointer; it covers the rectangle of the pane.
   * @param changed called when the pane has to be drawn again.
   */
  constructor(
    readonly element: HTMLElement,
    private changed: () => void,
    direction = "iso",
  ) {
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.05;
    this.controls.maxDistance = 80;
    this.controls.maxPolarAngle = Math.PI;
    this.controls.addEventListener("change", () => this.changed());
    this.controls.addEventListener("start", () => {
      this.flight = undefined;
      this.moved = true;
    });
    this.camera.position.set(...DIRECTIONS[direction]!).multiplyScalar(2.2);
    this.controls.target.set(0, 0, 0.4);
  }

  /** Whether the pointer moves the camera; a layer that is dragged turns that off. */
  set steered(on: boolean) {
    this.controls.enabled = on;
  }

  resize(rect: Rect): void {
    this.rect = rect;
    this.camera.aspect = rect.width / Math.max(1, rect.height);
    this.camera.updateProjectionMatrix();
  }

  /** Let the camera move on; returns whether it still moves. */
  step(now: number): boolean {
    if (this.flight) this.fly(now);
    return this.controls.update() || this.flight !== undefined;
  }

  /** Report the axes of the world as the camera sees them. */
  report(): void {
    const e = this.camera.matrixWorldInverse.elements;
    this.oncamera([0, 1, 2].map((k) => [e[4 * k]!, e[4 * k + 1]!, e[4 * k + 2]!]));
  }

  /** Move the camera so that a box fills the pane; from a named direction if one is given. */
  fit(box: Box3, direction?: string, instant = false): void {
    if (box.isEmpty()) return;
    const centre = box.getCenter(new Vector3());
    const way = direction ? new Vector3(...DIRECTIONS[direction]!) : this.camera.position.clone().sub(this.controls.target);
    this.flyTo(centre, way.setLength(Math.max(LEAST, MARGIN * this.distance(box, centre, way))), instant);
  }

  /** Whether the centre of a box is in the picture. */
  sees(box: Box3): boolean {
    this.camera.updateMatrixWorld();
    const { x, y, z } = box.getCenter(new Vector3()).project(this.camera);
    return Math.abs(x) < 0.95 && Math.abs(y) < 0.95 && Math.abs(z) < 1;
  }

  /** How far from its centre the camera has to be to see the whole box in a direction. */
  private distance(box: Box3, centre: Vector3, way: Vector3): number {
    const back = way.clone().normalize();
    const right = new Vector3().crossVectors(this.camera.up, back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    let least = 0;
    for (const x of [box.min.x, box.max.x]) {
      for (const y of [box.min.y, box.max.y]) {
        for (const z of [box.min.z, box.max.z]) {
          const corner = new Vector3(x, y, z).sub(centre);
          const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high);
          least = Math.max(least, across + corner.dot(back));
        }
      }
    }
    return least;
  }

  /** Turn about what the camera looks at, to the right and up [rad]. */
  orbit(right: number, up: number): void {
    const offset = upright(this.camera.position.clone().sub(this.controls.target));
    offset.theta += right;
    offset.phi = Math.min(Math.PI - 0.01, Math.max(0.01, offset.phi - up));
    this.stand(this.controls.target, offset);
  }

  /** Shift the camera to the right and up, in heights of the pane. */
  pan(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const height = 2 * offset.length() * Math.tan((this.camera.fov * Math.PI) / 360);
    const [x, y] = [new Vector3(), new Vector3()];
    this.camera.matrix.extractBasis(x, y, new Vector3());
    this.controls.target.addScaledVector(x, right * height).addScaledVector(y, up * height);
    this.stand(this.controls.target, upright(offset));
  }

  /** Change the distance by a factor. */
  zoom(factor: number): void {
    const offset = upright(this.camera.position.clone().sub(this.controls.target));
    offset.radius = Math.min(this.controls.maxDistance, Math.max(this.controls.minDistance, offset.radius * factor));
    this.stand(this.controls.target, offset);
  }

  private flyTo(target: Vector3, offset: Vector3, instant: boolean): void {
    const to = { target: target.clone(), offset: upright(offset) };
    const from = {
      target: this.controls.target.clone(),
      offset: upright(this.camera.position.clone().sub(this.controls.target)),
    };
    const turns = Math.round((to.offset.theta - from.offset.theta) / (2 * Math.PI));
    to.offset.theta -= turns * 2 * Math.PI;
    this.flight = { from, to, begun: instant ? -Infinity : performance.now() };
    if (instant) this.fly(0);
    this.changed();
  }

  private fly(now: number): void {
    const { from, to, begun } = this.flight!;
    const part = Math.min(1, Math.max(0, (now - begun) / FLIGHT_TIME));
    const ease = part * part * (3 - 2 * part);
    const mix = (a: number, b: number) => a + ease * (b - a);
    const offset = new Spherical(
      mix(from.offset.radius, to.offset.radius),
      mix(from.offset.phi, to.offset.phi),
      mix(from.offset.theta, to.offset.theta),
    );
    if (part >= 1) this.flight = undefined;
    this.stand(from.target.clone().lerp(to.target, ease), offset);
  }

  private stand(target: Vector3, offset: Spherical): void {
    const y = new Vector3().setFromSpherical(offset.makeSafe());
    this.controls.target.copy(target);
    this.camera.position.set(y.x, -y.z, y.y).add(target);
    this.camera.lookAt(target);
    this.changed();
  }

  /** Where the camera is, and what it looks at [m]. */
  where(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  /** Fit the range of depth to a radius around the cell [m]. */
  depth(radius: number): void {
    this.camera.near = Math.max(0.005, radius / 200);
    this.camera.far = 60 * radius;
    this.camera.updateProjectionMatrix();
  }

  /** The ray through a point of the pane [pixels from its upper left corner]. */
  ray(x: number, y: number): Raycaster {
    const point = new Vector2((2 * x) / this.rect.width - 1, 1 - (2 * y) / this.rect.height);
    this.camera.updateMatrixWorld();
    this.raycaster.setFromCamera(point, this.camera);
    return this.raycaster;
  }

  /** Where a point of the world is in the pane [pixels from its upper left corner]. */
  project(point: readonly [number, number, number]): Vector2 {
    this.camera.updateMatrixWorld();
    const { x, y } = new Vector3(...point).project(this.camera);
    return new Vector2((0.5 + x / 2) * this.rect.width, (0.5 - y / 2) * this.rect.height);
  }

  dispose(): void {
    this.controls.dispose();
  }
}

/** A vector in spherical coordinates about the vertical of the world, z. */
function upright(v: Vector3): Spherical {
  return new Spherical().setFromVector3(new Vector3(v.x, v.z, -v.y));
}
