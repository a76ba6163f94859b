import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { isMissing, Late, sentenceOf } from "./late.svelte";

beforeAll(() => void vi.stubGlobal("document", { querySelectorAll: () => [] }));
afterAll(() => void vi.unstubAllGlobals());
const missing = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module: http://127.0.0.1/assets/Add.js"));

test("a part that could not be loaded is tried again when the connection is open", async () => {
  const load = vi.fn<() => Promise<string>>().mockImplementationOnce(missing).mockImplementationOnce(missing).mockResolvedValue("part");
  const part = new Late(load);
  await part.fetch();
  expect([part.value, part.failed]).toEqual([undefined, true]);
  part.retry(false);
  expect(load).toHaveBeenCalledTimes(1);
  await part.fetch(); // by a press
  expect(part.failed).toBe(true);
  part.retry(true);
  await vi.waitFor(() => expect([part.value, part.failed]).toEqual(["part", false]));
  await part.fetch();
  expect(load).toHaveBeenCalledTimes(3);
});

test("what is wrong inside a part is no matter of loading it", async () => {
  const wrong = new Error("x is not defined");
  await expect(new Late(() => Promise.reject(wrong)).fetch()).rejects.toBe(wrong);
  expect([isMissing(wrong), sentenceOf(wrong)]).toEqual([false, "x is not defined"]);
  expect(await missing().catch(sentenceOf)).toContain("could not be loaded");
});
