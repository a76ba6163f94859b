// A paused run in words: where it is, and whether an edit waits for the next run.
import type { Commands } from "./commands";
import type { RunInfo } from "./protocol";
import { clock } from "./text";

export const EDITED = "The cell was edited. The paused run continues unchanged; the edit applies to the next run.";

/** Where a paused run is: before a step, or in one that waits for a signal. */
export function pausedAt({ threads, awaits, hit }: RunInfo): string {
  const stands = threads.find((thread) => thread.stands);
  const line = stands?.line === 0 ? "a line that was removed" : `line ${stands?.line ?? "?"} of ${stands?.program ?? ""}`;
  if (stands?.doing.startsWith("waits")) return `${awaits.length > 0 ? "waits in" : "can continue in"} ${line}`;
  return `${hit ? "breakpoint, " : ""}before ${line}`;
}

/** The sentence about edits since a paused run began; "" if there are none. */
export const editedSince = (run: RunInfo | undefined): string => (run?.state === "paused" && run.edited ? EDITED : "");

/** The place of a thing in the inspector while a run is paused: it is that of the run. */
export const PLACE_IN_RUN = "A run is paused: this is the place in the run. What you enter applies to the next run.";

/** Where a run was paused that was played up to `shown` [s], and why not there; empty texts if it was paused there. */
export function returnedTo(stood: Commands["pause-at"]["result"], shown: number): [title: string, sentence: string] {
  if (!("step" in stood) || stood.time > shown - NEAR) return ["", ""];
  const title = `Paused before line ${stood.line} of ${stood.program}, at ${clock(stood.time)}`;
  return [title, `You paused at ${clock(shown)}, during this step. A run pauses only between steps, so it is back at the start of the step.`];
}

const NEAR = 0.02; // s: one frame
