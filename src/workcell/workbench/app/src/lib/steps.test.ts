import { expect, test } from "vitest";
import type { KindField, OutlineRow, StepKind } from "./commands";
import { gap, grouped, insertLine, insertPlace, label, mayPrecede, mayDrop, namesFor, neighbour, partsOf, plannable, title } from "./steps";

const row = (line: number, role: OutlineRow["role"], depth: number, code: string, end = line, kind = code.split(" ")[0]!): OutlineRow => ({
  line,
  last: line,
  end,
  depth,
  role,
  code,
  ...(role === "end" ? {} : { kind }),
});

const ROWS = [
  row(1, "opens", 0, "repeat 2", 5),
  row(2, "step", 1, "wait 1"),
  row(3, "opens", 1, "if ready", 4),
  row(4, "end", 1, "end"),
  row(5, "end", 0, "end"),
  row(6, "step", 0, "home Puma"),
];

test("a row is shown by its kind and the rest of its line", () => {
  expect(label(row(1, "step", 0, "move-joints-absolute Puma 1,2", 1))).toEqual({ kind: "Move joints absolute", rest: "Puma 1,2" });
  expect(label({ ...ROWS[1]!, kind: "set joints", code: "set joints Puma 1" })).toEqual({ kind: "Set joints", rest: "Puma 1" });
  expect(label({ ...ROWS[1]!, kind: "for in", code: "for p in way" })).toEqual({ kind: "For", rest: "p in way" });
  expect(title("#")).toBe("Comment");
});

test("below a line that opens a block is inside it, below its end is outside", () => {
  expect(gap(ROWS[0]!, true)).toEqual({ line: 2, depth: 1 });
  expect(gap(ROWS[4]!, false)).toEqual({ line: 5, depth: 1 });
  expect(gap(ROWS[4]!, true)).toEqual({ line: 6, depth: 0 });
  expect(gap(ROWS[1]!, true)).toEqual({ line: 3, depth: 1 });
});

test("a step is not dropped into itself or where it is", () => {
  const block = ROWS[0]!;
  expect([1, 2, 5, 6].map((line) => mayDrop(block, { line, depth: 0 }))).toEqual([false, false, false, false]);
  expect(mayDrop(block, { line: 7, depth: 0 })).toBe(true);
  expect(mayDrop(ROWS[5]!, { line: 3, depth: 1 })).toBe(true);
});

test("keys move a step into blocks and out of them", () => {
  expect(neighbour(ROWS, ROWS[5]!, -1)).toBe(5); // before the end of the loop: inside it
  expect(neighbour(ROWS, ROWS[1]!, 1)).toBe(4); // behind the line that opens the condition: inside it
  expect(neighbour(ROWS, ROWS[1]!, -1)).toBe(1); // before the loop
  expect(neighbour(ROWS, ROWS[0]!, -1)).toBe(undefined);
  expect(neighbour(ROWS, ROWS[5]!, 1)).toBe(undefined);
});

test("a new step comes behind the selected one, or at the end", () => {
  expect(insertLine(ROWS, undefined)).toBe(7);
  expect(insertLine(ROWS, ROWS[0])).toBe(2);
  expect(insertLine(ROWS, ROWS[1])).toBe(3);
  expect(insertLine([], undefined)).toBe(1);
});

test("a new step may come above the selected one, also at the first place of a block, and at the end of one before else", () => {
  expect(insertLine(ROWS, ROWS[0], true)).toBe(1); // before the loop
  expect(insertLine(ROWS, ROWS[1], true)).toBe(2); // the first in the loop
  expect(insertLine(ROWS, ROWS[5], true)).toBe(6);
  expect(insertLine(ROWS, undefined, true)).toBe(7);
  const other = row(4, "part", 1, "else", 5);
  expect([insertLine(ROWS, other, true), insertLine(ROWS, other)]).toEqual([4, 5]);
  expect([insertPlace(ROWS[1], true), insertPlace(ROWS[1]), insertPlace(other), insertPlace(ROWS[0]), insertPlace(undefined)]).toEqual([
    "above line 2",
    "below line 2",
    "inside line 4",
    "inside line 1",
    "at the end",
  ]);
  expect([mayPrecede(ROWS[0]!), mayPrecede(row(1, "parameter", 0, "parameter n number"))]).toEqual([true, false]);
});

