// What the user chose, kept in this browser: theme, what the view shows, the docks.
import { startTheme, type ThemeName } from "./themes";

const KEY = "workcell-preferences";
const GENERAL_KEY = "workcell-general";

/** How much the page explains. */
export const HELP_LEVELS: Readonly<Record<string, string>> = {
  errors: "Errors only",
  prompts: "Prompts: the status bar says what the page waits for",
  explained: "Explained: a card describes the command of each press",
};

/** How the view is drawn while something moves. */
export const SHARPNESS: Readonly<Record<string, string>> = { auto: "as fast as the machine", high: "always sharp", low: "plain and fast" };

export interface General {
  /** One of `HELP_LEVELS`. */
  help: string;
  /** One of `SHARPNESS`. */
  sharpness: string;
}

export interface Kept {
  grid: boolean;
  edges: boolean;
  shadows: boolean;
  axes: boolean;
  /** Mark what touches, draw the smallest distance, draw what path searches tried. */
  contacts: boolean;
  clearance: boolean;
  tries: boolean;
  /** Draw targets, frames and paths. */
  marks: boolean;
  panes: number;
}

/** What can be switched on and off in the view. */
export type Switch = Exclude<keyof Kept, "panes">;

const DEFAULTS: Kept = { grid: true, edges: true, shadows: true, axes: true, contacts: true, clearance: false, tries: true, marks: true, panes: 1 };

/** An object kept as JSON; what is missing or damaged there takes the given values. */
export function kept<T extends object>(key: string, otherwise: T, store: Pick<Storage, "getItem"> = localStorage): T {
  try {
    const found: unknown = JSON.parse(store.getItem(key) ?? "{}");
    const known = { ...otherwise } as Record<string, unknown>;
    if (found !== null && typeof found === "object") {
      for (const [name, value] of Object.entries(found)) {
        if (name in known && typeof value === typeof known[name]) known[name] = value;
      }
    }
    return known as T;
  } catch {
    return { ...otherwise };
  }
}

export class Preferences {
  theme = $state<ThemeName>(startTheme());
  view = $state<Kept>(kept(KEY, DEFAULTS));
  general = $state<General>(kept(GENERAL_KEY, { help: "prompts", sharpness: "auto" }));

  /** Flip one of the switches. */
  toggle(name: Switch): void {
    this.view[name] = !this.view[name];
    this.save();
  }

  set panes(count: number) {
    this.view.panes = Math.min(4, Math.max(1, count));
    this.save();
  }

  otherTheme(): void {
    this.chosenTheme = this.theme === "dark" ? "light" : "dark";
  }

  set chosenTheme(name: ThemeName) {
    this.theme = name;
    localStorage.setItem("workcell-theme", name);
  }

  /** Choose something that is not about one view. */
  choose(chosen: Partial<General>): void {
    Object.assign(this.general, chosen);
    localStorage.setItem(GENERAL_KEY, JSON.stringify(this.general));
  }

  private save(): void {
    localStorage.setItem(KEY, JSON.stringify(this.view));
  }
}
