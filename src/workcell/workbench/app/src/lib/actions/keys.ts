// Keys as text: what was pressed, and how it is shown.

const NAMES: Record<string, string> = { " ": "Space" };
const SHOWN: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
};

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  /** Whether the key is held, and this is not its first press. */
  repeat?: boolean;
}

/** What was pressed, as actions write it: `Ctrl+Shift+Z`, `Shift+ArrowUp`, `f`, `?`. */
export function pressedKey(event: Pressed): string {
  const name = NAMES[event.key] ?? event.key;
  const ctrl = event.ctrlKey || event.metaKey;
  const letter = name.length === 1;
  const key = letter ? (ctrl || event.altKey ? name.toUpperCase() : name.toLowerCase()) : name;
  const shift = event.shiftKey && (!letter || ctrl || event.altKey); // otherwise the letter has it: `?`, `<`
  return `${ctrl ? "Ctrl+" : ""}${event.altKey ? "Alt+" : ""}${shift ? "Shift+" : ""}${key}`;
}

const EDITING = new Set(["A", "C", "D", "V", "X", "Y", "Z", "Shift+V", "Shift+Z"].map((key) => `Ctrl+${key}`));

/** Whether a field for text has a use for a key, or a slip there would change the cell: all but function keys, and letters, digits and signs with Ctrl or Alt. */
export function isTyping(key: string): boolean {
  return EDITING.has(key) || !/^((Ctrl|Shift)\+)?F\d+$|^(Ctrl|Alt)\+(Shift\+)?.$/.test(key);
}

/** The parts of a key as a reader sees them: `Ctrl`, `Z`. */
export function keyParts(key: string): string[] {
  const parts = key === "+" ? ["+"] : key.split("+");
  return parts.map((part) => SHOWN[part] ?? (part.length === 1 ? part.toUpperCase() : part));
}
