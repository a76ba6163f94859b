// The one table of actions: buttons, keys, menus, the palette and the help page come from it.
import type { Action, Group, Where } from "./actions/action";
import { dockActions } from "./actions/docks";
import { editActions } from "./actions/edit";
import { fileActions } from "./actions/file";
import { handActions } from "./actions/hands";
import { isTyping, keyParts, type Pressed, pressedKey } from "./actions/keys";
import { jogActions } from "./actions/jog";
import { makingActions } from "./actions/making";
import { programActions } from "./actions/program";
import { timeActions } from "./actions/time";
import { viewActions } from "./actions/view";
import { windowActions } from "./actions/window";
import { workshopActions } from "./actions/workshop";
import type { Bench } from "./bench.svelte";
import { QUIET } from "./kept_focus";

const PARTS = [
  fileActions,
  editActions,
  handActions,
  workshopActions,
  makingActions,
  viewActions,
  programActions,
  timeActions,
  windowActions,
  dockActions,
  jogActions,
];
const FIELDS = "input, select, textarea, [contenteditable]";
/** A field in which nothing has been typed since its text was taken: undo there is about the cell. */
const SETTLED = "input[data-settled]";
const UNDOING = new Set(["Ctrl+Z", "Ctrl+Y", "Ctrl+Shift+Z"]);
const PRESSED_BY_SPACE = "button, [role=button], [role=tab], [role=menuitem], [role=option], summary, a[href]";

export class Actions {
  readonly list: readonly Action[];
  /** Whether a button of the pointer is down: what is typed then is a value for what is dragged, never a key of an action. */
  held = false;
  private known: ReadonlyMap<string, Action>;
  private keys: Record<Where | "anywhere", Map<string, Action>> = { view: new Map(), pendant: new Map(), anywhere: new Map() };
  /** The action of a key that is held. */
  private holding: Action | undefined;

  constructor(bench: Bench) {
    this.list = PARTS.flatMap((part) => part(bench));
    this.known = new Map(this.list.map((action) => [action.id, action]));
    for (const action of this.list) {
      for (const key of action.keys ?? []) this.keys[action.where ?? "anywhere"].set(key, action);
    }
  }

  get(id: string): Action {
    const found = this.known.get(id);
    if (!found) throw new Error(`There is no action ${id}.`);
    return found;
  }

  of(group: Group): Action[] {
    return this.list.filter((action) => action.group === group);
  }

  /** The menu of a group. */
  menu(group: Group): Action[] {
    return this.list.filter((action) => !action.hidden && action.group === group);
  }

  run(id: string): void {
    const action = this.get(id);
    if (action.enabled?.() ?? true) action.run();
  }

  /** What a button says on hover: what it does, and its key. */
  title(action: Action): string {
    const key = action.keys?.[0];
    return (action.title?.() ?? action.label) + (key ? ` (${keyParts(key).join(" ")})` : "");
  }

  /** Run the action of a key; returns whether there is one here. Fields keep the keys of typing, and pressed buttons theirs. */
  press(event: Pressed & { target: EventTarget | null }): boolean {
    const key = pressedKey(event);
    const target = event.target instanceof Element ? event.target : null;
    const settled = target?.closest(SETTLED) && UNDOING.has(key);
    if (target?.closest(FIELDS) && isTyping(key) && !settled) return false;
    if (target?.matches(QUIET) && isTyping(key) && !UNDOING.has(key)) return false; // it was meant for a field that is gone
    if (this.held && key.length === 1) return true;
    if ((key === "Space" || key === "Enter") && target?.closest(PRESSED_BY_SPACE)) return false;
    const where = target?.closest<HTMLElement>("[data-keys]")?.dataset["keys"] as Where | undefined;
    const action = (where && this.keys[where].get(key)) ?? this.keys.anywhere.get(key);
    if (!action || !(action.enabled?.() ?? true)) return !!settled; // a field must not undo what was already taken
    if (!action.held) action.run();
    else if (!event.repeat) this.hold(action);
    return true;
  }

  private hold(action: Action): void {
    this.lift(false);
    this.holding = action;
    action.held!.begin();
  }

  /** The key that is held is let go `itself`, or another one took its place, or the window lost it. */
  lift(itself = true): void {
    const action = this.holding;
    this.holding = undefined;
    action?.held?.end();
    if (action && itself) action.run();
  }
}
