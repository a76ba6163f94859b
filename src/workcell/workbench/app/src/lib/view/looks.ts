// The materials of bodies for each way to draw them. A section has materials of its own: the inside of a solid, seen
// through the cut, is drawn flat and hatched, as if it lay in the plane of the cut, so that closed solids look solid.
import {
  BackSide,
  Color,
  DoubleSide,
  LineBasicMaterial,
  type Material,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshPhongMaterial,
  MeshStandardMaterial,
  Plane,
  ReplaceStencilOp,
} from "three";
import type { Theme } from "../themes";
import { type Appearance, isDrawing, type Surfaces } from "./appearance";
import { CUT, DRAWN, ONLY_LINES, type Patch, patched, PENS, RIM } from "./shaders";

export interface Look {
  faces: Material;
  /** For the inside of solids that are cut open; it marks in the stencil buffer where it is seen. */
  inside?: Material;
  glass: Material;
  lines: LineBasicMaterial;
}

/** How surfaces shine: the strength of highlights from 0 to 1, and how small they are. */
export interface Shine {
  specular: number;
  shininess: number;
}

const OFFSET = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 };
const SEEN = { stencilWrite: true, stencilZPass: ReplaceStencilOp };
/** In the stencil buffer: here the inside of a solid is seen. */
export const INSIDE = 1;
const USUAL = 0.4; // the strength of highlights that a material has by itself

export class Looks {
  /** The plane of the section of the pane that is drawn. */
  readonly plane = new Plane();
  private made = new Map<string, Look>();
  private edge = new Color();
  private pens = { pen: { value: new Color() }, paper: { value: new Color("#ffffff") } };
  private shine: Shine = { specular: USUAL, shininess: 0.4 };

  /** @param lit whether what is translucent is shaded; by default it is flat, which is faster. */
  constructor(
    private highQuality: boolean,
    private lit = false,
  ) {
    if (!highQuality) this.shine.specular = 0;
  }

  theme(theme: Theme): void {
    this.edge.set(theme.edge);
    this.pens.pen.value.set(theme.pen);
    this.pens.paper.value.set(theme.paper);
    this.restart();
  }

  /** Other highlights; without a strength those that the machine can draw at full speed. */
  set highlights({ specular, shininess }: Shine) {
    const strength = specular < 0 ? (this.highQuality ? USUAL : 0) : specular;
    if (strength === this.shine.specular && shininess === this.shine.shininess) return;
    this.shine = { specular: strength, shininess };
    this.restart();
  }

  /** The look for an appearance; the same object as long as nothing else is wanted. */
  of({ surfaces, section }: Appearance): Look {
    if (section) this.plane.set(this.plane.normal.set(...section.normal).normalize(), -section.at);
    const key = `${surfaces}${section ? " cut" : ""}`;
    let look = this.made.get(key);
    if (!look) this.made.set(key, (look = this.make(surfaces, section !== null)));
    return look;
  }

  private make(surfaces: Surfaces, cut: boolean): Look {
    const drawing = isDrawing(surfaces);
    const clip = cut ? { clippingPlanes: [this.plane], clipShadows: true, shadowSide: DoubleSide } : {};
    const clear = { transparent: true, depthWrite: false, side: DoubleSide, visible: !drawing, ...clip };
    const glass = this.lit ? new MeshLambertMaterial({ ...clear, forceSinglePass: true }) : new MeshBasicMaterial(clear);
    const pen = { color: drawing ? this.pens.pen.value : this.edge, transparent: true, opacity: drawing ? 1 : 0.75 };
    const lines = patched(new LineBasicMaterial({ ...pen, ...clip }), PENS, {});
    if (!cut) return { faces: this.surface(surfaces, []), glass, lines };
    const faces = Object.assign(this.surface(surfaces, RIM), clip, SEEN, { stencilRef: 0 });
    if (surfaces === "wireframe") return { faces, glass, lines };
    const inside = Object.assign(this.surface(surfaces, [...CUT, ...RIM]), clip, SEEN, { stencilRef: INSIDE, side: BackSide });
    return { faces, inside, glass, lines };
  }

  private surface(surfaces: Surfaces, more: readonly Patch[]): Material {
    if (surfaces === "hidden-line") return patched(new MeshLambertMaterial(OFFSET), [...DRAWN, ...more], this.pens, { DRAWN: "" });
    if (surfaces === "wireframe") {
      const wires = new MeshLambertMaterial({ ...OFFSET, transparent: true, depthWrite: false, side: DoubleSide, forceSinglePass: true });
      return patched(wires, [...DRAWN, ...more, ...ONLY_LINES], this.pens, { DRAWN: "", WIRES: "" });
    }
    const lit = this.shaded(surfaces === "solid");
    return more.length > 0 ? patched(lit, more, { pen: { value: this.edge } }) : lit;
  }

  private shaded(flatShading: boolean): Material {
    const { specular, shininess } = this.shine;
    if (this.highQuality && specular === USUAL) return new MeshStandardMaterial({ roughness: 1 - 0.95 * shininess, metalness: 0.05, flatShading, ...OFFSET });
    if (specular === 0) return new MeshLambertMaterial({ flatShading, ...OFFSET });
    return new MeshPhongMaterial({ specular: new Color().setScalar(0.75 * specular ** 1.5), shininess: 2 ** (1 + 7 * shininess), flatShading, ...OFFSET });
  }

  /** Forget the materials; they are made anew when they are needed. */
  private restart(): void {
    this.dispose();
    this.made.clear();
  }

  dispose(): void {
    for (const { faces, inside, glass, lines } of this.made.values()) [faces, inside, glass, lines].forEach((one) => one?.dispose());
  }
}
