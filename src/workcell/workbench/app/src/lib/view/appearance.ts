// How a pane draws the cell: its surfaces, what else is seen, and where it is cut.

/** As `render` names them: smoothly lit, each facet in one tone, visible edges on paper, all edges. */
export const SURFACES = ["shaded", "solid", "hidden-line", "wireframe"] as const;
export type Surfaces = (typeof SURFACES)[number];
export type Triple = [number, number, number];

/** A section: what lies before the plane `normal · p = at` [m] is cut away. */
export interface Section {
  normal: Triple;
  at: number;
}

export interface Appearance {
  surfaces: Surfaces;
  edges: boolean;
  shadows: boolean;
  grid: boolean;
  axes: boolean;
  section: Section | null;
}

export const PLAIN: Appearance = { surfaces: "shaded", edges: true, shadows: true, grid: true, axes: true, section: null };

/** Whether only lines are drawn, on paper. */
export const isDrawing = (surfaces: Surfaces): boolean => surfaces === "hidden-line" || surfaces === "wireframe";

/** The same cut, with the other side kept. */
export const flipped = ({ normal: [x, y, z], at }: Section): Section => ({ normal: [-x, -y, -z], at: -at });
