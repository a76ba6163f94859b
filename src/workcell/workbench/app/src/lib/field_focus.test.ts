import { expect, test, vi } from "vitest";

vi.stubGlobal("matchMedia", () => ({ matches: false }));
vi.stubGlobal("Element", Object);
const { FieldFocus } = await import("./field_focus.svelte");

const left = async (field: { isConnected: boolean }, relatedTarget: unknown = null) => {
  const take = vi.fn();
  new FieldFocus().out({ relatedTarget, currentTarget: field } as unknown as FocusEvent, take);
  await Promise.resolve();
  return take.mock.calls.length;
};

test("a field that somebody leaves is taken, and one that is removed is not", async () => {
  expect(await left({ isConnected: true })).toBe(1);
  const removed = { isConnected: true }; // as browsers have it while they take the field away
  const gone = left(removed);
  removed.isConnected = false;
  expect(await gone).toBe(0);
});
