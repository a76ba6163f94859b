import { expect, test } from "vitest";
import { resumed } from "./resumed";

const ENTRY = { id: 1, line: "units m", state: "done", text: "metres", column: null, kind: "Done" };
const CAMERA = { from: [0, -3, 1], at: [0, 0, 0.5], zoom: 1, square: false };

test("what was kept is there again", () => {
  const kept = { log: [ENTRY], cameras: [CAMERA], runs: { values: {} }, saved: "/a/press.cell" };
  expect(resumed(JSON.stringify(kept))).toEqual(kept);
});

test.each(["", "garbage", "null", "3", "{}", "[]", '{"log":{},"cameras":null,"saved":3}', '{"log":[null,{}],"cameras":[{},{"from":[1],"at":3}]}'])("damaged text %s is nothing", (text) => {
  expect(resumed(text)).toEqual({ log: [], cameras: [], runs: undefined, saved: "" });
});
