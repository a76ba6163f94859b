import { expect, test } from "vitest";
import { inner, languageOf, outer } from "./languages";

test("lines of another language come back as they were typed", () => {
  for (const text of ["", "drive arm 1", "a\n\n  b\nend-of", "clear\nend\n  end"]) expect(inner("agent", outer("agent", text))).toBe(text);
  expect(outer("agent", "drive arm 1")).toBe("verbatim agent\n  drive arm 1\nend");
  expect(inner("commands", "wait 1")).toBe("wait 1");
});

test("a language that is not known yet is shown as text", () => {
  expect(languageOf("rapid")).toEqual({ name: "rapid", title: "rapid", steps: false, comment: "#" });
});
