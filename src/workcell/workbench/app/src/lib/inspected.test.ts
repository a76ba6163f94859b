import { beforeEach, expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Inspected } from "./inspected.svelte";
import type { Log } from "./log.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import type { TreeNode } from "./tree";

const line = (id: string, kind: TreeNode["kind"], note = ""): TreeNode => ({ id, name: id, kind, note, bodies: [], children: [] });
const at = (x: number) => [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0]];
const TCP: Record<string, number[] | undefined> = { "gripper:A": at(1).flat(), "gripper:B": at(2).flat() };

let node: TreeNode;
let lost: boolean;
let inspected: Inspected;

beforeEach(() => {
  lost = false;
  const answers: Record<string, (thing: string) => unknown> = {
    where: () => ({ carrier: "gantry", link: 2, on: [...at(3), [0, 0, 0, 1]] }),
    show: (thing) => ({ text: `${thing}\n  mass: 2`, facts: { colour: "red", properties: { mass: 2, tcp: TCP[thing] } } }),
    "query-relations": () => ({ rows: [["", "crate/part", "block:b", "none"]] }),
  };
  const call = (command: string, { thing = "" }: { thing?: string }) => (lost ? Promise.reject(new Error("The server is gone.")) : Promise.resolve(answers[command]!(thing)));
  const selection = { get node() { return node; } } as unknown as Selection;
  inspected = new Inspected({ call, link: "open" } as unknown as Connection, new Scene(() => {}), selection, {} as Log);
});

const x = () => inspected.tcp && inspected.tcp.elements[12];

test("what is known of a thing is not shown for the one that is selected next", async () => {
  node = line("A", "tool", "gripper");
  await inspected.refresh();
  expect([x(), inspected.properties, inspected.colour, inspected.has.length, inspected.usedBy.length]).toEqual([1, [{ name: "mass", value: "2" }], "red", 1, 1]);
  node = line("B", "tool", "gripper");
  expect([x(), inspected.properties, inspected.colour, inspected.has.length, inspected.usedBy.length]).toEqual([undefined, [], "", 0, 0]);
  await inspected.refresh();
  expect(x()).toBe(2);
});

test("of two robots on one gantry, each has its own place there", async () => {
  node = line("R1", "robot");
  await inspected.refresh();
  expect([inspected.mounted?.carrier, inspected.mounted?.link, inspected.carrier]).toEqual(["gantry", 2, "gantry"]);
  node = line("R2", "robot");
  expect([inspected.mounted, inspected.carrier]).toEqual([undefined, ""]);
});

test("that a tool has no TCP is known only from an answer", async () => {
  node = line("C", "tool", "gripper");
  expect(inspected.tcp).toBeUndefined();
  lost = true;
  await inspected.refresh();
  expect(inspected.tcp).toBeUndefined();
  lost = false;
  await inspected.refresh();
  expect(inspected.tcp).toBeNull();
});
