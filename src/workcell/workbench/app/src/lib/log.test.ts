import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Log } from "./log.svelte";
import type { Failure } from "./protocol";
import { Refusal } from "./wire";

/** A log whose server refuses some lines, and what the user was told. */
function logThat(refuses: readonly string[]) {
  const told: string[] = [];
  const ask = ({ lines, each }: { lines: string[]; each: boolean }) => {
    const place = lines.findIndex((line) => refuses.includes(line));
    const refused = [...lines.keys()].filter((i) => refuses.includes(lines[i]!));
    const texts = lines.map((line) => `${refuses.includes(line) ? "not" : "did"} ${line}`);
    if (place < 0 || each) return Promise.resolve({ text: "", value: { texts, refused } });
    return Promise.reject(new Refusal({ kind: "Refused", message: `not ${lines[place]}`, evidence: { place } } as unknown as Failure));
  };
  const log = new Log({ ask } as unknown as Connection, (line, sentence) => told.push(`${line}: ${sentence}`));
  return { log, told, shown: () => log.entries.map(({ line, state, text }) => [line, state, text].join(" · ")) };
}

test("several lines are shown as a group with the answer to each", async () => {
  const { log, told, shown } = logThat([]);
  expect(await log.pressAll(["a", "b"])).toBe(true);
  expect(shown()).toEqual(["group · done · ", "a · done · did a", "b · done · did b", "end · done · "]);
  expect(told).toEqual([]);
});

test("of several lines none is done if one is refused, and the console shows which", async () => {
  const { log, told, shown } = logThat(["b"]);
  expect(await log.pressAll(["a", "b", "c"])).toBe(false);
  expect(shown()).toEqual(["group · done · ", "a · done · Nothing in this group was done, because the next line was refused.", "b · error · not b"]);
  expect(told).toEqual(["b: not b"]);
  expect(log.failure?.kind).toBe("Refused");
});

test("of lines that count alone, those that are refused are left out and named", async () => {
  const { log, told, shown } = logThat(["b", "c"]);
  expect(await log.pressEach(["a", "b", "c", "d"])).toEqual(["did a", undefined, undefined, "did d"]);
  expect(shown()).toEqual(["group · done · ", "a · done · did a", "b · error · not b", "c · error · not c", "d · done · did d", "end · done · "]);
  expect(told).toEqual(["b: not b", "c: not c"]);
});

test("of lines that count alone, none is done if the work is cancelled", async () => {
  const failure = { kind: "Cancelled", message: "cancelled", evidence: { place: 1 } } as unknown as Failure;
  const told: string[] = [];
  const log = new Log({ ask: () => Promise.reject(new Refusal(failure)) } as unknown as Connection, (line) => told.push(line));
  expect(await log.pressEach(["a", "b", "c"])).toEqual([]);
  expect(log.entries.map(({ line, text }) => `${line}: ${text}`)).toEqual(["group: ", "a: Nothing in this group was done, because the next line was cancelled.", "b: Cancelled."]);
  expect(told).toEqual([]);
});

test("a cancelled command is no refusal", async () => {
  const failure = { kind: "Cancelled", message: "«film run.gif …» was cancelled." } as Failure;
  const told: string[] = [];
  const log = new Log({ ask: () => Promise.reject(new Refusal(failure)) } as unknown as Connection, (line) => told.push(line));
  expect(await log.press("film run.gif")).toBe(false);
  expect([log.entries[0]!.state, log.entries[0]!.text, told]).toEqual(["done", "Cancelled.", []]);
});
