import { Vector3 } from "three";
import { expect, test } from "vitest";
import { gripsOf, reachOf, resized, type SizeGrip, Sizing } from "./sizing.svelte";
import type { TreeNode } from "./tree";

test.each([["box", [0.3, 0.2, 0.1], 6], ["cylinder", [0.04, 0.1], 6], ["sphere", [0.05], 6], ["cone", [0.1, 0.1], 0]] as const)(
  "a %s has its grips, and dragging one moves its face by as much as the pointer",
  (shape, sizes, count) => {
    const grips = gripsOf(shape);
    expect(grips.length).toBe(count);
    for (const grip of grips) {
      const value = sizes[grip.size]! + 0.02;
      const { sizes: now, shift } = resized({ sizes }, grip, value);
      const moved = shift.dot(grip.outward) + reachOf(grip, now) - reachOf(grip, sizes);
      expect(moved).toBeCloseTo(0.02);
      const opposite = -shift.dot(grip.outward) + reachOf(grip, now) - reachOf(grip, sizes);
      expect(opposite).toBeCloseTo(grip.oneSided ? 0 : 0.02); // the opposite face of a box stays; what is round grows evenly
      expect(now.filter((size, i) => size !== sizes[i]).length).toBe(1);
    }
  },
);

test("no size goes below a millimetre", () => {
  const grip = gripsOf("box")[0]!;
  const { sizes, shift } = resized({ sizes: [0.3, 0.2, 0.1] }, grip, -0.4);
  expect(sizes[0]).toBe(1e-3);
  expect(shift.equals(new Vector3(-0.1495, 0, 0))).toBe(true);
});

/** Grips on a box, what they sent, and what they said; `there` is what the server has of the box. */
function grips() {
  const node = { id: "z1", name: "gate", kind: "zone", note: "", bodies: [], children: [] } as TreeNode;
  const nodes = new Map([[node.id, node]]);
  const lines: string[] = [];
  const said: string[] = [];
  const rows = (y: number) => [[1, 0, 0, 0], [0, 1, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]];
  const there = { sizes: [0.3, 0.2, 0.1], y: 0 };
  const call = () => Promise.resolve({ shape: "box", names: ["x", "y", "z"], sizes: [...there.sizes], pose: rows(there.y), inside: rows(0), refusal: "" });
  const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
  const scene = { node: (id: string) => nodes.get(id), picture: { nodes }, units };
  const selection = { get node() { return nodes.get("z1"); }, ids: ["z1"] }; // prettier-ignore
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(true)) };
  const connection = { link: "open", call };
  const sizing = new Sizing(connection as never, scene as never, selection as never, { live: true } as never, { convention: "fanuc_wpr" } as never, log as never);
  sizing.onrefused = (_, sentence) => said.push(sentence);
  sizing.on = true;
  return { sizing, nodes, lines, said, there };
}
const [RIGHT, LEFT] = gripsOf("box") as [SizeGrip, SizeGrip];

test("what is removed during the drag ends it with one message and no command", async () => {
  const { sizing, nodes, lines, said } = grips();
  await sizing.refresh();
  sizing.show(RIGHT, 0.4);
  await sizing.letGo();
  expect(lines).toEqual(["resize zone:gate box 400 200 100 at 50,0,0"]);
  await sizing.refresh();
  sizing.show(LEFT, 0.4);
  nodes.delete("z1");
  await sizing.refresh();
  expect(await sizing.letGo()).toBe(false);
  expect(said).toEqual(["gate was removed while its sizes were being changed."]);
  expect(lines.length).toBe(1);
});

test.each([["moves", (there: { sizes: number[]; y: number }) => (there.y = 0.7)], ["resizes", (there: { sizes: number[] }) => (there.sizes = [0.3, 0.5, 0.1])]] as const)(
  "a drag of a grip ends when somebody else %s the thing",
  async (_, change) => {
    const { sizing, lines, said, there } = grips();
    await sizing.refresh();
    sizing.show(RIGHT, 0.4);
    sizing.hear("Ada", "some command");
    change(there);
    expect(await sizing.letGo()).toBe(false);
    expect([lines, said]).toEqual([[], ["gate was changed during the drag by Ada (some command). Drag it again from where it is now."]]);
    await sizing.refresh();
    sizing.show(RIGHT, 0.4);
    await sizing.refresh();
    expect(sizing.shown?.sizes).toEqual([0.4, there.sizes[1], 0.1]);
  },
);

test("a typed size has a unit of its own if it is written, and applies to the thing as it is", async () => {
  const { sizing, lines, there } = grips();
  await sizing.refresh();
  sizing.type(RIGHT, "", 0, 0);
  there.y = 0.7;
  there.sizes = [0.3, 0.5, 0.1];
  sizing.take("10cm");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(lines).toEqual(["resize zone:gate box 100 500 100 at -100,700,0"]);
  await sizing.refresh();
  sizing.type(RIGHT, "", 0, 0);
  sizing.take("0.5");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(lines[1]).toBe("resize zone:gate box 0.5 500 100 at -149.75,700,0");
});

test.each([["-5", "A size must be more than 0; found -5 mm."], ["0", "A size must be more than 0; found 0 mm."], ["abc", "“abc” cannot be read. Type a number such as 100 or 10cm."]])(
  "a typed size of %s stays in its field with a sentence",
  async (text, sentence) => {
    const { sizing, lines } = grips();
    await sizing.refresh();
    sizing.type(RIGHT, "", 0, 0);
    sizing.take(text);
    expect([sizing.fault, sizing.typed !== undefined, lines]).toEqual([sentence, true, []]);
  },
);
