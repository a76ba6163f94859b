import { Matrix4 } from "three";
import { beforeEach, expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import type { Ghost } from "./ghost.svelte";
import { Inverse } from "./inverse.svelte";
import type { Log } from "./log.svelte";
import { Pendant } from "./pendant.svelte";
import type { RobotInfo } from "./protocol";
import type { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { Time } from "./time.svelte";

const robot = (id: string) => ({ id, name: id, model: "arm", joints: [{ name: "j" }], values: [0] }) as unknown as RobotInfo;
const ROWS = (x: number) => [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];

let scene: Scene;
let pendant: Pendant;
let inverse: Inverse;
let hand: string;
let base: number;
let solutions: object[];

beforeEach(async () => {
  scene = new Scene(() => {});
  scene.picture.robots.set("Puma", robot("Puma")).set("Second", robot("Second"));
  hand = "Puma";
  base = 0;
  solutions = [{ joints: [1] }];
  const call = (command: string) => Promise.resolve(command === "fk" ? { tool: ROWS(base) } : { solutions });
  const selection = { get robot() { return scene.picture.robots.get(hand); } } as unknown as Selection;
  const connection = { call } as unknown as Connection;
  pendant = new Pendant(connection, scene, selection, {} as Recording, {} as Log, { clear: () => {} } as unknown as Ghost, new Time());
  pendant.inverse = inverse = new Inverse(connection, scene, pendant);
  pendant.tool = new Matrix4();
  await inverse.ask();
  expect(inverse.solutions).toHaveLength(1);
});

test("solutions stay while the robot goes to one of them", async () => {
  pendant.tool = new Matrix4().setPosition(2e-6, 0, 0); // joint values in a command line are rounded
  scene.redraw([]);
  await new Promise((resolve) => setTimeout(resolve));
  expect(inverse.solutions).toHaveLength(1);
});

test("solutions of one robot are not those of another, nor is a typed pose", () => {
  inverse.asked = { xyz: [0, 0, 0], angles: [0, 0, 0] };
  expect(inverse.solutions).toHaveLength(1);
  hand = "Second";
  expect([inverse.solutions, inverse.asked]).toEqual([undefined, undefined]);
});

test("solutions go when another pose is wanted, or the tool is elsewhere", () => {
  inverse.asked = { xyz: [0.1, 0, 0], angles: [0, 0, 0] };
  expect(inverse.solutions).toBeUndefined();
  inverse.asked = undefined;
  pendant.tool = new Matrix4().setPosition(0.1, 0, 0);
  expect(inverse.solutions).toBeUndefined();
});

test("solutions go when the base moves or the tool is another one", async () => {
  inverse.asked = { xyz: [0, 0, 0], angles: [0, 0, 0] };
  base = 0.5;
  scene.redraw([]);
  await new Promise((resolve) => setTimeout(resolve));
  expect([inverse.solutions, inverse.asked?.xyz]).toEqual([undefined, [0, 0, 0]]);
});

test("an answer that comes after the robot was changed is not shown for the other one", async () => {
  const asked = inverse.ask();
  hand = "Second";
  await asked;
  expect(inverse.solutions).toBeUndefined();
});

test("solutions that can be used come first, and all keep their numbers", async () => {
  const [out, free, touching] = [{ within_limits: false }, { within_limits: true, free: true }, { within_limits: true, free: false }];
  solutions = [out, touching, free, out, free];
  await inverse.ask();
  expect(inverse.ranked?.map(({ number }) => number)).toEqual([3, 5, 2, 1, 4]);
});
