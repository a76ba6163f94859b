import { Vector3 } from "three";
import { beforeEach, expect, test } from "vitest";
import type { LampRow } from "./commands";
import type { Connection } from "./connection.svelte";
import { Lamps } from "./lamps.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import { Workshop } from "./workshop.svelte";

const lamp = (aim: [number, number, number] | null): LampRow => ({ name: "the sun", brightness: 1, ambient: false, colour: [1, 1, 1], position: [2, 0, 1.5], aim });
let lines: string[];
let refused: boolean;
let workshop: Workshop;
let lamps: Lamps;

beforeEach(() => {
  [lines, refused, workshop] = [[], false, new Workshop()];
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(!refused)) };
  const scene = { watch: () => () => true, units: { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: 1 } };
  lamps = new Lamps({} as Connection, scene as unknown as Scene, log as unknown as Log, workshop);
  lamps.list = [lamp(null)];
});

test("the point that a lamp shines at is a command in the units of the cell", async () => {
  await lamps.aim(lamp(null), [0.5, -0.25, 0]);
  await lamps.aim(lamp([1, 0, 0]), undefined);
  expect(lines).toEqual(['modify light:"the sun" aim 500,-250,0', 'drop property aim from light:"the sun"']);
});

test("a press on that point puts a grip there, which shows the light while it is dragged and asks once", () => {
  expect(lamps.take("the sun", new Vector3())).toBe(false);
  expect(lamps.take(Lamps.hit(lamp(null)), new Vector3(0, 0, 0.5))).toBe(true);
  const { grip } = workshop;
  expect(grip?.pose.elements.slice(12, 15)).toEqual([0, 0, 0.5]);
  grip!.moved(new Vector3(0.1, 0, 0.5));
  expect(lamps.dragged).toEqual({ name: "the sun", aim: [0.1, 0, 0.5] });
  grip!.cancelled();
  expect([lamps.dragged, lines]).toEqual([undefined, []]);
  grip!.moved(new Vector3(0.2, 0, 0.5));
  grip!.done(new Vector3(0.2, 0, 0.5));
  expect(lines).toEqual(['modify light:"the sun" aim 200,0,500']);
  lamps.list = [lamp([0.2, 0, 0.5])];
  lamps.settle(() => true);
  expect([lamps.dragged, workshop.grip?.pose.elements[12]]).toEqual([undefined, 0.2]);
  lamps.settle(() => false);
  expect(workshop.grip).toBeUndefined();
});

test("a refused aim is taken back in the view", async () => {
  refused = true;
  lamps.take(Lamps.hit(lamp(null)), new Vector3());
  workshop.grip!.moved(new Vector3(1, 0, 0));
  workshop.grip!.done(new Vector3(1, 0, 0));
  await Promise.resolve();
  await Promise.resolve();
  expect(lamps.dragged).toBeUndefined();
});
