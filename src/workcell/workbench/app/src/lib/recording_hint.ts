// What the time line says while nothing is recorded.

/**
 * What would give a recording, after a colon; "" if nothing would.
 *
 * @param cell whether it has robots and programs, and whether a run is paused in it: then nothing else is played.
 */
export function recordingHint({ robots, programs, paused }: { robots: boolean; programs: boolean; paused: boolean }): string {
  if (paused) return ": step or resume the paused run";
  if (!robots) return "";
  return programs ? ": press play, or move a robot" : ": move a robot, or write a program";
}
