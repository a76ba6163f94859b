// The colours of bodies that are selected, under the pointer, selected elsewhere, or touching something.
import { Color, SRGBColorSpace } from "three";
import type { Drawn, Placed } from "./drawn";

/** What other windows have selected. */
const THEIRS = new Color("#c9772c");
/** What touches something. */
const TOUCHING = new Color("#e5322b");
/** What is selected loses its own colour, so that an orange robot does not look as if it touched something. */
const GREY = new Color();
/** Edges of this colour are drawn in that of the look. */
const PLAIN = new Color("#ffffff");

/** The colour of a piece with the marks of its body, written to `out`. */
export function faceColour(out: Color, { mark, touches }: Drawn, { colour }: Placed, accent: Color): Color {
  out.setRGB(...colour, SRGBColorSpace);
  if (touches) return out.lerp(TOUCHING, 0.7);
  if (mark === "selected") return out.lerp(GREY.setScalar(0.2 + 0.6 * lightness(out)), 0.9).lerp(accent, 0.45);
  if (mark === "hover") return out.lerp(accent, 0.18);
  return mark === "theirs" ? out.lerp(THEIRS, 0.12) : out;
}

/** The colour of the edges of a body. */
export function edgeColour({ mark, touches }: Drawn, accent: Color): Color {
  if (mark === "selected" || mark === "hover") return accent;
  if (touches) return TOUCHING;
  return mark === "theirs" ? THEIRS : PLAIN;
}

/** How light a colour is, from 0 to 1. */
function lightness({ r, g, b }: Color): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
