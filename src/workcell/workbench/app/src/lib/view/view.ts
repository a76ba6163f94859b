// The 3-D view: camera, light and drawing. It draws only when something changed.
import {
  Box3,
  DirectionalLight,
  HemisphereLight,
  PCFShadowMap,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Sphere,
  Spherical,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Bodies } from "./bodies";
import { Zones } from "./zones";
import { Floor } from "./floor";
import { Sharpness } from "./sharpness";

export interface Theme {
  edge: string;
  accent: string;
  gridStrong: string;
  gridWeak: string;
  sky: string;
  ground: string;
  light: number;
  shadow: number;
}

interface Flight {
  from: { target: Vector3; offset: Spherical };
  to: { target: Vector3; offset: Spherical };
  begun: number;
}

const FLIGHT_TIME = 320; // ms
export const DIRECTIONS: Record<string, [number, number, number]> = {
  iso: [1.0, -1.25, 0.78],
  front: [0, -1, 0.0001],
  back: [0, 1, 0.0001],
  right: [1, 0, 0.0001],
  left: [-1, 0, 0.0001],
  top: [0, -0.0002, 1],
  bottom: [0, -0.0002, -1],
};

export class View {
  readonly bodies: Bodies;
  readonly zones = new Zones();
  readonly floor = new Floor();
  /** Passes of the frame loop, and frames that were drawn. */
  ticks = 0;
  frames = 0;
  /** Called at every pass with the seconds since the one before, before drawing. */
  ontick: (elapsed: number) => void = () => {};
  /** Called when the camera moved, with its rotation as three axes in screen coordinates. */
  oncamera: (axes: [number, number, number][]) => void = () => {};

  private renderer: WebGLRenderer;
  private scene = new Scene();
  private camera = new PerspectiveCamera(32, 1, 0.01, 200);
  private controls: OrbitControls;
  private sky = new HemisphereLight();
  private sun = new DirectionalLight("#ffffff", 2);
  private fill = new DirectionalLight("#ffffff", 0.5);
  private flight: Flight | undefined;
  private dirty = true;
  private before = 0;
  private handle = 0;
  private raycaster = new Raycaster();
  private highQuality: boolean;
  private density: number;
  private sharpness: Sharpness;

  constructor(private canvas: HTMLCanvasElement, quality: "auto" | "high" | "low") {
    this.highQuality = quality === "high" || (quality === "auto" && !softwareRendered());
    this.renderer = new WebGLRenderer({ canvas, antialias: this.highQuality, alpha: true, powerPreference: "high-performance" });
    this.density = this.highQuality ? Math.min(2, devicePixelRatio) : 1;
    this.sharpness = new Sharpness(quality === "high");
    this.renderer.setPixelRatio(this.density);
    this.renderer.shadowMap.enabled = this.highQuality;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.bodies = new Bodies(this.highQuality);
    this.camera.up.set(0, 0, 1);
    this.sun.castShadow = this.highQuality;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.012;
    this.scene.add(this.sky, this.sun, this.sun.target, this.fill, this.bodies.group, this.zones.group, this.floor);
    this.sky.position.set(0, 0, 1);
    this.fill.position.set(-3, 2, 1.2);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.05;
    this.controls.maxDistance = 80;
    this.controls.maxPolarAngle = Math.PI;
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.controls.addEventListener("start", () => (this.flight = undefined));
    this.camera.position.set(...DIRECTIONS["iso"]!).multiplyScalar(2.2);
    this.controls.target.set(0, 0, 0.4);
    canvas.addEventListener("webglcontextrestored", () => (this.dirty = true));
    this.handle = requestAnimationFrame((now) => this.tick(now));
  }

  changed(): void {
    this.dirty = true;
  }

