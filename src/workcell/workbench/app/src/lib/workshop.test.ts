import { expect, test } from "vitest";
import { Workshop } from "./workshop.svelte";

test("another tool is not opened while the work in one would be lost", () => {
  const workshop = new Workshop();
  const said: string[] = [];
  workshop.onrefused = (_, sentence) => said.push(sentence);
  workshop.open("sketch");
  workshop.unkept = "The sketch is not made.";
  workshop.open("merge", "7");
  expect([workshop.tool, workshop.subject, said]).toEqual(["sketch", "", ["The sketch is not made. Finish it or cancel it first."]]);
  workshop.close();
  workshop.open("merge", "7");
  expect([workshop.tool, workshop.unkept]).toEqual(["merge", ""]);
});
