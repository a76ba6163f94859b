// The stage: the canvas with its light and floor, the layers on it, and the panes that look at it.
// A frame is drawn only when something changed; while nothing changes, nothing runs.
import {
  Box3,
  Color,
  Group,
  PCFShadowMap,
  Scene,
  Sphere,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Bench } from "../bench.svelte";
import type { Spot } from "../spots";
import type { Theme } from "../themes";
import { isDrawing } from "./appearance";
import { contextFor, newCanvas, softwareRendered } from "./canvas";
import { cornersOf } from "./fitting";
import { Floor } from "./floor";
import { type Hit, type Kind, KINDS, type Layer, type LayerMaker, type Outline, type SpotHit } from "./layer";
import { Lights } from "./lights";
import { Pane, type Rect } from "./pane";
import { Passes } from "./passes";
import { Sharpness } from "./sharpness";

/** How long the view has one size before its cameras look whether they see everything [ms]. */
const RESIZED = 120;
/** How long the first frame waits for shapes that are on their way [ms]: a frame of a part of them takes as long. */
const AWAITED = 300;
/** What is picked first. */
const PICKED: readonly (readonly Kind[])[] = [["overlay"], ["contact"], ["solid", "ghost"]];

export type Quality = "auto" | "high" | "low";

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly floor = new Floor();
  readonly lights = new Lights();
  readonly panes: Pane[] = [];
  readonly layers: Layer[] = [];
  /** Whether the machine draws fast enough for shadows and smooth edges. */
  readonly highQuality: boolean;
  /** Passes of the frame loop, and frames that were drawn. */
  ticks = 0;
  frames = 0;
  private renderer: WebGLRenderer;
  private scene = new Scene();
  private groups: Record<Kind, Group>;
  private passes: Passes;
  private paper = new Color();
  private reach = 1;
  private colours: Theme | undefined;
  private moved = new Set<string>();
  private dirty = true;
  /** When the last frame of a motion was [ms]; 0 if nothing moves. */
  private last = 0;
  /** What is done before the next frame. */
  private awaited: (() => void)[] = [];
  private handle = 0;
  private gone = false;
  private fitted = false;
  /** When the cell was known [ms]. */
  private known = 0;
  /** Whether the cameras shall see everything when nothing is played any more. */
  private late = false;
  private density: number;
  private sharpness: Sharpness;
  private resized: ReturnType<typeof setTimeout> | undefined;
  private unwatch: () => void;

  constructor(
    readonly bench: Bench,
    quality: Quality,
  ) {
    this.highQuality = quality === "high" || (quality === "auto" && !softwareRendered());
    const { canvas, context } = newCanvas(this.highQuality);
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, ...(context ? { context } : contextFor(this.highQuality)) });
    this.density = this.highQuality ? Math.min(2, devicePixelRatio) : 1;
    this.sharpness = new Sharpness(quality !== "auto");
    this.renderer.setPixelRatio(this.density);
    this.renderer.shadowMap.enabled = this.highQuality;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.info.autoReset = false;
    this.renderer.shadowMap.autoUpdate = false; // once for each pane
    this.renderer.localClippingEnabled = true;
    this.passes = new Passes(this.renderer, this.scene);
    this.lights.castsShadow = this.floor.shadowed = this.highQuality;
    this.groups = Object.fromEntries(KINDS.map((kind) => [kind, new Group()])) as Record<Kind, Group>;
    KINDS.forEach((kind, order) => (this.groups[kind].renderOrder = order));
    this.scene.add(this.lights, this.floor, ...KINDS.map((kind) => this.groups[kind]));
    this.unwatch = bench.scene.watch((touched) => {
      for (const layer of this.layers) layer.update?.(touched);
      this.changed();
    });
    canvas.addEventListener("webglcontextrestored", () => this.changed());
    this.changed();
  }

  // ---- layers -------------------------------------------------------------------------------------------------

  /** Make layers and show them the cell; call it inside `$effect.root`, so that they may follow the bench. */
  furnish(makers: readonly LayerMaker[]): void {
    const made = makers.map((maker) => maker(this.bench, this));
    for (const layer of made) this.add(layer);
    const { picture, facts } = this.bench.scene;
    const all = { bodies: new Set(picture.bodies.keys()), zones: true, lists: true, whole: true };
    if (facts) for (const layer of made) layer.update?.(all);
  }

  add(layer: Layer): void {
    this.layers.push(layer);
    this.groups[layer.kind].add(layer.group);
    if (this.colours) layer.theme?.(this.colours);
    this.changed();
  }

  remove(layer: Layer): void {
    const place = this.layers.indexOf(layer);
    if (place < 0) return;
    this.layers.splice(place, 1);
    layer.group.removeFromParent();
    layer.dispose();
    this.changed();
  }

  /** The nearest thing under a point of a pane [pixels], solid or translucent; overlays come before what they cover. */
  pick(pane: Pane, x: number, y: number, order: readonly (readonly Kind[])[] = PICKED): Hit | undefined {
    this.appear(pane);
    const ray = pane.ray(x, y);
    for (const kinds of order) {
      const hits = this.layers.flatMap((layer) => (kinds.includes(layer.kind) && layer.pick?.(ray)) || []);
      if (hits.length > 0) return hits.reduce((a, b) => (b.distance < a.distance ? b : a));
    }
    return undefined;
  }

  /** Whether picking would take long. */
  get slow(): boolean {
    return this.layers.some((layer) => layer.slow);
  }

  /** The nearest face or edge under a point of a pane [pixels]. */
  spot(pane: Pane, x: number, y: number, kind: Spot["kind"]): SpotHit | undefined {
    this.appear(pane);
    const ray = pane.ray(x, y);
    const hits = this.layers.flatMap((layer) => layer.spot?.(ray, kind) ?? []);
    return hits.length > 0 ? hits.reduce((a, b) => (b.distance < a.distance ? b : a)) : undefined;
  }

  /** The outlines of all that a pane shows and that can be selected. */
  outlines(pane: Pane): Outline[] {
    this.appear(pane);
    return this.layers.flatMap((layer) => [...(layer.outlines?.() ?? [])]);
  }

  /** The box around everything that a camera can look at. */
  box(): Box3 {
    return new Box3().setFromPoints(this.layers.flatMap((layer) => (layer.box ? cornersOf(layer.box()) : [])));
  }

  /** Points around everything. */
  corners(): Vector3[] {
    return this.layers.flatMap((layer) => layer.corners?.() ?? (layer.box ? cornersOf(layer.box()) : []));
  }

  /** Points around everything now and all along the recording, for fitting a view. */
  covered(): Vector3[] {
    return [...this.corners(), ...this.layers.flatMap((layer) => layer.along?.() ?? [])];
  }

  // ---- panes --------------------------------------------------------------------------------------------------

  open(element: HTMLElement, direction: string): Pane {
    const pane = new Pane(element, () => this.changed(), direction);
    this.panes.push(pane);
    return pane;
  }

  /** The pointer went to a pane. */
  enter(pane: Pane): void {
    for (const layer of this.layers) layer.enter?.(pane);
  }

  /** Whether the pointer is on a handle. */
  get grabbed(): boolean {
    return this.layers.some((layer) => layer.grabs);
  }

  close(pane: Pane): void {
    const place = this.panes.indexOf(pane);
    if (place >= 0) this.panes.splice(place, 1);
    pane.dispose();
    this.changed();
  }

  /** The canvas has another size, and the panes other places on it. */
  resize(width: number, height: number, rects: readonly Rect[]): void {
    if (width < 1 || height < 1) return;
    this.renderer.setSize(width, height, false);
    this.panes.forEach((pane, i) => rects[i] && pane.resize(rects[i]));
    this.draw(); // at once, otherwise the canvas flickers during resizing
    clearTimeout(this.resized);
    this.resized = setTimeout(() => {
      this.resized = undefined;
      this.refit(true);
    }, RESIZED);
  }

  /** Shapes arrived: fit light and floor to the cell, and the cameras until the user moves them. */
  surround(complete: boolean): void {
    const box = this.box().union(new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 0.5)));
    const { radius, center } = box.getBoundingSphere(new Sphere());
    this.reach = radius;
    this.lights.surround(center, radius);
    this.floor.resize(2.2 * radius);
    this.floor.position.z = box.min.z; // as in `render`: what reaches below zero stands on it
    for (const pane of this.panes) {
      pane.depth(radius);
      if (!this.fitted && !pane.moved) pane.fit(this.covered(), undefined, true);
    }
    this.fitted = this.fitted || complete;
    this.changed();
  }

  /** There is more to see: the cameras that the user left alone see all of it, after what is played. */
  widen(): void {
    this.late = true;
    this.changed();
  }

  /** Whether there are cameras that the user left alone. */
  get follows(): boolean {
    return this.fitted && this.panes.some((pane) => !pane.moved);
  }

  /** Whether a camera is on its way. */
  get flies(): boolean {
    return this.panes.some((pane) => pane.flies);
  }

  /** Let the cameras that the user left alone see everything now; if they have other sizes, as large as it can be. */
  refit(resized = false): void {
    this.late = false;
    if (!this.follows) return;
    const points = this.covered();
    for (const pane of this.panes) if (!pane.moved && (!pane.holds(points) || (resized && pane.dwarfs(points)))) pane.fit(points);
  }

  // ---- frames -------------------------------------------------------------------------------------------------

  /** Something changed: draw a frame soon. */
  changed(): void {
    this.dirty = true;
    if (!this.handle && !this.gone) this.handle = requestAnimationFrame((now) => this.tick(now));
  }

  /** Do something just before the next frame, which then shows it. */
  before(work: () => void): void {
    this.awaited.push(work);
    this.changed();
  }

  theme(theme: Theme): void {
    this.colours = theme;
    this.floor.theme(theme.gridStrong, theme.gridWeak, theme.shadow);
    this.paper.set(theme.paper);
    this.lights.theme(theme);
    for (const layer of this.layers) layer.theme?.(theme);
    this.changed();
  }

  /** Show what belongs to a pane, as it wants it. */
  private appear(pane: Pane, inside = false): void {
    const { surfaces, shadows, grid } = pane.appearance;
    this.floor.gridVisible = grid;
    this.lights.castsShadow = this.floor.shadowed = shadows && surfaces === "shaded" && this.highQuality;
    for (const layer of this.layers) layer.appear?.(pane, inside);
  }

  private tick(now: number): void {
    for (const work of this.awaited.splice(0)) work();
    this.handle = 0;
    this.ticks += 1;
    const elapsed = this.last ? Math.min(0.25, (now - this.last) / 1000) : 0;
    this.pose(elapsed);
    const { live, playing, atEnd } = this.bench.time;
    if (this.late && (live || (!playing && atEnd))) this.refit();
    let more = this.bench.time.playing;
    for (const pane of this.panes) more = pane.step(now) || more;
    for (const layer of this.layers) more = layer.frame?.(now) || more;
    if (this.sharpness.next(now, this.dirty)) {
      this.renderer.setPixelRatio(this.density * this.sharpness.scale);
      this.dirty = true;
    }
    more = this.sharpness.scale < 1 || more;
    if (this.dirty) this.draw();
    this.last = more ? now : 0;
    if (more && !this.handle) this.handle = requestAnimationFrame((next) => this.tick(next));
  }

  /** Let time pass and put the bodies where they are at the time that is shown. */
  private pose(elapsed: number): void {
    this.moved.clear();
    const any = this.bench.poses.step(elapsed, (body) => this.moved.add(body));
    if (!any) return;
    for (const layer of this.layers) layer.moved?.(this.moved);
    this.dirty = true;
  }

  private draw(): void {
    this.dirty = false;
    if (this.early) return; // the first frame takes long, and what is to be seen comes soon
    this.frames += 1;
    this.renderer.info.reset();
    const height = this.canvas.clientHeight;
    this.renderer.setScissorTest(this.panes.length > 1);
    for (const pane of this.panes) {
      const { x, y, width, height: high } = pane.rect;
      this.renderer.setViewport(x, height - y - high, width, high);
      this.renderer.setScissor(x, height - y - high, width, high);
      const paper = isDrawing(pane.appearance.surfaces);
      this.renderer.setClearColor(paper ? this.paper : "#000000", paper ? 1 : 0);
      this.passes.draw(pane, this.reach, (inside) => this.appear(pane, inside));
      pane.report();
    }
    if (!this.bench.firstFrame) requestAnimationFrame((now) => (this.bench.firstFrame ||= now)); // then it is on the screen
  }

  /** Whether what is to be seen in the first frame is on its way. */
  private get early(): boolean {
    const { scene, shapes } = this.bench;
    if (!scene.facts) return true;
    if (!this.known) {
      this.known = performance.now();
      setTimeout(() => this.frames === 0 && this.changed(), AWAITED);
    }
    return this.frames === 0 && shapes.here < shapes.wanted && performance.now() - this.known < AWAITED;
  }

  /** Whether nothing moves: no frame is to come. */
  get still(): boolean {
    return this.handle === 0 && this.resized === undefined;
  }

  /** Draw calls of the last frame. */
  get calls(): number {
    return this.renderer.info.render.calls;
  }

  dispose(): void {
    this.gone = true;
    this.unwatch();
    clearTimeout(this.resized);
    cancelAnimationFrame(this.handle);
    for (const pane of this.panes) pane.dispose();
    for (const layer of this.layers) layer.dispose();
    this.passes.dispose();
    this.renderer.dispose();
  }
}
