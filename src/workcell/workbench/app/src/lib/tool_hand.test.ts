import { Matrix4 } from "three";
import { beforeEach, expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import type { Ghost } from "./ghost.svelte";
import type { Log } from "./log.svelte";
import { Pendant } from "./pendant.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { Time } from "./time.svelte";
import { ToolHand } from "./tool_hand.svelte";

let scene: Scene;
let pendant: Pendant;
let hand: ToolHand;
let lines: string[];
/** The joints of the ghosts that were shown, and the poses that were asked for. */
let shown: (readonly number[])[];
let asked: string[];

beforeEach(() => {
  [lines, shown, asked] = [[], [], []];
  scene = new Scene(() => {});
  scene.picture.robots.set("a", { id: "a", name: "arm", model: "arm", joints: [{ name: "j" }], values: [0] } as unknown as RobotInfo);
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(true)) } as unknown as Log;
  const ghost = { clear: () => {}, show: (_: string, joints: readonly number[]) => shown.push(joints), fail: () => {} } as unknown as Ghost;
  const call = (_: string, { pose }: { pose: string }) => {
    asked.push(pose);
    return Promise.resolve({ solutions: [{ joints: [asked.length], within_limits: true, violations: [], singular: [] }] });
  };
  pendant = new Pendant({ call } as unknown as Connection, scene, {} as Selection, {} as Recording, log, ghost, new Time());
  pendant.tool = new Matrix4().makeTranslation(0.5, 0, 0.25);
  pendant.handle = "move";
  hand = new ToolHand(pendant, ghost, scene);
});

const settle = () => new Promise((resolve) => setTimeout(resolve));
const open = (axis: string, text: string) => hand.open({ drag: hand.begin(axis)!, kind: hand.kind, text, x: 3, y: 4 });

test("a value that is typed is shown by the ghost, and Enter moves the tool by it", async () => {
  open("X", "0.1");
  expect([hand.label, hand.unit]).toEqual(["Move along x", "m"]);
  await settle();
  hand.preview("0.2");
  await settle();
  expect([asked, shown, lines]).toEqual([["0.6,0,0.25 euler fanuc_wpr 0,0,0", "0.7,0,0.25 euler fanuc_wpr 0,0,0"], [[1], [2]], []]);
  hand.take("20cm");
  await settle();
  expect([lines, hand.typed, pendant.dragged]).toEqual([["move-end-effector arm 0.7,0,0.25 euler fanuc_wpr 0,0,0"], undefined, undefined]);
});

test("a turn is typed about the axes of the hand, or of the world", async () => {
  pendant.handle = "turn";
  pendant.frame = "hand";
  pendant.tool = new Matrix4().makeRotationX(Math.PI / 2).setPosition(0.5, 0, 0.25);
  open("Y", "");
  expect([hand.label, hand.unit]).toEqual(["Turn about y", "rad"]);
  hand.take("90deg");
  await settle();
  pendant.frame = "world";
  open("Z", "");
  hand.take("90deg");
  await settle();
  expect(new Set(lines).size).toBe(1); // y of the hand is z of the world
  expect(lines).toHaveLength(2);
});

test("what cannot be read stays in the field with the reason, and Escape moves nothing", async () => {
  open("Z", "1");
  hand.take("much");
  expect([hand.typed?.x, hand.fault]).toEqual([3, "“much” cannot be read. Type a number such as 100 or 10cm."]);
  hand.cancel();
  hand.take("1");
  await settle();
  expect([hand.typed, hand.fault, pendant.dragged, lines]).toEqual([undefined, "", undefined, []]);
});

test("a typed value is in the unit that its field showed when it was opened, also if the units of the cell change", async () => {
  open("X", "0.1");
  scene.facts = { units: { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 } } as unknown as Scene["facts"];
  expect([hand.unit, hand.begun]).toEqual(["mm", "m"]);
  hand.take("0.2");
  await settle();
  expect(lines).toEqual(["move-end-effector arm 700,0,250 euler fanuc_wpr 0,0,0"]);
  open("X", "");
  hand.take("200");
  await settle();
  expect(lines[1]).toBe(lines[0]);
});

test("a typed value moves no robot that went meanwhile", async () => {
  open("X", "0.1");
  scene.picture.robots.clear();
  hand.take("0.1");
  await settle();
  expect(lines).toEqual([]);
});

test("a drag is read out near the pointer, and the arm is shown there", async () => {
  const drag = hand.begin("X")!;
  hand.follow(drag, new Matrix4().makeTranslation(0.45, 0, 0.25), 10, 20);
  await settle();
  expect([hand.readout, shown.length]).toEqual([{ text: "x -0.0500 m", x: 10, y: 20 }, 1]);
  expect(await hand.letGo(new Matrix4().makeTranslation(0.45, 0, 0.25))).toBe(true);
  expect([hand.readout, lines]).toEqual([undefined, ["move-end-effector arm 0.45,0,0.25 euler fanuc_wpr 0,0,0"]]);
});
