// What the user chose, kept in this browser: theme, what the view shows, the docks.
import { startTheme, type ThemeName } from "./themes";
import type { Brightness } from "./view/lights";
import type { Shine } from "./view/looks";

const KEY = "workcell-preferences";
const LIGHT_KEY = "workcell-light";
const GENERAL_KEY = "workcell-general";

/** How much the page explains. */
export const HELP_LEVELS: Readonly<Record<string, string>> = {
  errors: "Errors only",
  prompts: "Prompts: the status bar shows what the page waits for",
  explained: "Explained: a card also describes each command",
};

/** How the view is drawn while something moves. */
export const SHARPNESS: Readonly<Record<string, string>> = { auto: "Automatic: sharp on a fast computer", high: "Always sharp", low: "Plain and fast" };

export interface General {
  /** One of `HELP_LEVELS`. */
  help: string;
  /** One of `SHARPNESS`. */
  sharpness: string;
}

export interface Kept {
  /** Mark what touches, draw the smallest distance, draw what path searches tried. */
  contacts: boolean;
  clearance: boolean;
  tries: boolean;
  /** Draw targets, frames and paths. */
  marks: boolean;
  /** Draw what stands nowhere, beside the cell. */
  loose: boolean;
  /** Draw the frames of the world and of the links of the selected robot. */
  frames: boolean;
}

/** What can be switched on and off in all panes. */
export type Switch = keyof Kept;

const DEFAULTS: Kept = { contacts: true, clearance: false, tries: true, marks: true, loose: true, frames: false };

/** How this window shows the light of the cell: factors of brightness, and how surfaces shine (strength -1: as the machine can). */
export interface Light extends Brightness, Shine {}

export const LIGHT: Light = { key: 1, ambient: 1, specular: -1, shininess: 0.4 };

const HANDS = "workcell-hands";

/** How things are moved by hand: whether they snap, the step of the grid [m], and that of angles [rad]. */
export interface Hands {
  snap: boolean;
  step: number;
  angle: number;
}

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
  light = $state.raw<Light>(kept(LIGHT_KEY, LIGHT));
  general = $state<General>(kept(GENERAL_KEY, { help: "prompts", sharpness: "auto" }));
  hands = $state<Hands>(kept(HANDS, { snap: true, step: 0.01, angle: Math.PI / 12 }));

  /** Flip one of the switches. */
  toggle(name: Switch): void {
    this.view[name] = !this.view[name];
    this.save();
  }

  /** Change how this window shows the light. */
  shine(change: Partial<Light>): void {
    this.light = { ...this.light, ...change };
    localStorage.setItem(LIGHT_KEY, JSON.stringify(this.light));
  }

  /** Change how things are moved by hand; a step is more than 0. */
  handle(changes: Partial<Hands>): void {
    const next = { ...this.hands, ...changes };
    if (!(next.step > 0) || !(next.angle > 0)) return;
    this.hands = next;
    localStorage.setItem(HANDS, JSON.stringify(next));
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