test("a condition gets one else, and more conditions before it", () => {
  expect(partsOf(ROWS, ROWS[2]!).map((part) => part.name)).toEqual(["Else if", "Else"]);
  const closed = [ROWS[2]!, row(4, "part", 1, "else", 5), row(5, "end", 1, "end")];
  expect(partsOf(closed, { ...ROWS[2]!, end: 5 })).toEqual([{ text: "else if true", name: "Else if", line: 4 }]);
});

test("kinds are found by their names, their help and what people call them", () => {
  const kind = (kind: string, group: string, help: string): StepKind => ({ kind, group, help, syntax: "" });
  const kinds: StepKind[] = [
    kind("repeat", "Control", "repeat the block COUNT times"),
    kind("while", "Control", "repeat the block while the condition is true"),
    kind("wait", "Signals and waits", "let simulated time pass"),
    kind("move-joints-absolute", "Moves", "move all joints of a robot to given values"),
    { ...kind("move-end-effector", "Moves", "move the hand to a pose"), fields: [{ name: "pose", holds: "pose" }] },
    kind("else", "Control", "run this block if all conditions above are false"),
  ];
  const found = (typed: string) => grouped(kinds, typed).flatMap(([, list]) => list.map((one) => one.kind));
  expect(found("loop")).toEqual(["repeat", "while"]);
  for (const word of ["target", "pose", "point", "Move target"]) expect(found(word)).toEqual(["move-end-effector"]);
  expect(found("simulated")).toEqual(["wait"]);
  expect(found("delay")).toEqual(["wait"]);
  expect(found("loop target")).toEqual([]);
  expect(found("")).toHaveLength(5);
});

test("the first kind that is found is the one whose name was typed, whatever group it is in", () => {
  const kind = (kind: string, group: string, help: string): StepKind => ({ kind, group, help, syntax: "" });
  const kinds: StepKind[] = [
    kind("approach", "Moves", "move to a point before a pose; steps of a move for in-between points"),
    kind("find-path", "Moves", "find a path"),
    kind("move-path", "Moves", "move the hand through a list of poses"),
    kind("pathway", "Settings", "nothing"),
    kind("wait-for", "Signals and waits", "wait for a signal"),
    kind("wait", "Signals and waits", "let time pass for a while"),
    kind("for", "Control", "repeat for numbers"),
    kind("for in", "Control", "repeat for a list"),
  ];
  const first = (typed: string) => grouped(kinds, typed)[0]?.[1][0]?.kind;
  for (const { kind: name } of kinds) {
    expect(first(name)).toBe(name);
    expect(first(title(name))).toBe(name);
  }
  expect(first("move p")).toBe("move-path");
  expect(first("path")).toBe("pathway");
  const found = grouped(kinds, "for").map(([group, list]) => [group, list.map((one) => one.kind)]);
  expect(found[0]).toEqual(["Control", ["for", "for in"]]);
  expect(found.at(-1)).toEqual(["Moves", ["approach"]]);
});

test("a step can be planned if its kind moves a robot and it names the robot", () => {
  const kinds = [{ kind: "home", planned: true }, { kind: "put", planned: true }, { kind: "open-gripper" }] as StepKind[];
  const step = (code: string, fields: Record<string, string>) => plannable({ ...row(1, "step", 0, code), fields }, kinds);
  expect(step("home Puma", { robot: "Puma" })).toBe(true);
  expect(step("put brick on tray", { part: "brick", on: "tray" })).toBe(false);
  expect(step("put brick on tray with Puma", { part: "brick", on: "tray", robot: "Puma" })).toBe(true);
  expect(step("open-gripper Puma", { robot: "Puma" })).toBe(false);
});

test("a part can be put on every thing but itself and robots", () => {
  const names = { object: ["brick", "table", "tray"], robot: ["Puma"], mechanism: ["turner"], "put part": ["brick"] };
  const field = (name: string): KindField => ({ name, holds: "entity", kinds: ["object", "robot", "mechanism"] });
  const of = (name: string, on = "tray") => namesFor({ ...row(1, "step", 0, "put brick"), fields: { part: "brick", on } }, field(name), { kinds: [], names });
  expect(of("on")).toEqual(["tray", "table", "turner"]);
  expect(of("on", "Puma")).toEqual(["Puma", "table", "tray", "turner"]); // as it is written
  expect(of("part")).toEqual(["brick"]);
  expect(of("ignoring")).toEqual(["brick", "table", "tray", "Puma", "turner"]);
});
