import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Log } from "./log.svelte";
import type { Failure } from "./protocol";
import { Refusal } from "./wire";

/** A log whose server refuses some lines; what it was sent, and what the user was told. */
function logThat(refuses: readonly string[]) {
  const sent: string[] = [];
  const told: string[] = [];
  const ask = ({ line }: { line: string }) => {
    sent.push(line);
    return refuses.includes(line) ? Promise.reject(new Error(`not ${line}`)) : Promise.resolve({ text: "done" });
  };
  const log = new Log({ ask } as unknown as Connection, (line, sentence) => told.push(`${line}: ${sentence}`));
  return { log, sent, told };
}

test("of several lines none stays if one is refused", async () => {
  const { log, sent, told } = logThat(["b"]);
  expect(await log.pressAll(["a", "b", "c"])).toBe(false);
  expect(sent).toEqual(["group", "a", "b", "cancel-group"]);
  expect(told).toEqual(["b: not b"]);
});

test("a group that cannot be cancelled is ended, and what stays is said", async () => {
  const { log, sent, told } = logThat(["b", "cancel-group"]);
  expect(await log.pressAll(["a", "b", "c"])).toBe(false);
  expect(sent).toEqual(["group", "a", "b", "cancel-group", "end"]);
  expect(told).toEqual([
    "b: not b",
    "cancel-group: Others changed the same things meanwhile, so these lines stay until you undo them: `a`.",
  ]);
});

test("a cancelled command is no refusal", async () => {
  const failure = { kind: "Cancelled", message: "«film run.gif …» was cancelled." } as Failure;
  const told: string[] = [];
  const log = new Log({ ask: () => Promise.reject(new Refusal(failure)) } as unknown as Connection, (line) => told.push(line));
  expect(await log.press("film run.gif")).toBe(false);
  expect([log.entries[0]!.state, log.entries[0]!.text, told]).toEqual(["done", "Cancelled.", []]);
});
