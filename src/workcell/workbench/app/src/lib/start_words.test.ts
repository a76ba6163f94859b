import { expect, test } from "vitest";
import source from "../../../../commands/run_start.py?raw";
import { Log } from "./log.svelte";
import { startWords } from "./start_words";

/** The sentences of the engine, as its source has them. */
const SENTENCES = [...source.matchAll(/"(To start from there: .*)"/g)].map(([, text]) => text!);

test("after a run that was pressed, the console names the field of the panel for each sentence of the engine", async () => {
  const log = new Log({ carryOut: () => Promise.resolve({ text: `Ran. ${SENTENCES.shift()}` }) } as never);
  await log.call("run py", "run", { program: "py" }, startWords);
  await log.call("debug py", "debug", { programs: ["py"] }, startWords);
  expect(log.entries.map(({ text }) => text)).toEqual([
    "Ran. To start from there: undo the run, then choose “the present state” in the field “Starts from”.",
    "Ran. To start from there: stop the run, then choose “the present state” in the field “Starts from”.",
  ]);
  expect(SENTENCES).toEqual([]);
});
