import { expect, test } from "vitest";
import { replacement } from "./replacement";

test("the change gives the new text, and touches nothing that both have at the ends", () => {
  const texts = ["", "a", "wait 1\nwait 2", "wait 1\nhome Puma\nwait 2", "aaaa", "aaa", "b"];
  for (const before of texts) {
    for (const after of texts) {
      const change = replacement(before, after);
      if (!change) {
        expect(before).toBe(after);
        continue;
      }
      expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
    }
  }
  expect(replacement("wait 1\nwait 2", "wait 1\nhome Puma\nwait 2")).toEqual({ from: 7, to: 7, insert: "home Puma\n" });
});
