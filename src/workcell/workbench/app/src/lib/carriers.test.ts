import { expect, test, vi } from "vitest";
import { carrierAmong, carrierOf, proposed } from "./carriers";
import type { Connection } from "./connection.svelte";
import { Inspected } from "./inspected.svelte";
import type { Log } from "./log.svelte";
import { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";

const scene = new Scene(() => {});
for (const [kind, name] of [["object", "crate 2"], ["robot", "Puma"], ["target", "T"], ["path", "seam"], ["frame", "F"]] as const)
  scene.picture.nodes.set(name, { id: name, kind, name, bodies: [] } as never);

test("targets are carried by objects, robots and frames, or stand in the world", () => {
  expect(proposed(scene, "F")).toEqual(["world", "crate 2", "Puma"]);
  expect(["", "world", "crate 2", "gone"].map((typed) => carrierOf(scene, typed))).toEqual(["", "", 'object:"crate 2"', "gone"]);
  expect(carrierAmong(scene, ["main"])).toEqual({ name: "world", path: false });
  expect(carrierAmong(scene, ['object:"crate 2"'])).toEqual({ name: "crate 2", path: false });
  expect(carrierAmong(scene, ["main", "seam"])).toEqual({ name: "seam", path: true });
});

test("the inspector hangs a target on a thing, and puts it back into the world where it is", async () => {
  const press = vi.fn(() => Promise.resolve(true));
  const selection = { node: scene.picture.nodes.get("T") } as unknown as Selection;
  const matrix = [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]];
  const connection = { link: "open", call: (command: string) => Promise.resolve(command === "where" ? { matrix } : { text: "", rows: [] }) } as unknown as Connection;
  const inspected = new Inspected(connection, scene, selection, { press } as unknown as Log);
  await inspected.refresh();
  await inspected.hang("crate 2", "fanuc_wpr");
  await inspected.hang("world", "fanuc_wpr");
  const lines = press.mock.calls.map((call) => (call as unknown as string[])[0]);
  expect(lines[0]).toBe('attach target:T to object:"crate 2"');
  expect(lines[1]).toMatch(/^place target:T at (0.5,0,0.1|500,0,100)/);
});
