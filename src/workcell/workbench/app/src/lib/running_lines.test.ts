import { expect, test } from "vitest";
import type { Lights } from "./lit";
import type { RunInfo } from "./protocol";
import { RunningLines } from "./running_lines.svelte";

const TEXTS: Record<string, string> = { left: "wait 1\nmove a", right: "  wait 2", talk: "verbatim agent\n  GO HOME\nend" };

function running(lights: [string, [number, "stands" | "runs" | "called"][]][], given: { open?: string; played?: boolean; started?: string[]; ran?: string[] }) {
  const asked: string[] = [];
  const connection = {
    call: (_: string, { program }: { program: string }) => {
      asked.push(program);
      return Promise.resolve({ text: TEXTS[program], language: program === "talk" ? "agent" : "commands" });
    },
  };
  const programs = {
    info: { programs: Object.keys(TEXTS).map((name) => ({ name, mark: "1" })), started: given.started ?? [], ran: given.ran ?? [] } as unknown as RunInfo,
    open: given.open ?? "left",
    played: given.played ?? false,
    lights: new Map(lights.map(([name, lines]) => [name, new Map(lines)])) as Lights,
  };
  return { lines: new RunningLines(programs, connection as never), asked };
}

test("every program that runs has a row with its present line, also one that has ended", async () => {
  const { lines, asked } = running([["left", [[2, "stands"]]]], { started: ["left", "right"] });
  await lines.read();
  expect(asked).toEqual(["left", "right"]);
  expect(lines.rows).toEqual([
    { program: "left", light: "stands", lines: [{ number: 2, text: "move a" }] },
    { program: "right", light: undefined, lines: [] },
  ]);
  await lines.read();
  expect(asked.length).toBe(2);
});

test("of a program the lines that are carried out are named, and a call only if nothing else is", () => {
  const called: [string, [number, "runs" | "called"][]][] = [
    ["left", [[1, "called"], [2, "runs"]]],
    ["right", [[1, "called"]]],
  ];
  const { rows } = running(called, { played: true, ran: ["left"] }).lines;
  expect(rows.map(({ light, lines }) => [light, lines.map((one) => one.number)])).toEqual([["runs", [2]], ["called", [1]]]);
});

test("lines of another language are counted as the editor counts them", async () => {
  const { lines } = running([["talk", [[2, "runs"]]]], {});
  await lines.read();
  expect(lines.rows[0]?.lines).toEqual([{ number: 1, text: "GO HOME" }]);
});

test("the open program alone needs no row, another one does", () => {
  expect(running([["left", [[1, "runs"]]]], { started: ["left"] }).lines.rows).toEqual([]);
  expect(running([["left", [[1, "runs"]]]], { open: "right", started: ["left"] }).lines.rows.length).toBe(1);
});
