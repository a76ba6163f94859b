/** The colours of the view. */
export interface Theme {
  edge: string;
  /** Lines and paper of drawings. */
  pen: string;
  paper: string;
  accent: string;
  /** Picked faces and edges. */
  pick: string;
  gridStrong: string;
  gridWeak: string;
  sky: string;
  ground: string;
  light: number;
  shadow: number;
}

/** The axes x, y and z, a handle in the hand, and what touches something. */
export const AXES = ["#d9463d", "#3a9a48", "#3a78d8"] as const;
export const HELD = "#f0a020";
export const TOUCHES = "#e5322b";

export type ThemeName = "light" | "dark";

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    edge: "#27313c",
    pen: "#18202a",
    paper: "#ffffff",
    accent: "#0b9bb5",
    pick: "#6d3fe0",
    gridStrong: "#a9b6c3",
    gridWeak: "#c4ced8",
    sky: "#ffffff",
    ground: "#d6d9dc",
    light: 1,
    shadow: 0.2,
  },
  dark: {
    edge: "#0b0f13",
    pen: "#dbe3ec",
    paper: "#171c22",
    accent: "#35c6de",
    pick: "#b193ff",
    gridStrong: "#6c7a8a",
    gridWeak: "#525e6c",
    sky: "#eef4ff",
    ground: "#4a525c",
    light: 0.92,
    shadow: 0.42,
  },
};

/** The theme that was chosen before, that the document has, or that the system prefers. */
export function startTheme(): ThemeName {
  const kept = localStorage.getItem("workcell-theme") ?? globalThis.document?.documentElement.dataset["theme"];
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
