import { expect, test } from "vitest";
import { History } from "./history";

test("back through the lines and forth to the one being typed", () => {
  const history = new History();
  history.add("one");
  history.add("two");
  expect(history.back("dra")).toBe("two");
  expect(history.back("two")).toBe("one");
  expect(history.back("one")).toBeUndefined();
  expect(history.forth()).toBe("two");
  expect(history.forth()).toBe("dra");
  expect(history.forth()).toBeUndefined();
});

test("a line given twice is kept once, and everything is saved", () => {
  let kept = "";
  const history = new History(() => null, (text) => (kept = text));
  history.add("undo");
  history.add("undo");
  history.add("show");
  expect(JSON.parse(kept)).toEqual(["undo", "show"]);
  expect(new History(() => kept).back("")).toBe("show");
});

test("a damaged store is an empty one", () => {
  for (const text of ["", "{", "3", '[1,"x",null]']) {
    const history = new History(() => text);
    expect(history.back("")).toBe(text.includes("x") ? "x" : undefined);
  }
});
