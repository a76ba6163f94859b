// An action: something that the user can do by a button, a key, a menu or the palette.
import type { IconName } from "../icons";

export const GROUPS = ["File", "Edit", "Model", "View", "Pendant", "Program", "Time", "Window", "Help"] as const;
export type Group = (typeof GROUPS)[number];

/** Places that have keys of their own. */
export const WHERE = { view: "in the view", pendant: "in the pendant" } as const;
export type Where = keyof typeof WHERE;

export interface Action {
  id: string;
  group: Group;
  /** What it does, as menus, the palette and the help page write it. */
  label: string;
  /** Keys as `Ctrl+Z`, `Shift+ArrowUp`, `Space`, `f`; the first is the one that is shown. */
  keys?: readonly string[];
  /** A heading above it in the menu, if the one before has another or none. */
  part?: string;
  /** Left out of the menus: only a key, and a line of the palette and of the list of keys. */
  hidden?: boolean;
  /** The keys work only while the view, or the pendant, has the focus. */
  where?: Where;
  icon?: IconName;
  /** What a button says on hover, if not the label. */
  title?: () => string;
  enabled?: () => boolean;
  /** Whether it is on, for an action that switches something. */
  on?: () => boolean;
  run: () => void;
  /** For a key that goes on while it is held: begin, and end. A key that is let go at once is `run`. */
  held?: { begin: () => void; end: () => void };
  /** The command that it is; the console shows it. */
  command?: () => string;
}
