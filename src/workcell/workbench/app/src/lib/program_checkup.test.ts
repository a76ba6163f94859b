import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Programs } from "./programs.svelte";
import type { RunInfo } from "./protocol";

const wrong = (message: string, program = "py") => ({ program, line: 1, column: 0, message, warning: false });

/** A server whose checks find what is `lost`; `asked` are the checks, in order. */
let lost: string[];
let asked: string[];
let notes: string[];
/** When the server answers checks. */
let ready: Promise<void>;
let programs: Programs;

/** The cell changed, and is quiet again. */
async function changed(): Promise<void> {
  programs.checkup.refresh();
  programs.checkup.refresh();
  await vi.advanceTimersByTimeAsync(1000);
}

const marked = () => programs.problems.map(({ message }) => message);

beforeEach(async () => {
  vi.useFakeTimers();
  [lost, asked, notes, ready] = [[], [], [], Promise.resolve()];
  const connection = {
    call: (command: string, { program }: { program?: string }) => {
      if (command.startsWith("check ")) asked.push(command);
      if (command === "outline") return Promise.resolve({ text: program === "py" ? "pick brick" : "wait 1", language: "commands", problems: [], rows: [] });
      return ready.then(() => ({ kinds: [], names: {}, problems: lost.map((one) => wrong(one)) }));
    },
  };
  const log = { note: (line: string, text: string) => notes.push(`${line}: ${text}`) };
  programs = new Programs(connection as never, log as never, {} as never, { start: 0 } as never);
  programs.hear({ state: "none", threads: [], breakpoints: [], programs: ["py", "other"].map((name) => ({ id: name, name, mark: name, language: "commands" })) } as unknown as RunInfo);
  await programs.show("py");
  programs.seen = true;
});

afterEach(() => {
  vi.useRealTimers();
});

test("the marks of a check are checked again once the cell has changed, without a line in the console", async () => {
  lost = ["no brick"];
  await programs.checkup.check();
  lost = [];
  await changed();
  expect(marked()).toEqual([]);
  lost = ["no brick"];
  await changed();
  expect(marked()).toEqual(["no brick"]);
  expect([asked, notes]).toEqual([["check program", "check program", "check program"], ["check program py: 1 problem"]]);
});

test("marks of typed lines follow the cell too, by the check of those lines", async () => {
  programs.type("pick brock");
  lost = ["no brock"];
  await programs.checkup.proofread();
  lost = [];
  await changed();
  expect([marked(), asked]).toEqual([[], ["check draft", "check draft"]]);
});

test("nothing is checked again while nothing was marked, or while the panel is not seen", async () => {
  await changed();
  programs.seen = false;
  lost = ["no brick"];
  await programs.checkup.check();
  await changed();
  expect(asked).toEqual(["check program"]);
  [programs.seen, lost] = [true, []];
  await changed(); // as the panel asks when it is seen again
  expect(marked()).toEqual([]);
});

test("what a check found in lines that are shown no more is not marked", async () => {
  lost = ["no brick"];
  let answer = () => {};
  ready = new Promise((resolve) => (answer = resolve));
  const checked = programs.checkup.check();
  await programs.show("other");
  answer();
  await checked;
  expect([programs.open, marked(), notes]).toEqual(["other", [], []]);
});
