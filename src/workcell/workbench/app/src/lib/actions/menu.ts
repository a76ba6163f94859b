// A menu as it is laid out: its actions below their headings, in as many columns as the window needs.
import type { Action } from "./action";

/** A line of a menu: an action, or a heading above the next one. */
export type Entry = { heading: string; strong: boolean } | { action: Action };

const AROUND = 80; // pixels of height that a menu leaves
const WIDTH = 390; // pixels that a column takes at most

/** The lines of a menu. @param groups whether the group of actions is written above the first of them. */
export function entriesOf(actions: readonly Action[], groups: boolean): Entry[] {
  return actions.flatMap((action, i) => {
    const before = actions[i - 1];
    const lines: Entry[] = [];
    if (groups && action.group !== before?.group) lines.push({ heading: action.group, strong: true });
    if (action.part && action.part !== before?.part) lines.push({ heading: action.part, strong: false });
    return [...lines, { action }];
  });
}

/** How many lines of a height [pixels] each column has in a window [pixels]: all if they fit; no column ends with a heading. */
export function rowsOf(entries: readonly Entry[], line: number, width: number, height: number): number {
  const room = Math.max(1, Math.floor((height - AROUND) / line));
  const columns = Math.max(1, Math.min(Math.ceil(entries.length / room), Math.floor(width / WIDTH)));
  let rows = Math.ceil(entries.length / columns);
  const torn = () => entries.some((entry, i) => "heading" in entry && (i + 1) % rows === 0);
  while (columns > 1 && torn() && rows < entries.length) rows += 1;
  return rows;
}
