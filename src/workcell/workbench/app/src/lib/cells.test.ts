import { expect, test } from "vitest";
import { lossesOf } from "./cells.svelte";

const cell = { id: "2", name: "Press", address: "/cells/2/", file: "", sample: "", clients: 1, first: false, folder: "" };

test("a cell in memory is closed at once only if it is known that nothing was changed", () => {
  expect(lossesOf(cell, { changed: false, unkept: false })).toEqual([]);
  expect(lossesOf(cell, { changed: true, unkept: false })).toHaveLength(1);
  expect(lossesOf(cell)).toEqual(["Press is in no file: everything in it is lost when it is closed.", "Somebody else uses it now."]);
});

test("a cell with a file loses only lines that are not kept", () => {
  const kept = { ...cell, file: "/a.cell", clients: 3 };
  expect(lossesOf(kept)).toEqual([]);
  expect(lossesOf(kept, { changed: true, unkept: true })).toEqual(["Lines that you typed into a program are not kept.", "2 others use it now."]);
});
