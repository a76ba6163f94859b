import { beforeEach, expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Inspected } from "./inspected.svelte";
import type { Log } from "./log.svelte";
import { Recording } from "./recording.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import { standing } from "./standing";
import { Time } from "./time.svelte";
import type { TreeNode } from "./tree";

const UNIT = [1, 0, 0, 0];
const line = (id: string, kind: TreeNode["kind"], bodies: string[] = []): TreeNode => ({ id, name: id, kind, note: "", bodies, children: [] });
const arm = line("arm", "robot", ["arm/2", "arm/0"]);
const crate = line("crate", "object", ["crate/1"]);
const [near, far] = [line("near", "target"), line("far", "target")];

let known: { scene: Scene; time: Time; recording: Recording; inspected: Inspected };
let node: TreeNode;
let answers: ((x: number) => void)[];

beforeEach(() => {
  const [scene, time] = [new Scene(() => {}), new Time()];
  for (const [id, link, x] of [["arm/2", 2, 3], ["arm/0", 0, 1], ["crate/1", -1, 2]] as const) scene.picture.bodies.set(id, { id, link, pose: [x, 0, 0, ...UNIT] } as never);
  answers = [];
  const where = (x: number) => ({ matrix: [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] });
  const call = (command: string) => (command === "where" ? new Promise((done) => answers.push((x) => done(where(x)))) : Promise.resolve({ text: "", rows: [] }));
  const connection = { call, link: "open" } as unknown as Connection;
  const selection = { get node() { return node; } } as unknown as Selection;
  known = { scene, time, recording: new Recording(connection, scene, time), inspected: new Inspected(connection, scene, selection, {} as Log) };
});

const x = (of: TreeNode) => standing(known, of)?.[0];

test("a robot stands where its base is, now and in the recording", () => {
  expect([x(arm), x(crate), x(line("bare", "robot", ["arm/2"]))]).toEqual([1, 2, undefined]);
  known.recording.info = { moving: ["arm/0", "arm/2"] } as never;
  known.recording.track.poseAt = (body, t) => Float32Array.from([t + (body === "arm/0" ? 10 : 20), 0, 0, ...UNIT]);
  known.time.resize(5);
  known.time.seek(2);
  expect([x(arm), x(crate)]).toEqual([12, 2]);
  known.recording.track.poseAt = () => undefined;
  expect(x(arm)).toBeUndefined();
});

test("what has no body stands where the server has it, and nowhere until it answered", async () => {
  node = near;
  const first = known.inspected.refresh();
  answers[0]!(4);
  await first;
  expect(x(near)).toBe(4);
  node = far;
  expect(x(far)).toBeUndefined();
  const second = known.inspected.refresh();
  expect(x(far)).toBeUndefined();
  answers[1]!(5);
  await second;
  expect(x(far)).toBe(5);
});

test("an answer that comes after another thing was selected is not for that one", async () => {
  node = near;
  const asked = known.inspected.refresh();
  node = far;
  answers[0]!(4);
  await asked;
  expect(x(far)).toBeUndefined();
});