  theme(theme: Theme): void {
    this.bodies.theme(theme.edge, theme.accent);
    this.floor.theme(theme.gridStrong, theme.gridWeak, theme.shadow);
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.ground);
    this.sky.intensity = 1.55 * theme.light;
    this.sun.intensity = 2.1 * theme.light;
    this.fill.intensity = 0.55 * theme.light;
    this.dirty = true;
  }

  resize(width: number, height: number): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw(); // at once, otherwise the canvas flickers during resizing
  }

  private tick(now: number): void {
    this.handle = requestAnimationFrame((next) => this.tick(next));
    this.ticks += 1;
    const elapsed = this.before ? Math.min(0.25, (now - this.before) / 1000) : 0;
    this.before = now;
    this.ontick(elapsed);
    if (this.flight) this.fly(now);
    this.controls.update();
    const change = this.sharpness.next(now, this.dirty);
    if (change) {
      this.renderer.setPixelRatio(this.density * this.sharpness.scale);
      this.dirty = true;
    }
    if (this.dirty) this.draw();
  }

  private draw(): void {
    this.dirty = false;
    this.frames += 1;
    this.renderer.render(this.scene, this.camera);
    const e = this.camera.matrixWorldInverse.elements;
    this.oncamera([0, 1, 2].map((k) => [e[4 * k]!, e[4 * k + 1]!, e[4 * k + 2]!]));
  }

  // ---- camera ---------------------------------------------------------------------------------------------

  /** Fit the chosen bodies, or everything, into the view; from a named direction if one is given. */
  fit(chosen?: ReadonlySet<string>, direction?: string, instant = false): void {
    const box = chosen ? this.bodies.box(chosen) : this.bodies.box().union(this.zones.box());
    if (box.isEmpty()) return;
    const sphere = box.getBoundingSphere(new Sphere());
    const half = (Math.min(this.camera.fov, this.camera.fov * this.camera.aspect) * Math.PI) / 360;
    const distance = Math.max(0.15, (0.92 * sphere.radius) / Math.sin(half));
    const way = direction ? new Vector3(...DIRECTIONS[direction]!) : this.camera.position.clone().sub(this.controls.target);
    this.flyTo(sphere.center, way.setLength(distance), instant);
  }

  /** Fit light and floor to the bodies. */
  surround(): void {
    const box = this.bodies.box().union(new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 0.5)));
    const sphere = box.getBoundingSphere(new Sphere());
    const radius = sphere.radius;
    this.sun.position.copy(sphere.center).add(new Vector3(1.1, -1.6, 2.9).setLength(3 * radius));
    this.sun.target.position.copy(sphere.center);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.25 * radius;
    shadow.right = shadow.top = 1.25 * radius;
    shadow.near = radius;
    shadow.far = 6 * radius;
    shadow.updateProjectionMatrix();
    this.floor.resize(2.2 * radius);
    this.camera.near = Math.max(0.005, radius / 200);
    this.camera.far = 60 * radius;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private flyTo(target: Vector3, offset: Vector3, instant: boolean): void {
    const upright = (v: Vector3) => new Spherical().setFromVector3(new Vector3(v.x, v.z, -v.y));
    const to = { target: target.clone(), offset: upright(offset) };
    const from = {
      target: this.controls.target.clone(),
      offset: upright(this.camera.position.clone().sub(this.controls.target)),
    };
    const turns = Math.round((to.offset.theta - from.offset.theta) / (2 * Math.PI));
    to.offset.theta -= turns * 2 * Math.PI;
    this.flight = { from, to, begun: instant ? -Infinity : performance.now() };
    if (instant) this.fly(0);
  }

  private fly(now: number): void {
    const { from, to, begun } = this.flight!;
    const part = Math.min(1, Math.max(0, (now - begun) / FLIGHT_TIME));
    const ease = part * part * (3 - 2 * part);
    const mix = (a: number, b: number) => a + ease * (b - a);
    this.controls.target.lerpVectors(from.target, to.target, ease);
    const s = new Spherical(
      mix(from.offset.radius, to.offset.radius),
      mix(from.offset.phi, to.offset.phi),
      mix(from.offset.theta, to.offset.theta),
    );
    const y = new Vector3().setFromSpherical(s.makeSafe());
    this.camera.position.set(y.x, -y.z, y.y).add(this.controls.target);
    this.camera.lookAt(this.controls.target);
    this.dirty = true;
    if (part >= 1) this.flight = undefined;
  }

  /** The body under a point of the canvas [pixels], or nothing. */
  pick(x: number, y: number): string {
    const { clientWidth, clientHeight } = this.canvas;
    const point = new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight);
    this.raycaster.setFromCamera(point, this.camera);
    return this.bodies.pick(this.raycaster);
  }

  /** Draw calls of the last frame. */
  get calls(): number {
    return this.renderer.info.render.calls;
  }

  dispose(): void {
    cancelAnimationFrame(this.handle);
    this.controls.dispose();
    this.bodies.dispose();
    this.zones.dispose();
    this.renderer.dispose();
  }
}

/** Whether WebGL runs on the CPU; then antialiasing and shadows cost too much. */
function softwareRendered(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl && names ? String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
