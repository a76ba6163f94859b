import { expect, test } from "vitest";
import { GUIDE } from "./guide";
import { blocks, inlines, slugOf } from "./markdown";
import { PLACES } from "./places";

test("the pieces of a line", () => {
  expect(inlines("Press `Ctrl K`, or **any** key of *this* [list](x.md#y).")).toEqual([
    { kind: "text", text: "Press " },
    { kind: "code", text: "Ctrl K" },
    { kind: "text", text: ", or " },
    { kind: "strong", text: "any" },
    { kind: "text", text: " key of " },
    { kind: "em", text: "this" },
    { kind: "text", text: " " },
    { kind: "link", text: "list", to: "x.md#y" },
    { kind: "text", text: "." },
  ]);
});

test("paragraphs, lists, tables and code", () => {
  const text = "# A\n\n![a picture](x.png)\n\none\ntwo\n\n- a\n  b\n- c\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n- no list\n```\nend";
  expect(blocks(text)).toEqual([
    { kind: "heading", level: 1, text: "A", slug: "a" },
    { kind: "paragraph", text: "one two" },
    { kind: "list", items: ["a b", "c"] },
    { kind: "table", head: ["x", "y"], rows: [["1", "2"]] },
    { kind: "code", text: "- no list" },
    { kind: "paragraph", text: "end" },
  ]);
});

test("headings are named as links name them", () => {
  expect(slugOf("Plots, Gantt chart and exports")).toBe("plots-gantt-chart-and-exports");
});

test("the guide has a section for every place, and nothing for builders", () => {
  const slugs = GUIDE.map((section) => section.slug);
  expect(slugs).not.toContain("how-the-page-is-built");
  expect(slugs.length).toBeGreaterThan(5);
  for (const [id, place] of Object.entries(PLACES)) expect(slugs, id).toContain(place.help);
});
