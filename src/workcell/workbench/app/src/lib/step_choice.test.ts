import { expect, test } from "vitest";
import type { OutlineRow } from "./commands";
import { copiedLines, StepChoice } from "./step_choice.svelte";

test("steps are added, taken out, and selected up to another", () => {
  const choice = new StepChoice();
  choice.only(2);
  choice.toggle(5);
  expect([choice.lines, choice.with(5), choice.with(7)]).toEqual([[2, 5], [2], []]);
  choice.toggle(5);
  expect([choice.lines, choice.several]).toEqual([[2], false]);
  choice.until(6, [1, 2, 3, 5, 6, 8]);
  expect(choice.with(2)).toEqual([3, 5, 6]);
  choice.until(1, [1, 2, 3, 5, 6, 8]);
  expect(choice.with(2)).toEqual([1]);
  choice.only(0);
  expect(choice.lines).toEqual([]);
});

test("copied steps lose the indentation of their block and keep their own", () => {
  const text = "repeat 2\n  if a\n    wait 1\n  end\nend\nwait 2";
  const rows = [[1, 5], [2, 4], [3, 3], [6, 6]].map(([line, end]) => ({ line, end }) as OutlineRow);
  expect(copiedLines(text, rows, [2, 3, 6])).toBe("if a\n  wait 1\nend\nwait 2");
  expect(copiedLines(text, rows, [3])).toBe("wait 1");
});
