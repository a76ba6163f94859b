import { expect, test } from "vitest";
import { OfferedSteps } from "./offered_steps.svelte";

/** Kinds of steps from a server that answers when it is told to; the first line names the place that was asked for. */
function offered() {
  const answers: (() => void)[] = [];
  const call = (_: string, given: { program: string; line?: number }) =>
    new Promise((resolve) => answers.push(() => resolve({ kinds: [{ kind: "home", line: `home before ${given.line ?? "end"} of ${given.program}` }], names: {} })));
  return { answers, kinds: new OfferedSteps({ call } as never, { open: "my prog" }) };
}

test("first lines are those for the place of the new step, also after a change of the cell", async () => {
  const { answers, kinds } = offered();
  void kinds.before(3);
  void kinds.load();
  const first = kinds.first("home"); // pressed before the answer is here
  answers.forEach((answer) => answer());
  expect(await first).toBe('home before 3 of "my prog"');
  expect(await kinds.first("pick")).toBe("");
  void kinds.before();
  answers.at(-1)!();
  expect(await kinds.first("home")).toBe('home before end of "my prog"');
});

test("an answer that was overtaken is not used", async () => {
  const { answers, kinds } = offered();
  const late = kinds.before(1);
  const last = kinds.before(2);
  answers[1]!();
  await last;
  answers[0]!();
  await late;
  expect(kinds.kinds[0]?.line).toBe('home before 2 of "my prog"');
});
