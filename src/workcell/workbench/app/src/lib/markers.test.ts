import { expect, test } from "vitest";
import { markers, words } from "./markers";
import type { EventInfo } from "./protocol";

const event = (time: number, text = `at ${time}`) => ({ time, kind: "signal", text }) as EventInfo;

test("events that are too close share a mark, and marks are apart", () => {
  const found = markers([0, 0.1, 0.4, 1, 1.2, 3].map((time) => event(time)), 0.5);
  expect(found.map((one) => [one.time, one.events.length])).toEqual([[0, 3], [1, 2], [3, 1]]);
  expect(markers([], 1)).toEqual([]);
});

test("a mark of many events names the first ones", () => {
  const [one] = markers(Array.from({ length: 9 }, () => event(1)), 0.5);
  expect(words(one!).split("\n")).toHaveLength(7);
  expect(words(one!)).toContain("and 3 more");
});
