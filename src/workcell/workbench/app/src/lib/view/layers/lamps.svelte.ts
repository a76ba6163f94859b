// The lamps of the cell as small suns, which are picked and moved; the selected one shows the point that it shines at, which is
// picked and dragged too.
import { untrack } from "svelte";
import { BufferAttribute, BufferGeometry, CanvasTexture, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Points, PointsMaterial, type Raycaster, Vector3 } from "three";
import type { Bench } from "../../bench.svelte";
import type { LampRow } from "../../commands";
import { Lamps } from "../../lamps.svelte";
import type { Theme } from "../../themes";
import type { Hit, Layer, Outline } from "../layer";
import type { Stage } from "../stage";
import { depthOf } from "../near";

const SIZE = 26; // pixels
const DOT = 12; // pixels
const NEAR = 0.016; // rad between the ray and what it picks

interface Drawn {
  id: string;
  at: Vector3;
  lamp: LampRow;
  /** The point that it shines at; missing unless it is selected and has a direction. */
  aim?: Vector3;
}

export class LampLayer implements Layer {
  readonly kind = "overlay";
  readonly group = new Group();
  private points: Points<BufferGeometry, PointsMaterial>;
  private rays = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.5 }));
  private aims = new Points(new BufferGeometry(), new PointsMaterial({ size: DOT, sizeAttenuation: false, depthTest: false, transparent: true }));
  private accent = new Color();
  private drawn: Drawn[] = [];

  constructor(
    private bench: Bench,
    private stage: Stage,
  ) {
    this.group.name = "lamps";
    const material = new PointsMaterial({ size: SIZE, sizeAttenuation: false, vertexColors: true, map: sunPicture(), transparent: true, depthTest: false });
    this.points = new Points(new BufferGeometry(), material);
    this.group.add(this.rays, this.aims, this.points);
    for (const one of this.group.children) one.frustumCulled = false;
    $effect(() => {
      void [bench.scene.seen, bench.selection.ids, bench.selection.hidden, bench.preferences.view.marks];
      this.draw(bench.lamps.list, bench.moving.motion);
    });
    $effect(() => {
      void [bench.lamps.list, bench.selection.ids];
      untrack(() => bench.lamps.settle((name) => this.drawn.some(({ id, lamp }) => lamp.name === name && bench.selection.has(id))));
    });
  }

  /** Where a lamp is drawn [m]. */
  at(id: string): number[] {
    return this.drawn.find((one) => one.id === id)?.at.toArray() ?? [];
  }

  /** Where the point that a selected lamp shines at is drawn [m]. */
  aimOf(id: string): number[] {
    return this.drawn.find((one) => one.id === id)?.aim?.toArray() ?? [];
  }

  private draw(lamps: readonly LampRow[], motion: Matrix4 | undefined): void {
    const { scene, selection, moving, preferences } = this.bench;
    const { dragged } = this.bench.lamps;
    const nodes = [...scene.picture.nodes.values()].filter((node) => node.kind === "light");
    const all = lamps.flatMap((row): Drawn[] => {
      const lamp = row.name === dragged?.name ? { ...row, aim: dragged.aim } : row;
      const id = nodes.find((node) => node.name === lamp.name)?.id ?? "";
      const at = new Vector3(...lamp.position);
      const moved = motion && moving.motionOf(id);
      return id ? [{ id, at: moved ? at.applyMatrix4(moved) : at, lamp }] : [];
    });
    this.stage.lights.show(all.map(({ lamp, at }) => ({ ...lamp, position: at.toArray() })), preferences.light);
    this.drawn = all.filter(({ id }) => preferences.view.marks && !selection.hidden.has(id));
    const chosen = this.drawn.filter(({ id }) => selection.has(id));
    const colour = ({ id, lamp }: Drawn) => (selection.has(id) ? this.accent : new Color().setRGB(...(lamp.colour), "srgb").lerp(new Color("#ffb000"), 0.6));
    const middle = chosen.length > 0 ? this.stage.box().getCenter(new Vector3()) : new Vector3();
    const directed = chosen.filter(({ lamp }) => !lamp.ambient);
    for (const one of directed) one.aim = one.lamp.aim ? new Vector3().fromArray(one.lamp.aim) : middle.clone();
    fill(this.points.geometry, this.drawn.flatMap(({ at }) => at.toArray()));
    this.points.geometry.setAttribute("color", new BufferAttribute(Float32Array.from(this.drawn.flatMap((one) => colour(one).toArray())), 3));
    fill(this.rays.geometry, directed.flatMap(({ at, aim }) => [...at.toArray(), ...aim!.toArray()]));
    fill(this.aims.geometry, directed.flatMap(({ aim }) => aim!.toArray()));
    this.group.visible = this.drawn.length > 0;
    this.stage.changed();
  }

  theme(theme: Theme): void {
    this.accent.set(theme.accent);
    for (const { material } of [this.rays, this.aims]) material.color.set(theme.accent);
    this.draw(this.bench.lamps.list, undefined);
  }

  pick(raycaster: Raycaster): Hit | undefined {
    const { ray } = raycaster;
    const spots = this.drawn.flatMap(({ id, at, aim, lamp }) => [{ id, at }, ...(aim ? [{ id: Lamps.hit(lamp), at: aim }] : [])]);
    const hits = spots.map(({ id, at }) => ({ id, point: at, distance: at.distanceTo(ray.origin), off: ray.distanceToPoint(at) }));
    return hits.filter(({ off, distance }) => off < NEAR * depthOf(raycaster, distance)).sort((a, b) => a.distance - b.distance)[0];
  }

  outlines(): Outline[] {
    return this.drawn.map(({ id, at }) => ({ id, matrix: new Matrix4(), positions: at.toArray(), corners: 1 }));
  }

  dispose(): void {
    this.points.material.map?.dispose();
    for (const one of [this.points, this.rays, this.aims]) {
      one.geometry.dispose();
      one.material.dispose();
    }
  }
}

function fill(geometry: BufferGeometry, numbers: readonly number[]): void {
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(numbers), 3));
  geometry.setDrawRange(0, numbers.length / 3);
}

/** A white sun with a dark rim: its colour comes from the lamp. */
function sunPicture(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const draw = canvas.getContext("2d")!;
  draw.translate(32, 32);
  draw.lineCap = "round";
  const sun = new Path2D();
  sun.arc(0, 0, 11, 0, 2 * Math.PI);
  for (let i = 0; i < 8; i += 1) {
    const [x, y] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)];
    sun.moveTo(18 * x, 18 * y);
    sun.lineTo(26 * x, 26 * y);
  }
  for (const [colour, width] of [["rgba(0, 0, 0, 0.75)", 10], ["#ffffff", 5]] as const) {
    draw.strokeStyle = draw.fillStyle = colour;
    draw.lineWidth = width;
    draw.fill(sun);
    draw.stroke(sun);
  }
  return new CanvasTexture(canvas);
}
