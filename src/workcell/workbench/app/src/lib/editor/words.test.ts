import { expect, test } from "vitest";
import { wordOf } from "./words";

const typed = (language: string, text: string) => wordOf(language).typed.exec(text)?.[0];

test("a completion replaces the name that is typed", () => {
  expect([typed("commands", "home Pu"), typed("commands", "wait 1"), typed("commands", 'pick "a b-c')]).toEqual(["Pu", undefined, "b-c"]);
});

test("in Agent lines a completion replaces the whole path that is typed, and no number", () => {
  const words = { "load jobs/weld.ag": "jobs/weld.ag", "load ../job": "../job", "load dropped:/job": "dropped:/job", "drive Puma 1, dri": "dri", "start:driv": "driv" };
  for (const [text, word] of Object.entries(words)) expect(typed("agent", text)).toBe(word);
  for (const text of ["drive Puma 10", "drive Puma 1e5", "drive Puma .5", "translate-object part x=", "translate-object part x=3", "load "]) expect(typed("agent", text)).toBeUndefined();
});

test("each folder is asked for its files", () => {
  const { same } = wordOf("agent");
  expect([same.test("we"), same.test("weld.agent"), same.test("jobs/we")]).toEqual([true, true, false]);
});
