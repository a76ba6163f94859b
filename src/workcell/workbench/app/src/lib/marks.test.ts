import { describe, expect, it } from "vitest";
import { propertiesOf } from "./inspected.svelte";
import { marksOf } from "./marks.svelte";
import { Picture } from "./picture";
import type { BodyInfo, NodeInfo, RobotInfo } from "./protocol";

const POSE = [1, 2, 3, 1, 0, 0, 0];

function picture(): Picture {
  const made = new Picture();
  const node = (id: string, kind: NodeInfo["kind"], name: string) => made.nodes.set(id, { id, kind, name, note: "", rank: "0" });
  node("target1", "target", "spot");
  node("frame1", "frame", "spot");
  node("path1", "path", "seam");
  const body = (id: string, name: string, owner: string, link: number) =>
    made.bodies.set(id, { id, name, owner, link, pieces: [], pose: [0, 0, 0, 1, 0, 0, 0], movable: false } satisfies BodyInfo);
  body("b1", "pallet", "o1", -1);
  body("r1/3", "Puma/link3", "r1", 3);
  made.robots.set("r1", { id: "r1", name: "Puma", model: "", joints: [], values: [], tool: "", hand: [], point: "", grips: "", mechanism: false, fitted: "", carrier: "", belt: false } satisfies RobotInfo);
  return made;
}

describe("marks", () => {
  it("have the ids of the tree, and the body that carries them", () => {
    const places = [
      { kind: "target", name: "spot", pose: POSE, carrier: "pallet", link: -1 },
      { kind: "frame", name: "spot", pose: POSE, carrier: "Puma", link: 3 },
      { kind: "target", name: "gone", pose: POSE, carrier: "", link: -1 },
    ];
    const [marks] = marksOf({ places, paths: [], text: "" }, picture());
    expect(marks.map(({ id, body }) => [id, body])).toEqual([["target1", "b1"], ["frame1", "r1/3"]]);
  });

  it("close a path that is a ring", () => {
    const points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]];
    const path = { name: "seam", targets: ["a", "b", "c"], points, carrier: "", link: -1 };
    const shown = (ring: boolean) => marksOf({ places: [], paths: [{ ...path, ring }], text: "" }, picture())[1][0]!;
    expect(shown(false).points).toEqual(points);
    expect(shown(true).points).toEqual([...points, [0, 0, 0]]);
    expect(shown(true).body).toBe("");
  });
});

describe("properties", () => {
  it("are the lines of `show` that name one", () => {
    const text = "robot Puma: model puma560\n  colour: red\n  speed: 54 deg/s\n  id: 056a\n  transform-block a -> block b: none";
    expect(propertiesOf(text, { speed: 0.94, colour2: 1 })).toEqual([{ name: "speed", value: "54 deg/s" }]);
  });
});
