// Mistakes and notes of a program, as the editor marks them.
import type { Commands } from "./commands";
import { offset } from "./languages";

/** A mistake or a note at a line of the editor; the column counts from 0. */
export interface Mark {
  line: number;
  column: number;
  message: string;
  severity: "error" | "warning" | "info";
}

/** What a check found; a note has its severity. */
export type Problem = Commands["check draft"]["result"]["problems"][number] & { severity?: Mark["severity"] };

/** The marks of what a check found in a program; those of other programs are left out. */
export function marksOf(problems: readonly Problem[], program: string, language: string): Mark[] {
  const shift = language === "agent" ? 0 : offset(language);
  return problems
    .filter((one) => one.program === program || one.program === language)
    .map((one) => ({
      line: Math.max(1, one.line - shift),
      column: one.column,
      message: one.message,
      severity: one.severity ?? (one.warning ? "warning" : "error"),
    }));
}
