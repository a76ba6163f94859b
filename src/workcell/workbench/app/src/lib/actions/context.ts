// The menu of the right button: the actions that fit what is under the pointer, from the one table.
import { PANELS } from "../panels";
import type { Bench } from "../bench.svelte";
import { PLACED } from "../moving.svelte";
import { RESIZED } from "../sizing.svelte";
import type { Action } from "./action";
import type { Entry } from "./menu";

/** Where the menu is asked for [pixels of the window], whether it is about what is selected or about a panel, and what gets the focus back. */
export interface ContextPlace {
  x: number;
  y: number;
  thing?: boolean;
  panel?: string;
  from: HTMLElement;
}

/** The actions on a thing, and those where nothing is under the pointer; a line is drawn between the groups. */
const ON_A_THING = [
  ["view.fit", "edit.hide", "edit.isolate", "edit.show-all"],
  ["make.target-here", "make.along-edge", "make.over-face", "make.along-curve", "make.mirror"],
  ["hand.move", "hand.turn", "hand.size", "hand.down", "hand.attach"],
  ["edit.rename", "hand.clone", "hand.distance", "workshop.merge", "edit.replace-robot", "hand.home"],
  ["edit.remove"],
] as const;
const ON_NOTHING = [
  ["edit.add", "file.import"],
  ["make.curve", "make.patch", "make.wall"],
  ["view.fit", "view.iso", "view.front", "view.right", "view.top"],
  ["edit.select-all", "edit.show-all", "view.save"],
] as const;

/** The kinds of things that an action is for, where it does not say so itself by being enabled. */
const KINDS: Record<string, ReadonlySet<string>> = {
  "hand.move": new Set([...PLACED, "loose"]),
  "hand.turn": PLACED,
  "hand.size": RESIZED,
  "hand.down": PLACED,
  "hand.attach": new Set(["object"]),
  "workshop.merge": new Set(["object"]),
  "edit.hide": new Set([...PLACED, "link", "body", "tool", "loose", "curve", "surface", "machine", "station"]),
  "edit.isolate": new Set([...PLACED, "link", "body", "loose", "curve", "surface"]),
};

/** What the menu lists: the entries that are possible now, as the menus write them. */
export function contextEntries(bench: Bench, thing: boolean): Entry[] {
  const kinds = [bench.selection.node?.kind ?? "", bench.moving.node?.kind ?? ""]; // a link moves with its robot
  const fits = (id: string) => !thing || !KINDS[id] || kinds.some((kind) => KINDS[id]!.has(kind));
  const groups = (thing ? ON_A_THING : ON_NOTHING).map((ids) =>
    ids.filter(fits).map((id) => bench.actions.get(id)).filter((action) => action.enabled?.() ?? true),
  );
  return groups.filter((group) => group.length > 0).flatMap((group, i): Entry[] => [...(i > 0 ? [{ heading: "", strong: false }] : []), ...group.map((action) => ({ action }))]);
}

/** The menu as it is when it is asked for. An entry whose things changed or went meanwhile does nothing but say so. */
export function contextMenu(bench: Bench, thing: boolean): { title: string; entries: Entry[] } {
  const { selection, scene, messages } = bench;
  const { ids } = selection;
  const names = ids.map((id) => scene.node(id)?.name ?? "");
  const title = !thing ? "The cell" : ids.length > 1 ? `${ids.length} things` : (names[0] ?? "");
  const refusal = (action: Action): string => {
    const gone = names.filter((_, i) => !scene.node(ids[i]!));
    if (thing && gone.length > 0) return `${gone.join(", ")} ${gone.length > 1 ? "are" : "is"} no longer in the cell.`;
    if (thing && selection.ids !== ids) return "Something else was selected while the menu was open.";
    return (action.enabled?.() ?? true) ? "" : "This is no longer possible: the cell changed while the menu was open.";
  };
  const held = (action: Action): Action => ({
    ...action,
    enabled: () => true,
    run: () => {
      const why = refusal(action);
      if (why) messages.error(`Not done: ${action.label}`, why);
      else action.run();
    },
  });
  return { title, entries: contextEntries(bench, thing).map((entry) => ("action" in entry ? { action: held(entry.action) } : entry)) };
}

/** The menu of the tab of a panel, which was used last. */
export function panelMenu(bench: Bench, panel: string): { title: string; entries: Entry[] } {
  const actions = ["move-left", "move-right", "move-bottom", "split"].map((id) => bench.actions.get(`window.${id}`));
  const possible = actions.filter((action) => action.enabled?.() ?? true).map((action): Entry => ({ action }));
  return { title: PANELS.find(({ id }) => id === panel)!.title, entries: [...possible, { heading: "", strong: false }, { action: bench.actions.get("window.reset") }] };
}

/** Where a menu of some size begins that was asked for at a place of one axis: there, or before it, in any case in the window [pixels]. */
export function beginning(at: number, size: number, window: number): number {
  const EDGE = 6;
  if (at + size + EDGE <= window) return at;
  return at - size >= EDGE ? at - size : Math.max(EDGE, window - size - EDGE);
}
