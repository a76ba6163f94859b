// The list of steps of a program: labels of rows, and where a dragged step goes.
import type { KindField, OutlineRow, StepKind, StepKinds } from "./commands";

/** Where a step is dropped: the line before which it comes. */
export interface Gap {
  line: number;
  depth: number;
}

/** A kind of step as a title: `move-joints-absolute` is "Move joints absolute". */
export function title(kind: string): string {
  if (kind === "#") return "Comment";
  const words = kind.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A row for people: its kind, and what follows it in the line. */
export function label(row: OutlineRow): { kind: string; rest: string } {
  if (row.role === "comment") return { kind: "", rest: row.code };
  if (row.role === "end") return { kind: "end", rest: "" };
  if (!row.kind) {
    const [first = "", ...rest] = row.code.split(" ");
    return { kind: title(first), rest: rest.join(" ") };
  }
  const words = row.kind === "for in" ? 1 : row.kind.split(" ").length;
  return { kind: title(row.kind === "for in" ? "for" : row.kind), rest: row.code.split(/\s+/).slice(words).join(" ") };
}

/** The rows that the list shows: all but blank lines. */
export const shown = (rows: readonly OutlineRow[]): OutlineRow[] => rows.filter((row) => row.role !== "blank");

/** The gap above or below a row: below a line that opens or divides a block is inside that block. */
export function gap(row: OutlineRow, below: boolean): Gap {
  const closes = row.role === "end" || row.role === "part";
  if (!below) return { line: row.line, depth: closes ? row.depth + 1 : row.depth };
  if (row.role === "opens" || row.role === "part") return { line: row.last + 1, depth: row.depth + 1 };
  return { line: row.last + 1, depth: row.depth };
}

/** Whether a step may be dropped into a gap: not into itself, and not where it is. */
export function mayDrop(row: OutlineRow, to: Gap): boolean {
  return to.line < row.line || to.line > row.end + 1;
}

/** Whether a row can be dragged: a whole step, not a part of a block. */
export const movable = (row: OutlineRow): boolean => row.role !== "end" && row.role !== "part";

/** Whether the way of a step can be planned: it moves a robot, and names it. */
export function plannable(row: OutlineRow, kinds: readonly StepKind[]): boolean {
  return !!row.fields?.["robot"] && kinds.some((kind) => kind.planned && kind.kind === row.kind);
}

/** The names that a field of a step may hold, the present one first. A part is put neither on itself nor on a robot. */
export function namesFor(row: OutlineRow, field: KindField, { names }: StepKinds): string[] {
  const now = row.fields?.[field.name];
  const put = row.kind === "put" && field.name === "on";
  const kinds = (field.kinds ?? []).filter((kind) => !(put && kind === "robot"));
  const found = names[`${row.kind} ${field.name}`] ?? kinds.flatMap((kind) => names[kind] ?? []);
  return [...new Set([...(now ? [now] : []), ...found.filter((name) => !(put && name === row.fields?.["part"]))])];
}

/**
 * The line before which a step goes if it moves one place up or down among the rows; undefined at the edge.
 *
 * Down over a line that opens a block goes into the block, and over `end` out of it; up likewise.
 */
export function neighbour(rows: readonly OutlineRow[], row: OutlineRow, direction: 1 | -1): number | undefined {
  const list = shown(rows);
  if (direction < 0) {
    const before = list[list.findIndex((one) => one.line === row.line) - 1];
    return before?.line;
  }
  const next = list.find((one) => one.line > row.end);
  return next ? next.last + 1 : undefined;
}

/** Where a new step comes: above the selected row, below it, which is inside it if it opens a block, or at the end. */
export function insertLine(rows: readonly OutlineRow[], selected: OutlineRow | undefined, above = false): number {
  const end = Math.max(0, ...rows.map((row) => row.last)) + 1;
  if (!selected) return end;
  return gap(selected, !above).line;
}

/** The place of a new step in words. */
export function insertPlace(selected: OutlineRow | undefined, above = false): string {
  if (!selected) return "at the end";
  const inside = selected.role === "opens" || selected.role === "part";
  return `${above ? "above" : inside ? "inside" : "below"} line ${selected.line}`;
}

/** Whether a step may come above a row: parameters come before all steps. */
export const mayPrecede = (row: OutlineRow): boolean => row.role !== "parameter";

/** The parts that may be added to a block, and before which line. */
export function partsOf(rows: readonly OutlineRow[], row: OutlineRow): { text: string; name: string; line: number }[] {
  const inside = rows.filter((one) => one.line > row.line && one.line <= row.end && one.depth === row.depth && one.role === "part");
  if (row.kind === "if") {
    const last = inside.find((one) => one.code === "else");
    const chained = { text: "else if true", name: "Else if", line: last?.line ?? row.end };
    return last ? [chained] : [chained, { text: "else", name: "Else", line: row.end }];
  }
  if (row.kind === "parallel") return [{ text: "and\n  wait 1", name: "Branch", line: row.end }];
  return [];
}

/** Words that people look for a kind of step by, and that its help does not have. */
function alsoCalled({ kind, group, fields }: StepKind): string {
  const own = ALSO_CALLED[kind] ?? "";
  const places = group === "Moves" && fields?.some(({ name }) => ["pose", "poses", "path"].includes(name));
  return places ? `${own} target pose point position` : own;
}

const LOOP = "loop cycle iterate again";
const ALSO_CALLED: Record<string, string> = {
  repeat: LOOP,
  while: LOOP,
  for: LOOP,
  "for in": LOOP,
  if: "case switch branch",
  wait: "delay pause sleep dwell",
  let: "variable set assign",
  call: "subprogram function procedure subroutine",
  try: "error exception catch",
  message: "log print",
  "set-signal": "output digital i/o",
  "wait-for": "input digital i/o",
  "move-straight-line": "linear movel",
  "move-end-effector": "movej ptp",
  "move-circular": "arc movec",
  "close-gripper": "grasp hold",
  pick: "grasp take",
  put: "place drop",
};

/** How well a kind of step fits what was typed: 0 is best, undefined is not at all. */
function fit(kind: StepKind, words: readonly string[]): number | undefined {
  if (words.length === 0) return 0;
  const name = title(kind.kind).toLowerCase();
  const typed = words.join(" ");
  const inName = name.split(" ");
  const places = [
    () => name === typed,
    () => name.startsWith(typed),
    () => words.every((word) => inName.some((one) => one.startsWith(word))),
    () => words.every((word) => name.includes(word)),
    () => words.every((word) => `${kind.kind} ${alsoCalled(kind)} ${name}`.split(" ").some((one) => one.startsWith(word))),
    () => words.every((word) => `${name} ${kind.kind} ${kind.help} ${alsoCalled(kind)}`.toLowerCase().includes(word)),
  ];
  const found = places.findIndex((fits) => fits());
  return found < 0 ? undefined : found;
}

const PARTS_OF_BLOCKS = ["else", "else if", "and", "on-error"];
const ORDER = ["Moves", "Parts", "Signals and waits", "Control", "Settings", "Remarks", "Steering"];

/**
 * The kinds that match what was typed, by group, the best first: a name that is or begins with what was typed, then names
 * that have its words, then what people call a step, then its help. A group comes where its best kind would.
 */
export function grouped(kinds: readonly StepKind[], typed: string): [string, StepKind[]][] {
  const words = typed.toLowerCase().split(/[\s-]+/).filter(Boolean);
  const place = (group: string) => (ORDER.includes(group) ? ORDER.indexOf(group) : ORDER.length);
  const ranked = kinds
    .filter((kind) => !PARTS_OF_BLOCKS.includes(kind.kind))
    .flatMap((kind) => {
      const rank = fit(kind, words);
      return rank === undefined ? [] : [{ kind, rank }];
    })
    .sort((a, b) => a.rank - b.rank || place(a.kind.group) - place(b.kind.group)); // otherwise in their order
  const found = new Map<string, StepKind[]>();
  for (const { kind } of ranked) found.set(kind.group, [...(found.get(kind.group) ?? []), kind]);
  return [...found];
}
