// The colours of bodies that are selected, under the pointer, selected elsewhere, or touching something.
import { Color, SRGBColorSpace } from "three";
import { TOUCHES } from "../themes";
import type { Drawn, Placed } from "./drawn";

/** What other windows have selected. */
const THEIRS = new Color("#c9772c");
/** What touches something. */
const TOUCHING = new Color(TOUCHES);
/** How much of the colour of the selection what is selected has: its own is still recognised, and a contact looks different. */
const TINT = 0.22;
/** Edges of this colour are drawn in that of the look. */
const PLAIN = new Color("#ffffff");

/** The colour of a piece with the marks of its body, written to `out`. */
export function faceColour(out: Color, { mark, touches }: Drawn, { colour }: Placed, accent: Color): Color {
  out.setRGB(...colour, SRGBColorSpace);
  if (touches) return out.lerp(TOUCHING, 0.6);
  if (mark === "selected") return out.lerp(accent, TINT);
  if (mark === "hover") return out.lerp(accent, 0.18);
  return mark === "theirs" ? out.lerp(THEIRS, 0.12) : out;
}

/** The colour of the edges of a body. */
export function edgeColour({ mark, touches }: Drawn, accent: Color): Color {
  if (mark === "selected" || mark === "hover") return accent;
  if (touches) return TOUCHING;
  return mark === "theirs" ? THEIRS : PLAIN;
}
