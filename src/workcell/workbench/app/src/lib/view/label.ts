// A text in the view that has one size on the screen.
import { CanvasTexture, LinearFilter, SpriteMaterial, SRGBColorSpace } from "three";

const HEIGHT = 36;
const FONT = "600 25px system-ui, sans-serif";

/** A text as the material of a sprite, and its width for a height of one. */
export interface Label {
  material: SpriteMaterial;
  wide: number;
}

export function labelOf(text: string): Label {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  pen.font = FONT;
  canvas.width = Math.ceil(pen.measureText(text).width) + 14;
  canvas.height = HEIGHT;
  pen.font = FONT; // another width forgets it
  pen.textBaseline = "middle";
  pen.lineWidth = 6;
  pen.lineJoin = "round";
  pen.strokeStyle = "#ffffffe8";
  pen.fillStyle = "#1c2530";
  pen.strokeText(text, 6, HEIGHT / 2);
  pen.fillText(text, 6, HEIGHT / 2);
  const map = new CanvasTexture(canvas);
  map.colorSpace = SRGBColorSpace;
  map.generateMipmaps = false;
  map.minFilter = LinearFilter;
  return { material: new SpriteMaterial({ map, sizeAttenuation: false, depthTest: false, transparent: true }), wide: canvas.width / HEIGHT };
}

/** Free a label on the graphics card. */
export function dropLabel({ material }: Label): void {
  material.map?.dispose();
  material.dispose();
}
