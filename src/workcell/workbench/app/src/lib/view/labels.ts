// Texts beside points of the view, which have one size on the screen.
import { CanvasTexture, Group, LinearFilter, Sprite, SpriteMaterial, SRGBColorSpace, Vector2, type Vector3 } from "three";
import type { Theme } from "../themes";
import type { Pane } from "./pane";

const HIGH = 18; // pixels on the screen
const SHARP = 2; // pixels of the picture for one on the screen
const FONT = `550 ${12.5 * SHARP}px Inter, system-ui, sans-serif`;
const ROOM = 7; // pixels of the picture beside the text

/** A text, where it stands, and which point of it is there: from 0 to 1, the lower left corner is 0, 0. */
export interface Written {
  text: string;
  at: Vector3;
  middle?: readonly [number, number];
}

interface Label {
  material: SpriteMaterial;
  wide: number; // its width for a height of one
}

export class Labels {
  readonly group = new Group();
  private made = new Map<string, Label>();
  private ink = "#1c2530";
  private paper = "#ffffff";

  /** The texts that are shown. */
  get texts(): string[] {
    return [...this.made.keys()];
  }

  show(all: readonly Written[]): void {
    this.group.clear();
    for (const { text, at, middle = [-0.1, -0.35] } of all) {
      const { material, wide } = this.label(text);
      const sprite = new Sprite(material);
      sprite.position.copy(at);
      sprite.center = new Vector2(...middle);
      sprite.userData["wide"] = wide;
      sprite.renderOrder = 9;
      this.group.add(sprite);
    }
    const wanted = new Set(all.map(({ text }) => text));
    for (const text of [...this.made.keys()].filter((one) => !wanted.has(one))) this.forget(text);
  }

  /** Have the right size in a pane. */
  appear(pane: Pane): void {
    const high = HIGH * pane.pixel;
    for (const sprite of this.group.children) sprite.scale.set(high * (sprite.userData["wide"] as number), high, 1);
  }

  /** Call `show` after it. */
  theme({ pen, paper }: Theme): void {
    [this.ink, this.paper] = [pen, paper];
    this.dispose();
  }

  private label(text: string): Label {
    let label = this.made.get(text);
    if (!label) this.made.set(text, (label = drawn(text, this.ink, this.paper)));
    return label;
  }

  private forget(text: string): void {
    const { material } = this.made.get(text)!;
    material.map?.dispose();
    material.dispose();
    this.made.delete(text);
  }

  dispose(): void {
    this.group.clear();
    [...this.made.keys()].forEach((text) => this.forget(text));
  }
}

function drawn(text: string, ink: string, paper: string): Label {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  pen.font = FONT;
  canvas.width = Math.ceil(pen.measureText(text).width) + 2 * ROOM;
  canvas.height = HIGH * SHARP;
  pen.font = FONT; // another width forgets it
  pen.textBaseline = "middle";
  pen.lineWidth = 6;
  pen.lineJoin = "round";
  pen.strokeStyle = `${paper}d8`;
  pen.fillStyle = ink;
  pen.strokeText(text, ROOM, canvas.height / 2);
  pen.fillText(text, ROOM, canvas.height / 2);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  map.generateMipmaps = false;
  map.minFilter = LinearFilter;
  return { material: new SpriteMaterial({ map, sizeAttenuation: false, depthTest: false, transparent: true }), wide: canvas.width / canvas.height };
}
