// The languages of programs: which lines of a program the editor shows, and how they are checked and run.
//
// Lines of another language are kept between `verbatim LANGUAGE` and `end`. A language that is not listed is shown
// without colours and checks; a new one is one entry here and a mode in editor/modes.ts.

export interface Language {
  name: string;
  title: string;
  /** Whether the list of steps can show it. */
  steps: boolean;
  /** What begins a comment. */
  comment: string;
}

export const LANGUAGES: Record<string, Language> = {
  commands: { name: "commands", title: "Workcell", steps: true, comment: "#" },
  agent: { name: "agent", title: "Agent", steps: false, comment: ";" },
};

export function languageOf(name: string): Language {
  return LANGUAGES[name] ?? { name, title: name, steps: false, comment: "#" };
}

/** The lines that the editor shows of a program: without the lines that keep another language, and its indentation. */
export function inner(language: string, text: string): string {
  if (language === "commands") return text;
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.trim().startsWith("verbatim"));
  const length = lines.slice(first + 1).findIndex((line) => line.trim() === "end");
  const inside = lines.slice(first + 1, length < 0 ? undefined : first + 1 + length);
  const mark = ` ${languageOf(language).comment}`;
  return inside
    .map((line) => (line.startsWith("  ") ? line.slice(2) : line))
    .map((line) => (line.trim() === `end${mark}` ? line.slice(0, -mark.length) : line))
    .join("\n");
}

/** The program that keeps these lines; a line `end` of their language gets an empty comment, since `end` alone ends them. */
export function outer(language: string, text: string): string {
  if (language === "commands") return text;
  const mark = ` ${languageOf(language).comment}`;
  const kept = text.split("\n").map((line) => (line.trim() === "end" ? line.trimEnd() + mark : line));
  const lines = kept.map((line) => (line ? `  ${line}` : line));
  return [`verbatim ${language}`, ...lines, "end"].join("\n");
}

/** The program that keeps these lines, up to the place where somebody types; the text ends there. */
export function begun(language: string, text: string): string {
  return language === "commands" ? text : outer(language, text).slice(0, -"\nend".length);
}

/** By how much the lines of the editor are before those of the program. */
export const offset = (language: string): number => (language === "commands" ? 0 : 1);
