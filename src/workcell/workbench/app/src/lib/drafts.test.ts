import { expect, it } from "vitest";
import { turnsOf } from "./drafts.svelte";

it("reads the orientation table", () => {
  expect(turnsOf("code  theta  alpha   (degrees, joint 1 is the base)\n  11      0      0\n  28    -90    -90\n")).toEqual([
    { code: 11, theta: 0, alpha: 0 },
    { code: 28, theta: -90, alpha: -90 },
  ]);
});
