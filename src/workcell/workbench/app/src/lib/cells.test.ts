import { expect, test } from "vitest";
import { lossesOf, saveRefusal } from "./cells.svelte";
import type { Failure } from "./protocol";
import { Refusal } from "./wire";

const cell = { id: "2", name: "Press", address: "/cells/2/", file: "", sample: "", clients: 1, first: false, folder: "", paused: false };

test("a cell in memory is closed at once only if it is known that nothing was changed", () => {
  expect(lossesOf(cell, { changed: false, paused: false, unkept: [] })).toEqual([]);
  expect(lossesOf(cell, { changed: true, paused: false, unkept: [] })).toHaveLength(1);
  expect(lossesOf(cell)).toEqual(["Press is not saved in a file: closing it discards everything in it.", "Somebody else is using it and loses typed lines that are not saved."]);
});

test("a cell with a file loses only lines that are not kept: one's own, or those of others who use it", () => {
  const kept = { ...cell, file: "/a.cell", clients: 1 };
  expect(lossesOf(kept, { changed: true, paused: false, unkept: [] })).toEqual([]);
  expect(lossesOf({ ...kept, clients: 0 })).toEqual([]);
  expect(lossesOf({ ...kept, clients: 3 })).toEqual(["3 others are using it and lose typed lines that are not saved."]);
  expect(lossesOf({ ...kept, clients: 2 }, { changed: true, paused: false, unkept: [] })).toEqual(["Somebody else is using it and loses typed lines that are not saved."]);
  expect(lossesOf({ ...kept, clients: 3 }, { changed: true, paused: false, unkept: ["A sketch is not made."] })).toHaveLength(2);
});

test("a paused run is lost with its cell, also if that has a file", () => {
  const kept = { ...cell, file: "/a.cell" };
  const sentences = ["A run is paused in this cell; closing discards it."];
  expect(lossesOf(kept, { changed: false, paused: true, unkept: [] })).toEqual(sentences);
  expect(lossesOf({ ...kept, paused: true, clients: 0 })).toEqual(sentences); // the cell of another tab
});

test("the sentence about a file that exists names the checkbox", () => {
  const failure = { kind: "FileProblem", message: "a.cell already exists; choose another name, or add --replace.", evidence: { name: "a.cell", taken: true } } as unknown as Failure;
  expect(saveRefusal(new Refusal(failure), "replace a file that exists")).toBe("a.cell already exists. Choose another name, or tick “replace a file that exists”.");
  expect(saveRefusal(new Error("No room."), "replace a file that exists")).toBe("No room.");
});
