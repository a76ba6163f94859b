import { expect, test } from "vitest";
import { begun, inner, languageOf, outer } from "./languages";

test("lines of another language come back as they were typed", () => {
  for (const text of ["", "drive arm 1", "a\n\n  b\nend-of", "clear\nend\n  end"]) expect(inner("agent", outer("agent", text))).toBe(text);
  expect(outer("agent", "drive arm 1")).toBe("verbatim agent\n  drive arm 1\nend");
  expect(inner("commands", "wait 1")).toBe("wait 1");
});

test("a language that is not known yet is shown as text", () => {
  expect(languageOf("rapid")).toEqual({ name: "rapid", title: "rapid", steps: false, comment: "#" });
});

test("the text before the cursor goes on where somebody types", () => {
  expect(begun("commands", "repeat 2\n  wa")).toBe("repeat 2\n  wa");
  expect(begun("agent", "clear\ndrive ")).toBe("verbatim agent\n  clear\n  drive ");
  expect(begun("agent", "")).toBe("verbatim agent\n");
});
