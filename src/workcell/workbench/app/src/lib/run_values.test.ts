import { expect, test } from "vitest";
import type { ParameterInfo, RunInfo } from "./protocol";
import { inExpressions, RunValues, written } from "./run_values.svelte";

function values() {
  const parameters: ParameterInfo[] = [
    { name: "n", type: "number", required: true },
    { name: "h", type: "length", unit: "mm", default: "50" },
    { name: "what", type: "part", kinds: ["object"], default: "brick" },
  ];
  const at = { info: { programs: [{ id: "1", name: "go", mark: "", language: "commands", parameters }] } as unknown as RunInfo };
  return { values: new RunValues(at), at };
}

test.each([
  ["number", " 2 * 3 ", "2 * 3"],
  ["length", "5cm", "5cm"],
  ["joints", "0, 0,-90", "(0, 0,-90)"],
  ["joints", "(0,0,-90)", "(0,0,-90)"],
  ["text", 'say "no"', '"say %22no%22"'],
  ["text", '"as it is"', '"as it is"'],
  ["part", "left brick", '"left brick"'],
  ["robot", "Puma", "Puma"],
])("a %s %s is written %s", (type, typed, text) => {
  expect(written({ name: "x", type }, typed)).toBe(text);
});

test("a pose is handed over as it is typed", () => {
  expect(written({ name: "x", type: "pose", kinds: ["target"] }, "1,2,3 rotate 1,2,3")).toBe("1,2,3 rotate 1,2,3");
});

test("the things of a cell are named so that each is another word", () => {
  const names = { target: ["spot", "left spot", "home"], frame: ["spot", "base"], path: ["base"] };
  expect(inExpressions(names, ["target", "frame"])).toEqual(["target:spot", 'target:"left spot"', "home", "frame:spot", "base"]);
  expect(inExpressions(names, ["frame", "zone"])).toEqual(["spot", "base"]);
});

test("values go up to the last typed one, with defaults in between, and follow the name of the program", () => {
  const { values: one, at } = values();
  expect(one.given("go")).toEqual([]);
  one.set("go", "what", "left brick");
  expect(one.given("go")).toEqual(["", "50", '"left brick"']);
  one.set("go", "n", "3");
  one.set("go", "what", " ");
  expect(one.given("go")).toEqual(["3"]);
  at.info = { programs: [{ ...at.info.programs[0]!, name: "went" }] } as unknown as RunInfo;
  expect([one.given("went"), one.given("go")]).toEqual([["3"], []]);
});

test("a refusal is at its field until another value is typed there", () => {
  const { values: one } = values();
  expect(one.refuse("go", "other", "No.")).toBe(false);
  expect(one.refuse("go", "n", "No.")).toBe(true);
  one.set("go", "h", "3");
  expect([one.refusal("go", "n"), one.refusal("go", "h")]).toEqual(["No.", ""]);
  one.set("go", "n", "3");
  expect(one.refusal("go", "n")).toBe("");
});

test("a window takes up its values again; what is damaged is nothing", () => {
  const { values: one } = values();
  one.set("go", "n", "3");
  const { values: other } = values();
  other.resume(JSON.parse(JSON.stringify(one.kept)));
  expect(other.given("go")).toEqual(["3"]);
  for (const kept of [undefined, null, 3, { 1: { n: 3 } }, { 1: null }]) {
    other.resume(kept);
    expect(other.given("go")).toEqual([]);
  }
});
