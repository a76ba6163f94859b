import { Color, SRGBColorSpace } from "three";
import { expect, test } from "vitest";
import { THEMES } from "../themes";
import type { Drawn, Placed } from "./drawn";
import { faceColour } from "./marking";

const ROBOTS: readonly [number, number, number][] = [[1, 0.45, 0.05], [0.9, 0.2, 0.15], [1, 0.8, 0.1], [0.95, 0.95, 0.9], [0.1, 0.1, 0.12], [0.2, 0.4, 0.8]];

/** How far two hues are apart, from 0 to 0.5. */
function apart(one: Color, other: Color): number {
  const [a, b] = [one, other].map((colour) => colour.getHSL({ h: 0, s: 0, l: 0 }, SRGBColorSpace).h) as [number, number];
  const off = Math.abs(a - b);
  return Math.min(off, 1 - off);
}

test("what is selected has the hue of the selection, whatever its own colour is, and not that of a contact", () => {
  for (const theme of Object.values(THEMES)) {
    const accent = new Color(theme.accent);
    for (const colour of ROBOTS) {
      const body = (more: Partial<Drawn>) => ({ mark: "none", touches: false, ...more }) as Drawn;
      const piece = { colour } as unknown as Placed;
      const selected = faceColour(new Color(), body({ mark: "selected" }), piece, accent);
      const touching = faceColour(new Color(), body({ touches: true }), piece, accent);
      expect(apart(selected, accent)).toBeLessThan(0.06);
      expect(apart(selected, touching)).toBeGreaterThan(0.2);
    }
  }
});
