// What a window keeps of a cell while it shows another page: the console, the cameras of the panes, what was
// chosen for runs, and the file in which it was just saved.
import type { Entry } from "./log.svelte";
import type { CameraState } from "./views.svelte";

export interface KeptCamera extends CameraState {
  /** Whether the pane looks square on from a side. */
  square: boolean;
}

/** What was kept, from its text; nothing if that is damaged. */
export function resumed(text: string): { log: readonly Entry[]; cameras: KeptCamera[]; runs: unknown; saved: string } {
  const kept = parsed(text);
  const { saved } = kept;
  return { log: list(kept["log"]).filter(isEntry), cameras: list(kept["cameras"]).filter(isCamera), runs: kept["runs"], saved: typeof saved === "string" ? saved : "" };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isPoint = (value: unknown): boolean => list(value).length === 3 && list(value).every(Number.isFinite);

function isEntry(value: unknown): value is Entry {
  const { line, text, state } = (value ?? {}) as Partial<Entry>;
  return typeof line === "string" && typeof text === "string" && typeof state === "string";
}

function isCamera(value: unknown): value is KeptCamera {
  const { from, at, zoom } = (value ?? {}) as Partial<KeptCamera>;
  return isPoint(from) && isPoint(at) && Number.isFinite(zoom);
}
