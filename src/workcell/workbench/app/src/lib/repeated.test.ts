import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Repeated } from "./repeated";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("several changes in a row are one question", async () => {
  const question = vi.fn(() => Promise.resolve());
  const asked = new Repeated(100, question);
  for (let i = 0; i < 5; i++) asked.refresh();
  await vi.advanceTimersByTimeAsync(99);
  expect(question).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(question).toHaveBeenCalledTimes(1);
});

test("a change while the answer is under way is asked after it, and a slow answer is asked for less often", async () => {
  const done: (() => void)[] = [];
  const asked = new Repeated(100, () => new Promise<void>((resolve) => void done.push(resolve)));
  asked.refresh();
  await vi.advanceTimersByTimeAsync(100);
  asked.refresh();
  await vi.advanceTimersByTimeAsync(500);
  expect(done.length).toBe(1);
  done[0]!();
  await vi.advanceTimersByTimeAsync(0);
  await vi.advanceTimersByTimeAsync(4 * asked.took - 1);
  expect([done.length, asked.took]).toEqual([1, 500]);
  await vi.advanceTimersByTimeAsync(1);
  expect(done.length).toBe(2);
});

test("one answer that took a minute puts off the next ones by two seconds, however often something changes", async () => {
  let slow = 60_000;
  const question = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, slow)));
  const asked = new Repeated(100, question);
  asked.refresh();
  await vi.advanceTimersByTimeAsync(60_100);
  slow = 10;
  for (let i = 0; i < 22; i++) {
    asked.refresh();
    await vi.advanceTimersByTimeAsync(110);
  }
  expect(question.mock.calls.length).toBeGreaterThan(3); // the slow one, and after two seconds as usual
});

test("without a question nothing was asked", async () => {
  const asked = new Repeated(10, () => undefined);
  asked.refresh();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked.took).toBe(0);
});
