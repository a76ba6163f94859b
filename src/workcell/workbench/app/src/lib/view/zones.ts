// The zones of the cell: translucent volumes in the colour of their rule.
import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  type Intersection,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  Plane,
  Ray,
  type Raycaster,
  Vector3,
} from "three";
import type { Shape } from "../glb";
import type { ZoneInfo } from "../protocol";
import { fromSeven } from "../rigid";
import type { Theme } from "../themes";
import type { Section } from "./appearance";
import type { Hit, Outline } from "./layer";
import { depthOf } from "./near";

const TINTS: Record<string, string> = { "keep out": "#de3d33", "slow down": "#f5ad21", shared: "#2e87c7" };

const NEAR = 0.006; // rad between a ray and the edge that it picks, as for curves
const CLOSER = 0.03; // m: an edge on a face comes before the face

interface Stored {
  faces: BufferGeometry;
  edges: BufferGeometry;
}

export class Zones {
  readonly group = new Group();
  private plane = new Plane();
  private isCut = false;
  private stored = new Map<string, Stored>();
  private faces = new Map<string, MeshBasicMaterial>();
  private lines = new Map<string, LineBasicMaterial>();
  private accent = new LineBasicMaterial();
  /** Is hit from both sides. */
  private probe = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ side: DoubleSide }));

  constructor() {
    for (const [rule, color] of Object.entries(TINTS)) {
      this.faces.set(rule, new MeshBasicMaterial({ color, transparent: true, opacity: 0.22, depthWrite: false }));
      this.lines.set(rule, new LineBasicMaterial({ color, transparent: true, opacity: 0.85 }));
    }
  }

  /** Store a shape for the zones that have it. */
  store(hash: string, shape: Shape): void {
    const faces = new BufferGeometry();
    faces.setAttribute("position", new BufferAttribute(shape.positions, 3));
    faces.setIndex(new BufferAttribute(shape.indices, 1));
    const edges = new BufferGeometry();
    edges.setAttribute("position", new BufferAttribute(shape.edges, 3));
    this.stored.set(hash, { faces, edges });
  }

  /** Show these zones; those whose shape has not arrived are left out until `show` is called again. */
  show(zones: Iterable<ZoneInfo>): void {
    this.group.clear();
    for (const zone of zones) {
      const stored = this.stored.get(zone.glb);
      if (!stored) continue;
      const one = new Group();
      one.name = zone.id;
      one.matrixAutoUpdate = false;
      one.userData["rule"] = zone.rule;
      one.userData["pose"] = fromSeven(zone.pose);
      one.matrix.copy(one.userData["pose"] as Matrix4);
      one.add(new Mesh(stored.faces, this.faces.get(zone.rule)), new LineSegments(stored.edges, this.lines.get(zone.rule)));
      this.group.add(one);
    }
  }

  /** Show some zones moved from where they are, and all others where they are. */
  lift(moved: ReadonlySet<string>, motion: Matrix4 | undefined): void {
    for (const zone of this.group.children) {
      zone.matrix.copy(zone.userData["pose"] as Matrix4);
      if (motion && moved.has(zone.name)) zone.matrix.premultiply(motion);
      zone.matrixWorldNeedsUpdate = true;
    }
  }

  /** The zone under a ray: one of its edges, or a face through which the ray goes in. What is solid inside it is nearer than where the ray goes out. */
  pick(raycaster: Raycaster): Hit | undefined {
    const shown = this.group.children.filter((zone) => zone.visible);
    return nearest(shown.flatMap((zone) => edgeHit(zone, raycaster) ?? this.through(zone, raycaster) ?? []));
  }

  /** Where a ray goes into a zone; the distance is that of the point where it goes out again. */
  private through(zone: Object3D, raycaster: Raycaster): Hit | undefined {
    const hits: Intersection[] = [];
    this.probe.geometry = (zone.children[0] as Mesh).geometry;
    this.probe.matrixWorld.copy(zone.matrix);
    this.probe.raycast(raycaster, hits);
    const along = ({ face }: Intersection) => face!.normal.clone().transformDirection(zone.matrix).dot(raycaster.ray.direction);
    const into = nearest(hits.filter((hit) => along(hit) < 0));
    if (!into) return undefined;
    const out = nearest(hits.filter((hit) => along(hit) > 0 && hit.distance >= into.distance));
    return { id: zone.name, point: into.point, distance: out?.distance ?? (Number.isFinite(raycaster.far) ? raycaster.far : into.distance) };
  }

  /** Free the shapes that none of these zones uses; returns their hashes. */
  sweep(zones: Iterable<ZoneInfo>): string[] {
    const used = new Set([...zones].map((zone) => zone.glb));
    const unused = [...this.stored.keys()].filter((hash) => !used.has(hash));
    for (const hash of unused) {
      const { faces, edges } = this.stored.get(hash)!;
      faces.dispose();
      edges.dispose();
      this.stored.delete(hash);
    }
    return unused;
  }

  /** Hide the zones with these ids. */
  hide(hidden: ReadonlySet<string>): void {
    for (const zone of this.group.children) zone.visible = !hidden.has(zone.name);
  }

  /** Leave out what is before a plane. */
  cut(section: Section | null): void {
    if (section) this.plane.set(this.plane.normal.set(...section.normal).normalize(), -section.at);
    if ((section !== null) === this.isCut) return;
    this.isCut = section !== null;
    for (const material of [...this.faces.values(), ...this.lines.values(), this.accent]) material.clippingPlanes = section ? [this.plane] : null;
  }

  /** The box around all of them. */
  box(): Box3 {
    return new Box3().setFromObject(this.group);
  }

  /** Draw the edges of the zones with these ids as those of what is selected. */
  mark(selected: ReadonlySet<string>): void {
    for (const zone of this.group.children) {
      const lines = zone.children[1] as LineSegments;
      lines.material = selected.has(zone.name) ? this.accent : this.lines.get(zone.userData["rule"] as string)!;
    }
  }

  theme(theme: Theme): void {
    this.accent.color.set(theme.accent);
  }

  /** The triangles of the zones that are shown. */
  outlines(): Outline[] {
    return this.group.children.filter((zone) => zone.visible).map((zone) => {
      const { geometry } = zone.children[0] as Mesh;
      const positions = geometry.getAttribute("position").array;
      return { id: zone.name, matrix: zone.matrix, positions, ...(geometry.index ? { indices: geometry.index.array } : {}), corners: 3 };
    });
  }

  dispose(): void {
    for (const { faces, edges } of this.stored.values()) {
      faces.dispose();
      edges.dispose();
    }
    for (const material of [...this.faces.values(), ...this.lines.values(), this.accent]) material.dispose();
  }
}

/** The edge of a zone that passes near a ray. */
function edgeHit(zone: Object3D, raycaster: Raycaster): Hit | undefined {
  const { ray, near, far } = raycaster;
  const segments = (zone.children[1] as LineSegments).geometry.getAttribute("position");
  const own = new Ray().copy(ray).applyMatrix4(new Matrix4().copy(zone.matrix).invert());
  const [from, to, on] = [new Vector3(), new Vector3(), new Vector3()];
  const hits: Hit[] = [];
  for (let i = 0; i < segments.count; i += 2) {
    const off = Math.sqrt(own.distanceSqToSegment(from.fromBufferAttribute(segments, i), to.fromBufferAttribute(segments, i + 1), undefined, on));
    const away = on.distanceTo(own.origin);
    if (off < NEAR * depthOf(raycaster, away) && away >= near && away <= far) hits.push({ id: zone.name, distance: Math.max(0, away - CLOSER), point: on.clone().applyMatrix4(zone.matrix) });
  }
  return nearest(hits);
}

function nearest<T extends { distance: number }>(hits: readonly T[]): T | undefined {
  return hits.length > 0 ? hits.reduce((a, b) => (b.distance < a.distance ? b : a)) : undefined;
}
