import { expect, test } from "vitest";
import { Company } from "./company.svelte";
import type { ProgramInfo, RunInfo } from "./protocol";

/** Programs a, b, c and d under ids of their own; d needs a value, `agent` has Agent lines. */
function cell() {
  const program = (name: string, more: Partial<ProgramInfo> = {}): ProgramInfo => ({ id: `id of ${name}`, name, mark: "", language: "commands", ...more });
  const programs = [program("a"), program("b"), program("c"), program("d", { parameters: [{ name: "n", type: "number", required: true }] }), program("agent", { language: "agent" })];
  const at = { info: { programs } as unknown as RunInfo };
  const company = new Company(at);
  const hear = (...ran: string[]) => company.hear({ ...at.info, ran });
  return { company, hear, at, program };
}

test("a program starts alone until others are chosen, and each of them starts all", () => {
  const { company } = cell();
  expect(company.of("a")).toEqual(["a"]);
  company.choose("a", "c", true);
  company.choose("c", "b", true);
  for (const name of ["a", "b", "c"]) expect(company.of(name)).toEqual(["a", "c", "b"]);
  company.choose("b", "a", false);
  expect([company.of("a"), company.of("c")]).toEqual([["a"], ["c", "b"]]);
  company.choose("a", "b", true);
  expect([company.of("b"), company.of("c")]).toEqual([["a", "b"], ["c"]]);
});

test("the first one leads, unless another one needs values or the run begins at one of its lines", () => {
  const { company } = cell();
  company.choose("a", "b", true);
  company.lead("b");
  expect(company.of("a")).toEqual(["b", "a"]);
  expect(company.of("a", "a")).toEqual(["a", "b"]);
  company.choose("a", "d", true);
  expect(company.of("a")).toEqual(["d", "b", "a"]);
});

test("a company follows new names, leaves out what was removed or runs alone, and takes it back", () => {
  const { company, at, program } = cell();
  company.choose("a", "b", true);
  company.choose("a", "c", true);
  const { programs } = at.info;
  at.info = { programs: [program("a"), { ...program("b"), name: "renamed" }] } as unknown as RunInfo;
  expect(company.of("a")).toEqual(["a", "renamed"]);
  at.info = { programs: [program("a"), program("b", { language: "agent" }), program("c")] } as unknown as RunInfo;
  expect([company.of("a"), company.of("b")]).toEqual([["a", "c"], ["b"]]);
  at.info = { programs } as unknown as RunInfo;
  expect(company.of("a")).toEqual(["a", "b", "c"]);
});

test("the run of the recording proposes its company once, but not against a choice", () => {
  const { company, hear } = cell();
  hear("b", "a");
  expect([company.of("a"), company.of("c")]).toEqual([["b", "a"], ["c"]]);
  hear("a");
  expect(company.of("a")).toEqual(["b", "a"]);
  hear("b", "c");
  expect([company.of("b"), company.of("a")]).toEqual([["b", "c"], ["a"]]);
  company.choose("b", "c", false);
  hear("b", "c");
  hear("a", "b", "c");
  expect([company.of("b"), company.of("a")]).toEqual([["b"], ["a"]]);
});

test("a window takes up its choice again; what is damaged is nothing", () => {
  const { company } = cell();
  company.choose("a", "b", true);
  const other = cell().company;
  other.resume(JSON.parse(JSON.stringify(company.kept)));
  expect(other.of("b")).toEqual(["a", "b"]);
  for (const kept of [undefined, null, 3, [null, {}, { ids: 3 }]]) {
    other.resume(kept);
    expect(other.of("b")).toEqual(["b"]);
  }
});
