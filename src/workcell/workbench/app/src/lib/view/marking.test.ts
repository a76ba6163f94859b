import { Color, SRGBColorSpace } from "three";
import { expect, test } from "vitest";
import { THEMES } from "../themes";
import type { Drawn, Placed } from "./drawn";
import { edgeColour, faceColour } from "./marking";

const ROBOTS: readonly [number, number, number][] = [[1, 0.45, 0.05], [0.9, 0.2, 0.15], [1, 0.8, 0.1], [0.95, 0.95, 0.9], [0.1, 0.1, 0.12], [0.2, 0.4, 0.8]];
const body = (more: Partial<Drawn>) => ({ mark: "none", touches: false, ...more }) as Drawn;

/** How far two hues are apart, from 0 to 0.5. */
function hues(one: Color, other: Color): number {
  const [a, b] = [one, other].map((colour) => colour.getHSL({ h: 0, s: 0, l: 0 }, SRGBColorSpace).h) as [number, number];
  const off = Math.abs(a - b);
  return Math.min(off, 1 - off);
}

/** How far two colours are apart as a screen shows them, from 0 to 1. */
function apart(one: Color, other: Color): number {
  const [a, b] = [one, other].map((colour) => colour.getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace)) as [Color, Color];
  return Math.max(Math.abs(a.r - b.r), Math.abs(a.g - b.g), Math.abs(a.b - b.b));
}

test("what is selected keeps a colour that is recognised, and looks neither as before nor as a contact", () => {
  for (const theme of Object.values(THEMES)) {
    const accent = new Color(theme.accent);
    const drawn = ROBOTS.map((colour) => {
      const piece = { colour } as unknown as Placed;
      const [usual, selected, touching] = [body({}), body({ mark: "selected" }), body({ touches: true })].map((one) => faceColour(new Color(), one, piece, accent)) as [Color, Color, Color];
      const coloured = usual.getHSL({ h: 0, s: 0, l: 0 }, SRGBColorSpace).s > 0.5;
      if (coloured) expect(hues(selected, usual)).toBeLessThan(0.06);
      expect(apart(selected, usual)).toBeGreaterThan(0.04);
      expect(apart(selected, touching)).toBeGreaterThan(0.2);
      return selected;
    });
    drawn.forEach((one, i) => drawn.slice(i + 1).forEach((other) => expect(apart(one, other)).toBeGreaterThan(0.12)));
    expect(edgeColour(body({ mark: "selected" }), accent)).toBe(accent);
  }
});
