import { Matrix4 } from "three";
import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import { Moving } from "./moving.svelte";
import type { Pendant } from "./pendant.svelte";
import type { Poses } from "./poses";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";

const node = (id: string, name: string): TreeNode => ({ id, name, kind: "object", note: "", bodies: [], children: [] });

/** A hand that holds the thing with id `1`, what it sent, and what it said. */
function hand() {
  const nodes = new Map([["1", node("1", "box")], ["2", node("2", "table")]]);
  const lines: string[] = [];
  const said: string[] = [];
  const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
  const scene = { picture: { nodes }, units, node: (id: string) => nodes.get(id), watch: (told: (touched: unknown) => void) => (told({ zones: true }), () => true) };
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(true)) };
  const poses = { lift: () => {}, settle: () => {} };
  const selection = { get things() { return [nodes.get("1")].filter((one) => one !== undefined); } }; // prettier-ignore
  const moving = new Moving(
    { link: "lost" } as Connection,
    scene as unknown as Scene,
    selection as unknown as Selection,
    { live: true } as Time,
    poses as unknown as Poses,
    { convention: "fanuc_wpr" } as Pendant,
    log as unknown as Log,
  );
  moving.onrefused = (_, sentence) => said.push(sentence);
  moving.handle = "move";
  moving.held = { node: nodes.get("1")!, taking: [], pose: new Matrix4(), bodies: new Set(), others: new Set(), carrier: "" };
  return { moving, nodes, lines, said };
}

test("a thing that is renamed while it is dragged is placed by its name now", async () => {
  const { moving, nodes, lines } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  nodes.set("1", node("1", "tmpx")).set("2", node("2", "box"));
  await moving.put(new Matrix4().makeTranslation(0.1, 0, 0));
  expect(lines).toEqual(["place tmpx at 100,0,0"]);
});

test("the drag of a thing that is removed ends with one message and no command", async () => {
  const { moving, nodes, lines, said } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  nodes.delete("1");
  await moving.refresh();
  expect(moving.motion).toBeUndefined();
  expect(await moving.put(new Matrix4())).toBe(false);
  expect(lines).toEqual([]);
  expect(said).toEqual(["box was removed while it was moved."]);
});

test("several things are placed by one command, the first as it was dragged, and one that is gone ends the drag", async () => {
  const { moving, nodes, lines, said } = hand();
  const held = { ...moving.held!, taking: [nodes.get("2")!] };
  moving.held = held;
  await moving.put(new Matrix4().makeTranslation(0.1, 0, 0));
  expect(lines).toEqual(["place box at 100,0,0 taking table"]);
  moving.held = held;
  moving.show(new Matrix4());
  nodes.delete("2");
  expect(await moving.put(new Matrix4())).toBe(false);
  expect(said).toEqual(["table was removed while it was moved."]);
  expect(lines.length).toBe(1);
});
