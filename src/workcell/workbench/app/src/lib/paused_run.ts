// A paused run in words: where it is, and whether an edit waits for the next run.
import type { RunInfo } from "./protocol";

export const EDITED = "The cell was edited. The paused run goes on as it began; the edit applies to the next run.";

/** Where a paused run is: before a step, or in one that waits for a signal. */
export function pausedAt({ threads, awaits, hit }: RunInfo): string {
  const stands = threads.find((thread) => thread.stands);
  const line = stands?.line === 0 ? "a line that was removed" : `line ${stands?.line ?? "?"} of ${stands?.program ?? ""}`;
  if (stands?.doing.startsWith("waits")) return `${awaits.length > 0 ? "waits in" : "can continue in"} ${line}`;
  return `${hit ? "breakpoint, " : ""}before ${line}`;
}

/** The sentence about edits since a paused run began; "" if there are none. */
export const editedSince = (run: RunInfo | undefined): string => (run?.state === "paused" && run.edited ? EDITED : "");
