import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import { Picking } from "./picking.svelte";
import { Scene } from "./scene.svelte";
import { Selection } from "./selection.svelte";
import type { Spot } from "./spots";

/** A crate of two pieces, with one face chosen and another under the pointer. */
function picked() {
  const scene = new Scene(() => {});
  const pieces = [{ glb: "1" }, { glb: "2" }];
  const bodies = [{ id: "b", name: "crate", owner: "o", link: -1, pose: [0, 0, 0, 1, 0, 0, 0], pieces, movable: false }];
  const nodes = [{ id: "o", kind: "object", name: "crate", note: "", rank: "0" }];
  scene.replace({ type: "scene", number: 1, facts: {}, nodes, bodies, robots: [], zones: [] } as never);
  const picking = new Picking({} as Connection, scene, new Selection(scene), { of: () => undefined } as never);
  const spot = (piece: number): Spot => ({ kind: "face", body: "b", piece, faces: [3] });
  picking.take(spot(0));
  picking.point(spot(1));
  let number = 1;
  const change = (bodies: object) => scene.apply({ before: number, after: ++number, facts: {}, bodies } as never);
  const seen = () => [picking.chosen, picking.hover].map((one) => one?.piece);
  return { change, seen };
}

test("a face stays chosen while its piece keeps its shape, and is dropped when the piece gets another one", () => {
  const { change, seen } = picked();
  change({ changed: [{ id: "b", name: "box", pose: [1, 0, 0, 1, 0, 0, 0] }] });
  change({ changed: [{ id: "b", pieces: [{ glb: "1" }, { glb: "5" }] }] });
  expect(seen()).toEqual([0, undefined]);
  change({ changed: [{ id: "b", pieces: [{ glb: "6" }, { glb: "5" }] }] });
  expect(seen()).toEqual([undefined, undefined]);
});

test("a face of a body that is removed is neither chosen nor under the pointer", () => {
  const { change, seen } = picked();
  change({ went: ["b"] });
  expect(seen()).toEqual([undefined, undefined]);
});
