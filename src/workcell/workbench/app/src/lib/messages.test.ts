import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Messages } from "./messages.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the sentence of a refusal is shown once: by the field that takes it, or as a message", () => {
  const messages = new Messages();
  messages.refused("Refused: a", "too far");
  expect([messages.claim(), messages.claim()]).toEqual(["too far", ""]);
  vi.advanceTimersByTime(1);
  expect(messages.list).toEqual([]);
  messages.refused("Refused: b", "too near");
  vi.advanceTimersByTime(1);
  expect(messages.list.map((one) => one.text)).toEqual(["too near"]);
  expect(messages.claim()).toBe("");
});

test("of two refusals at once the first is shown, and the second can still be taken", () => {
  const messages = new Messages();
  messages.refused("Refused: a", "first");
  messages.refused("Refused: b", "second");
  expect(messages.list.map((one) => one.text)).toEqual(["first"]);
  expect(messages.claim()).toBe("second");
});

test("a dialog shows what goes wrong while it is open, and no message is hidden behind it", () => {
  const messages = new Messages();
  const close = messages.host();
  messages.error("Not opened: nothing.cell", "There is no such file.");
  expect([messages.inside?.text, messages.list]).toEqual(["There is no such file.", []]);
  close();
  expect(messages.inside).toBeUndefined();
  messages.error("Refused: home", "no");
  expect(messages.list).toHaveLength(1);
});
