import { Vector3 } from "three";
import { expect, test } from "vitest";
import type { Bench } from "./bench.svelte";
import type { FaceList } from "./commands";
import type { Connection } from "./connection.svelte";
import { facing, targetHere } from "./from_geometry";
import { Picking } from "./picking.svelte";
import { Scene } from "./scene.svelte";
import { Selection } from "./selection.svelte";
import type { Spot } from "./spots";

test("a target at a face has its z axis against the normal, and its x axis along that of the world if it can", () => {
  for (const normal of [new Vector3(0, 0, 1), new Vector3(0, -1, 0), new Vector3(1, 0, 0), new Vector3(1, 2, 3).normalize()]) {
    const pose = facing(new Vector3(1, 2, 3), normal);
    expect(new Vector3().setFromMatrixColumn(pose, 2).dot(normal)).toBeCloseTo(-1, 12);
    expect(new Vector3().setFromMatrixPosition(pose).toArray()).toEqual([1, 2, 3]);
    expect(pose.determinant()).toBeCloseTo(1, 12);
  }
  expect(new Vector3().setFromMatrixColumn(facing(new Vector3(), new Vector3(0, 0, 1)), 0).x).toBeCloseTo(1, 12);
});

/** A crate whose top was pressed in the middle; its faces and the commands are answered by hand. */
function pressed() {
  const scene = new Scene(() => {});
  const stands = [0, 0, 0, 1, 0, 0, 0];
  const bodies = [{ id: "b", name: "crate", owner: "o", link: -1, pose: stands, pieces: [{}], movable: false }];
  const nodes = [{ id: "o", kind: "object", name: "crate", note: "", rank: "0" }];
  scene.replace({ type: "scene", facts: { units: { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 } }, nodes, bodies, robots: [], zones: [] } as never);
  const poses = { of: () => stands } as never;
  const [asked, sent, awaited]: [((list: FaceList) => void)[], { line: string; answer: (done: boolean) => void }[], string[]] = [[], [], []];
  const connection = { call: () => new Promise((done) => asked.push(done)) } as unknown as Connection;
  const selection = new Selection(scene);
  selection.selectWhenThere = ([, name]) => void awaited.push(name);
  const picking = new Picking(connection, scene, selection, poses);
  const log = { press: (line: string) => new Promise<boolean>((answer) => sent.push({ line, answer })) };
  const preferences = { hands: { snap: false, step: 0.01 } };
  const bench = { picking, scene, poses, log, selection, preferences, pendant: { convention: "fanuc_wpr" } } as unknown as Bench;
  const spot = (): Spot => ({ kind: "face", body: "b", piece: 0, faces: [0] });
  const click = () => void picking.take(spot(), { point: new Vector3(0, 0, 0.1), normal: new Vector3(0, 0, 1) });
  click();
  const answered = async () => {
    asked[0]!({ faces: [], prefixes: [""] } as unknown as FaceList);
    await new Promise((done) => setTimeout(done));
  };
  return { bench, picking, stands, sent, awaited, answered, click };
}

test("a target comes where the face is when the facts of the face are here, and once", async () => {
  const { bench, picking, stands, sent, awaited, answered } = pressed();
  const done = targetHere(bench);
  expect([picking.work.busy, await targetHere(bench)]).toEqual([true, ""]);
  stands[0] = 0.5;
  await answered();
  expect(sent.map(({ line }) => line)).toEqual(["add target target1 500,0,100 euler fanuc_wpr 180,0,0 on object:crate"]);
  sent[0]!.answer(true);
  expect([await done, picking.chosen, awaited]).toEqual(["", undefined, ["target1"]]);
});

test("a face that is picked before the target is made stays picked", async () => {
  const { bench, picking, sent, awaited, answered, click } = pressed();
  const done = targetHere(bench);
  await answered();
  click();
  const other = picking.chosen;
  sent[0]!.answer(true);
  await done;
  expect([picking.chosen === other, awaited, picking.work.busy]).toEqual([true, [], false]);
});
