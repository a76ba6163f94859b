import { beforeEach, expect, it } from "vitest";
import { Drafts, turnsOf } from "./drafts.svelte";

let cell: Map<string, number>;
let drafts: Drafts;

beforeEach(async () => {
  cell = new Map([["arm", 1], ["crane", 2]]);
  const answers: Record<string, (given: { robot: string }) => unknown> = {
    "orientation-table": () => ({ text: "" }),
    drafts: () => ({ names: [...cell.keys()] }),
    "draft-table": ({ robot }) => ({ robot, base: [0, 0], rows: [{ d: cell.get(robot) }] }),
  };
  const connection = { call: (command: string, given: { robot: string }) => Promise.resolve(answers[command]!(given)) };
  const log = { press: (line: string) => Promise.resolve(cell.delete(/robot:(\w+)/.exec(line)![1]!)) };
  drafts = new Drafts(connection as never, {} as never, log as never);
  await drafts.refresh();
  await drafts.open("arm");
});

it("follows a draft that somebody else renamed", async () => {
  cell = new Map([["other", 5], ["crane", 2], ["lifter", 1]]);
  await drafts.refresh();
  expect([drafts.chosen, drafts.table?.robot, drafts.gone]).toEqual(["lifter", "lifter", ""]);
});

it("says that a draft is gone, unless this window discarded it", async () => {
  cell = new Map([["crane", 2], ["other", 5]]);
  await drafts.refresh();
  expect([drafts.chosen, drafts.table, drafts.gone]).toEqual(["", undefined, "arm"]);
  await drafts.open("crane");
  expect(drafts.gone).toBe("");
  await drafts.discard();
  await drafts.refresh();
  expect([drafts.chosen, drafts.gone]).toEqual(["", ""]);
});

it("reads the orientation table", () => {
  expect(turnsOf("code  theta  alpha   (degrees, joint 1 is the base)\n  11      0      0\n  28    -90    -90\n")).toEqual([
    { code: 11, theta: 0, alpha: 0 },
    { code: 28, theta: -90, alpha: -90 },
  ]);
});
