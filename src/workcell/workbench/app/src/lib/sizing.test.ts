import { Matrix4, Vector3 } from "three";
import { expect, test } from "vitest";
import { gripsOf, reachOf, resized, Sizing } from "./sizing.svelte";
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

test("what is removed during the drag ends it with one message and no command", async () => {
  const node = { id: "z1", name: "gate", kind: "zone", note: "", bodies: [], children: [] } as TreeNode;
  const nodes = new Map([[node.id, node]]);
  const lines: string[] = [];
  const said: string[] = [];
  const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
  const scene = { node: (id: string) => nodes.get(id), picture: { nodes }, units };
  const selection = { get node() { return nodes.get("z1"); }, ids: ["z1"] }; // prettier-ignore
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(true)) };
  const sizing = new Sizing({ link: "lost" } as never, scene as never, selection as never, { live: true } as never, { convention: "fanuc_wpr" } as never, log as never);
  sizing.onrefused = (_, sentence) => said.push(sentence);
  sizing.on = true;
  const held = { node, shape: "box", names: ["x", "y", "z"], sizes: [0.3, 0.2, 0.1], pose: new Matrix4(), inside: new Matrix4() };
  sizing.held = held;
  sizing.show(gripsOf("box")[0]!, 0.4);
  await sizing.put();
  expect(lines).toEqual(["resize gate box 400 200 100 at 50,0,0"]);
  sizing.held = held;
  sizing.show(gripsOf("box")[1]!, 0.4);
  nodes.delete("z1");
  await sizing.refresh();
  expect(await sizing.put()).toBe(false);
  expect(said).toEqual(["gate was removed while its sizes were changed."]);
  expect(lines.length).toBe(1);
});
