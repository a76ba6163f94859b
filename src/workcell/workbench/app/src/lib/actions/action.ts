// An action: something that the user can do by a button, a key, a menu or the palette.
import type { IconName } from "../../components/icons";

export const GROUPS = ["File", "Edit", "Model", "View", "Program", "Time", "Window", "Help"] as const;
export type Group = (typeof GROUPS)[number];

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
  /** The keys work only while the view has the focus. */
  where?: "view";
  icon?: IconName;
  /** What a button says on hover, if not the label. */
  title?: () => string;
  enabled?: () => boolean;
  /** Whether it is on, for an action that switches something. */
  on?: () => boolean;
  run: () => void;
  /** The command that it is; the console shows it. */
  command?: () => string;
}
