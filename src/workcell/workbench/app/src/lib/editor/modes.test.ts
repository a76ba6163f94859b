import { StringStream } from "@codemirror/language";
import { expect, test } from "vitest";
import { agentMode, commandMode } from "./modes";

function tokens(mode: ReturnType<typeof commandMode> | ReturnType<typeof agentMode>, text: string): [string, string][] {
  const parser = mode as ReturnType<typeof commandMode>;
  const state = parser.startState!(2);
  const found: [string, string][] = [];
  for (const line of text.split("\n")) {
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = parser.token(stream, state);
      if (stream.pos === stream.start) throw new Error(`stuck at ${line.slice(stream.pos)}`);
      if (kind) found.push([stream.current(), kind]);
    }
  }
  return found;
}

const commands = commandMode(new Set(["wait", "move-joints-relative"]), new Set(["profile"]));

test("steps, statements, numbers with units, names and comments are told apart", () => {
  expect(tokens(commands, 'for i from 1 to 2.5mm # up')).toEqual([
    ["for", "keyword"],
    ["i", "variableName"],
    ["from", "keyword"],
    ["1", "number"],
    ["to", "keyword"],
    ["2.5mm", "number"],
    ["# up", "comment"],
  ]);
  expect(tokens(commands, "move-joints-relative Puma profile jerk").map(([, kind]) => kind)).toEqual([
    "builtin",
    "variableName",
    "propertyName",
    "variableName",
  ]);
  expect(tokens(commands, "if sin(a) > 0.5 and not ready").map(([, kind]) => kind)).toEqual([
    "keyword", "function", "operator", "variableName", "operator", "operator", "number", "keyword", "keyword", "variableName",
  ]);
});

test("lines of another language are not read", () => {
  expect(tokens(commands, "verbatim rapid\nwait 1\nend\nwait 1").map(([, kind]) => kind)).toEqual(["keyword", "meta", "meta", "keyword", "builtin", "number"]);
});

test("a line of Agent has a label, commands, numbers and a comment", () => {
  const agent = agentMode(new Set(["drive"]));
  expect(tokens(agent, "start: drive arm 10 -2.5, drive b v ; go").map(([, kind]) => kind)).toEqual([
    "labelName", "builtin", "variableName", "number", "number", "operator", "builtin", "variableName", "variableName", "comment",
  ]);
});
