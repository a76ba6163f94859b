import { expect, test } from "vitest";
import { triedLines } from "./tries.svelte";

const tried = (time: number, robot: string, ...lines: number[][]) => ({ time, kind: "path-tried", text: "", robot, lines });

test("the tries of the last search of each robot are drawn, up to the time that is shown", () => {
  const events = [
    tried(1, "A", [0], [1]),
    { time: 1, kind: "moved", text: "A moved", robot: "", lines: [] },
    tried(1, "A", [2]),
    tried(2, "B", [3]),
    tried(4, "A", [4]),
  ];
  expect(triedLines(events, 0.5)).toEqual([]);
  expect(triedLines(events, 1)).toEqual([[0], [1], [2]]);
  expect(triedLines(events, 3)).toEqual([[0], [1], [2], [3]]);
  expect(triedLines(events, 9)).toEqual([[4], [3]]);
});
