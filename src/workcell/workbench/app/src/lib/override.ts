// The override: the speed of runs.
import { plain } from "./text";

/** Why a number is no override [percent]; "" if it is one. */
export function overrideRefusal(percent: number): string {
  if (percent >= 1 && percent <= 100) return "";
  return `The override is ${percent > 100 ? "at most" : "at least"} ${percent > 100 ? 100 : 1} %, and ${plain(percent)} % was typed. Type a number from 1 to 100.`;
}
