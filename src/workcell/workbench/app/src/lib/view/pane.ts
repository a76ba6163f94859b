// A pane of the view: a camera with its controls, in a part of the canvas.
import { type Box3, OrthographicCamera, PerspectiveCamera, Raycaster, type Spherical, Vector2, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { type Appearance, PLAIN } from "./appearance";
import type { CameraState } from "../views.svelte";
import { cutRay } from "./cut_ray";
import { DIRECTIONS } from "./directions";
import { AWAY, fitted, inReach } from "./fitting";
import { Flight, level, upright } from "./flight";
import { type Insets, NONE } from "./free";
import { type Point, Shifting } from "./shifting";

const TURNED = 0.004; // rad between directions that are not the same
const LEAST = 0.15; // m from what is fitted
const DWARFED = 0.8; // of the distance
/** The height of the picture as an angle [degrees], as in `render`. */
export const FIELD = 30;

/** Where a pane is on the canvas, from its upper left corner [pixels]. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Pane {
  /** The ids of bodies and zones that this pane does not show. */
  hidden: ReadonlySet<string> = new Set();
  /** How the pane draws the cell. */
  appearance: Appearance = PLAIN;
  /** Whether sizes are true, not smaller with the distance. */
  parallel = false;
  /** How far the picture is turned clockwise [rad]; the controls move an upright camera. */
  twist = 0;
  /** What is nearer to the eye than this is cut away [m]; 0 for nothing. */
  near = 0;
  rect: Rect = { x: 0, y: 0, width: 1, height: 1 };
  /** Whether the user moved the camera. */
  moved = false;
  /** What lies over the pane at its sides. */
  taken: () => Insets = () => NONE;
  /** Called when the camera moved, with its rotation as three axes in screen coordinates. */
  oncamera: (axes: [number, number, number][]) => void = () => {};
  /** Called when another camera was drawn. */
  onplace: (camera: CameraState) => void = () => {};
  /** Called when somebody begins to move the camera. */
  onsteer: () => void = () => {};
  /** Called when somebody turns the camera, so that it looks in another direction. */
  onturn: () => void = () => {};
  /** Called when a drag of the camera was taken back. */
  oncancel: () => void = () => {};
  private eye = new PerspectiveCamera(FIELD, 1, 0.01, 200);
  private level = new OrthographicCamera();
  /** As the eye, turned or with things cut away. */
  private turned = new PerspectiveCamera();
  private radius = 3;
  private controls: OrbitControls;
  private shifting: Shifting;
  private flight: Flight | undefined;
  private raycaster = new Raycaster();
  private reported = [NaN];
  private stood = "";
  /** The direction in which the camera looked when somebody began to move it. */
  private begun: Vector3 | undefined;
  /** Whether something in the view is dragged, and the camera stays. */
  private rests = false;
  /** The camera as it was when the pointer was pressed. */
  private before: CameraState | undefined;

  /**
   * @param element takes the pointer; it covers the rectangle of the pane.
   * @param changed called when the pane has to be drawn again.
   */
  constructor(
    readonly element: HTMLElement,
    private changed: () => void,
    direction = "iso",
  ) {
    this.eye.up.set(0, 0, 1);
    element.addEventListener("pointerdown", this.press, true);
    this.shifting = new Shifting(element, (factor, from, to) => {
      if (this.rests) return;
      if (!this.before || !this.begun) this.begin(); // once for a drag
      this.zoom(factor, from, to);
    });
    this.controls = new OrbitControls(this.eye, element);
    this.controls.enableZoom = this.controls.enablePan = false; // they do not know of parallel and turned pictures
    this.controls.touches.TWO = null;
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    [this.controls.minDistance, this.controls.maxDistance] = AWAY;
    this.controls.maxPolarAngle = Math.PI;
    this.controls.addEventListener("change", () => {
      this.changed();
      if (!this.begun || this.begun.angleTo(this.sight) < TURNED) return;
      this.begun = undefined;
      this.onturn();
    });
    this.controls.addEventListener("start", () => this.begin());
    this.eye.position.set(...DIRECTIONS[direction]!).multiplyScalar(2.2);
    this.controls.target.set(0, 0, 0.4);
  }

  /** Whether the pointer moves the camera; a layer that is dragged turns that off. It is on again when the pointer is pressed anew. */
  set steered(on: boolean) {
    this.rests = !on;
    if (!on) this.controls.enabled = false;
  }

  private press = ({ isPrimary }: PointerEvent): void => {
    this.controls.enabled = !this.rests;
    if (this.rests || !isPrimary) return;
    this.before = this.state;
    this.begun = undefined;
    this.hear("addEventListener");
  };

  private hear(how: "addEventListener" | "removeEventListener"): void {
    const page = this.element.ownerDocument;
    page[how]("keydown", this.key as EventListener, true);
    for (const end of ["pointerup", "pointercancel"]) page[how](end, this.release, true);
  }

  private release = (): void => {
    this.before = undefined;
    this.hear("removeEventListener");
  };

  /** Escape takes back what a drag did to the camera; the pointer may still be down. */
  private key = (event: KeyboardEvent): void => {
    const { before } = this;
    if (event.key !== "Escape" || !before || !this.went(before)) return;
    event.stopPropagation();
    event.preventDefault();
    this.release();
    this.shifting.drop();
    this.controls.enabled = this.controls.enableDamping = false;
    this.controls.update(); // nothing is left of the drag to be done later
    this.controls.enableDamping = true;
    this.resume(before);
    this.oncancel();
  };

  /** Whether the camera is not where it was. */
  private went({ from, at }: CameraState): boolean {
    const { position } = this.eye;
    return position.distanceTo(new Vector3(...from)) + this.controls.target.distanceTo(new Vector3(...at)) > 1e-6 * position.length();
  }

  /** Somebody begins to move the camera. */
  private begin(): void {
    this.flight = undefined;
    this.moved = true;
    this.begun = this.sight;
    this.onsteer();
  }

  /** The camera to draw and to pick with. */
  get camera(): PerspectiveCamera | OrthographicCamera {
    if (!this.parallel) return this.twist || this.near ? this.asTurned() : this.eye;
    // At what it looks at, a parallel picture shows as much as one in perspective, and nothing is too near.
    const { level, eye } = this;
    const distance = eye.position.distanceTo(this.controls.target);
    const half = distance * Math.tan((eye.fov * Math.PI) / 360);
    level.left = -half * eye.aspect;
    level.right = half * eye.aspect;
    level.top = half;
    level.bottom = -half;
    level.near = this.near || -10 * this.radius;
    level.far = 10 * this.radius + distance;
    level.position.copy(eye.position);
    level.quaternion.copy(eye.quaternion);
    level.rotateZ(this.twist);
    level.updateProjectionMatrix();
    level.updateMatrixWorld();
    return level;
  }

  private asTurned(): PerspectiveCamera {
    const { turned, eye } = this;
    turned.copy(eye, false);
    turned.near = Math.max(eye.near, this.near);
    turned.rotateZ(this.twist); // the camera turns to the left, so the picture turns to the right
    turned.updateProjectionMatrix();
    turned.updateMatrixWorld();
    return turned;
  }

  resize(rect: Rect): void {
    this.rect = rect;
    this.eye.aspect = rect.width / Math.max(1, rect.height);
    this.eye.updateProjectionMatrix();
  }

  /** Let the camera move on; returns whether it still moves. */
  step(now: number): boolean {
    if (this.flight) this.fly(now);
    return this.controls.update() || this.flight !== undefined;
  }

  /** Report where the camera is, and the axes of the world as it sees them, if they changed. */
  report(): void {
    const stands = String([this.where(), this.eye.fov]);
    if (stands !== this.stood) this.onplace(this.state);
    this.stood = stands;
    const e = this.camera.matrixWorldInverse.elements;
    if (!e.every(Number.isFinite) || this.reported.every((value, i) => value === e[i])) return;
    this.reported = e.slice(0, 11);
    this.oncamera([0, 1, 2].map((k) => [e[4 * k]!, e[4 * k + 1]!, e[4 * k + 2]!]));
  }

  /** Move the camera so that points fill the pane; from a named direction if one is given. */
  fit(points: readonly Vector3[], direction?: string, instant = false): void {
    const there = points.filter(inReach);
    if (there.length === 0) return;
    const way = direction ? new Vector3(...DIRECTIONS[direction]!) : this.way;
    const { target, distance } = fitted(there, way, this.eye.fov, this.eye.aspect, this.parallel, this.taken());
    this.flyTo(target, way.setLength(Math.max(LEAST, distance)), instant);
  }

  /** From what the camera looks at to the camera, when it has arrived. */
  private get way(): Vector3 {
    return this.flight ? level(this.flight.to.offset) : this.eye.position.clone().sub(this.controls.target);
  }

  /** Whether points fill much less of the pane than they could. */
  dwarfs(points: readonly Vector3[]): boolean {
    const { way } = this;
    return fitted(points.filter(inReach), way, this.eye.fov, this.eye.aspect, this.parallel, this.taken()).distance < DWARFED * way.length();
  }

  /** Whether the centre of a box is in the picture, and the camera not in the box. */
  sees(box: Box3): boolean {
    if (!this.parallel && box.containsPoint(this.eye.position)) return false;
    const { camera } = this;
    camera.updateMatrixWorld();
    const { x, y, z } = box.getCenter(new Vector3()).project(camera);
    return Math.abs(x) < 0.95 && Math.abs(y) < 0.95 && Math.abs(z) < 1;
  }

  /** Whether all points are in the picture. */
  holds(points: readonly Vector3[]): boolean {
    const { camera } = this;
    camera.updateMatrixWorld();
    return points.every((point) => {
      const { x, y, z } = point.clone().project(camera);
      return Math.abs(x) <= 1 && Math.abs(y) <= 1 && Math.abs(z) <= 1;
    });
  }

  /** Turn about what the camera looks at, to the right and up [rad]. */
  orbit(right: number, up: number): void {
    this.moved = true;
    const offset = upright(this.eye.position.clone().sub(this.controls.target));
    offset.theta += right;
    offset.phi = Math.min(Math.PI - 0.01, Math.max(0.01, offset.phi - up));
    this.stand(this.controls.target, offset);
    this.onturn();
  }

  /** Shift the camera to the right and up, in heights of the pane. */
  pan(right: number, up: number): void {
    this.moved = true;
    const offset = this.eye.position.clone().sub(this.controls.target);
    const height = 2 * offset.length() * Math.tan((this.eye.fov * Math.PI) / 360);
    const [x, y] = [new Vector3(), new Vector3()];
    this.camera.matrix.extractBasis(x, y, new Vector3());
    this.controls.target.addScaledVector(x, right * height).addScaledVector(y, up * height);
    this.stand(this.controls.target, upright(offset));
  }

  /** Change the distance by a factor; what is seen at a point of the pane stays there, or goes to another one. About the middle if there is none. */
  zoom(factor: number, from: Point = { x: this.rect.width / 2, y: this.rect.height / 2 }, to = from): void {
    this.moved = true;
    const { target, minDistance, maxDistance } = this.controls;
    const offset = this.eye.position.clone().sub(target);
    const distance = Math.min(maxDistance, Math.max(minDistance, offset.length() * factor));
    this.eye.updateMatrixWorld();
    const { camera } = this;
    const { z } = target.clone().project(camera);
    const [fixed, there] = [from, to].map(({ x, y }) => new Vector3((2 * x) / this.rect.width - 1, 1 - (2 * y) / this.rect.height, z).unproject(camera));
    // In the plane through the target all sizes grow alike, in perspective and in parallel.
    const shift = target.clone().sub(there!).multiplyScalar(distance / offset.length());
    this.stand(shift.add(fixed!), upright(offset.setLength(distance)));
  }

  private flyTo(target: Vector3, offset: Vector3, instant: boolean): void {
    if (!inReach(target) || !inReach(offset)) return;
    const from = { target: this.controls.target.clone(), offset: upright(this.eye.position.clone().sub(this.controls.target)) };
    this.begun = undefined;
    this.flight = new Flight(from, { target, offset: upright(offset) }, instant ? -Infinity : performance.now());
    if (instant) this.fly(0);
    this.changed();
  }

  get flies(): boolean {
    return this.flight !== undefined;
  }

  private fly(now: number): void {
    const { target, offset, over } = this.flight!.at(now);
    if (over) this.flight = undefined;
    this.stand(target, offset);
  }

  private stand(target: Vector3, offset: Spherical): void {
    this.controls.target.copy(target);
    this.eye.position.copy(level(offset)).add(target);
    this.eye.lookAt(target);
    this.changed();
  }

  /** The size of a pixel [m]: at a distance of one metre, or anywhere in a parallel picture. */
  get pixel(): number {
    const away = this.parallel ? this.eye.position.distanceTo(this.controls.target) : 1;
    return (2 * away * Math.tan(this.field / 2)) / Math.max(1, this.rect.height);
  }

  /** The height of the picture as an angle [rad]. */
  get field(): number {
    return (this.eye.fov * Math.PI) / 180;
  }

  /** Where the camera is, and what it looks at [m]. */
  where(): number[] {
    return [...this.eye.position.toArray(), ...this.controls.target.toArray()];
  }

  /** Look from a point at another one [m], as a named view does. */
  look(from: Vector3, at: Vector3, instant = false): void {
    this.moved = true;
    this.flyTo(at, from.clone().sub(at), instant);
  }

  /** Be the camera that was there before. */
  resume({ from, at, zoom, moved = true }: CameraState): void {
    this.zoomed = zoom;
    this.look(new Vector3(...from), new Vector3(...at), true);
    this.moved = moved;
  }

  /** The camera as a named view has it. */
  get state(): CameraState {
    return { from: this.eye.position.toArray(), at: this.controls.target.toArray(), zoom: this.zoomed, moved: this.moved };
  }

  /** The direction in which the camera looks. */
  get sight(): Vector3 {
    return this.eye.getWorldDirection(new Vector3());
  }

  /** How much larger than usual the picture is, as a named view has it. */
  set zoomed(factor: number) {
    this.eye.fov = (360 / Math.PI) * Math.atan(Math.tan((FIELD * Math.PI) / 360) / factor);
    this.eye.updateProjectionMatrix();
  }

  get zoomed(): number {
    return Math.tan((FIELD * Math.PI) / 360) / Math.tan((this.eye.fov * Math.PI) / 360);
  }

  /** Fit the range of depth to a radius around the cell [m]. */
  depth(radius: number): void {
    this.radius = radius;
    this.eye.near = Math.max(0.005, radius / 200);
    this.eye.far = 60 * radius;
    this.eye.updateProjectionMatrix();
  }

  /** The ray through a point of the pane [pixels from its upper left corner]; of what a section left. */
  ray(x: number, y: number): Raycaster {
    const point = new Vector2((2 * x) / this.rect.width - 1, 1 - (2 * y) / this.rect.height);
    this.eye.updateMatrixWorld();
    const { raycaster } = this;
    raycaster.setFromCamera(point, this.camera);
    // A parallel picture shows what is behind the eye, too.
    const behind = this.parallel && !this.near ? 10 * this.radius : 0;
    raycaster.ray.origin.addScaledVector(raycaster.ray.direction, -behind);
    raycaster.near = this.near / Math.max(1e-6, raycaster.ray.direction.dot(this.sight));
    raycaster.far = Infinity;
    const { section } = this.appearance;
    if (section) cutRay(raycaster, section);
    return raycaster;
  }

  /** Where a point of the world is in the pane [pixels from its upper left corner]. */
  project(point: readonly [number, number, number]): Vector2 {
    this.camera.updateMatrixWorld();
    const { x, y } = new Vector3(...point).project(this.camera);
    return new Vector2((0.5 + x / 2) * this.rect.width, (0.5 - y / 2) * this.rect.height);
  }

  dispose(): void {
    this.element.removeEventListener("pointerdown", this.press, true);
    this.release();
    this.shifting.dispose();
    this.controls.dispose();
  }
}
