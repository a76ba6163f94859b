import { expect, test } from "vitest";
import { choicesOf, chosenOf, heightOf, lackingFor, MORE, MORE_GROUPS, moreLines, pointsDown, sizesOf } from "./adding_more";
import { Scene } from "./scene.svelte";

const units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
const first = (which: string, on = "", ...picks: string[][]) => moreLines(which, "a b", MORE[which]!.sizes.map((one) => one.first), [1, 0, MORE[which]!.height ?? 0], on, units, { picks });

test("each of the other things is a command in the units of the cell", () => {
  expect(first("target", 'object:"my crate"')).toEqual(['add target "a b" 1000,0,500 on object:"my crate"']);
  expect(first("conveyor")).toEqual(['add conveyor "a b" 2000 at 1000,0,0']);
  expect(first("positioner")).toEqual(['add positioner "a b" at 1000,0,0']);
  expect(first("light barrier")).toEqual(['add light-barrier "a b" length 1000 at 1000,0,500']);
  expect(first("lamp")).toEqual(['create light "a b"', 'place light:"a b" at 1000,0,2000']);
  expect(first("signal")).toEqual(['create signal "a b"']);
});

test("what has an orientation or a shape takes it, and no zeros", () => {
  const down = { angles: [Math.PI, 0, -Math.PI / 2], convention: "fanuc_wpr" };
  expect(moreLines("target", "t", [], [1, 0, 0.5], "", units, down)).toEqual(["add target t 1000,0,500 euler fanuc_wpr 180,0,-90"]);
  expect(moreLines("light barrier", "eye", [1], [0, 0, 0.5], "", units, down)).toEqual(["add light-barrier eye length 1000 at 0,0,500 euler fanuc_wpr 180,0,-90"]);
  expect(moreLines("frame", "f", [], [0, 0, 0], "", units, { angles: [0, 0, 0], convention: "fanuc_wpr" })).toEqual(["add frame f 0,0,0"]);
  expect(moreLines("zone", "z", [0.1, 0.2], [1, 0, 0.1], "", units, { shape: "cylinder", angles: [0, 0, 0], convention: "fanuc_wpr" })).toEqual(["add zone z cylinder 100 200 at 1000,0,100 rule keep-out"]);
  expect(moreLines("lamp", "l", [], [0, 0, 2], "", units, down)).toEqual(["create light l", "place light:l at 0,0,2000"]);
  expect(sizesOf("zone", "box").map(({ label, first }) => [label, first])).toEqual([["x", 0.5], ["y", 0.5], ["z", 0.5]]);
  expect([heightOf("zone", [0.1, 0.4], "cylinder"), heightOf("camera", [], "box")]).toEqual([0.2, 1.5]);
  expect([pointsDown("target", true), pointsDown("camera", true), pointsDown("camera", false), pointsDown("frame", false)]).toEqual([true, false, true, false]);
});

test("devices, stations and sensors name their numbers and what they belong to", () => {
  expect(first("gantry")).toEqual(['add gantry "a b" 2000 1500 2000 at 1000,0,0']);
  expect(first("slide")).toEqual(['add slide "a b" 1000 down 200 at 1000,0,0']);
  expect(first("source", "", ["mechanism:belt"], ["object:box"])).toEqual(['add source "a b" of object:box on mechanism:belt every 2s stock 10']);
  expect(first("sink", "", ["mechanism:belt"])).toEqual(['add sink "a b" on mechanism:belt']);
  expect(first("stop", "", ["mechanism:belt"], [""])).toEqual(['add stop "a b" on mechanism:belt at 1000']);
  expect(first("stop", "", ["mechanism:belt"], ["signal:gate"])).toEqual(['add stop "a b" on mechanism:belt at 1000 signal signal:gate']);
  expect(first("camera")).toEqual(['add camera "a b" view 50deg range 1500 at 1000,0,1500']);
  expect(first("camera", "robot:Arm")).toEqual(['add camera "a b" view 50deg range 1500 at 1000,0,1500 on robot:Arm']);
  expect(first("contact sensor", "", ["robot:Arm"])).toEqual(['add contact-sensor "a b" on robot:Arm']);
  expect(first("weight sensor", "", ["object:table"])).toEqual(['add weight-sensor "a b" on object:table']);
  expect(first("encoder", "", ["mechanism:belt"])).toEqual(['add encoder "a b" on mechanism:belt joint 1 resolution 0.1']);
  expect(first("machine", "", ["mechanism:track", "robot:Arm"])).toEqual(['create machine "a b" of mechanism:track of robot:Arm']);
});

test("a thing that belongs to others takes the first that fits, or states what is lacking", () => {
  const scene = new Scene(() => {});
  const [belt, arm, box] = ["belt", "Arm", "box"];
  const nodes = [[belt, "robot"], [arm, "robot"], ["rail", "robot"], [box, "object"]].map(([id, kind]) => ({ id, kind, name: id, note: "", rank: id }));
  const robots = [{ id: belt, name: belt, joints: [], tool: "", hand: [], mechanism: true, belt: true }, { id: arm, name: arm, joints: [], tool: "", hand: [] }, { id: "rail", name: "rail", joints: [], tool: "", hand: [], mechanism: true }];
  const bodies = [{ id: "b1", name: box, owner: box, link: -1, pieces: [], movable: true }];
  scene.replace({ type: "scene", facts: { units }, nodes, bodies, robots, zones: [] } as unknown as Parameters<Scene["replace"]>[0]);
  const [on, of] = MORE["source"]!.picks!;
  const offered = [on!, of!].map((one) => choicesOf(scene, one, []));
  expect(offered).toEqual([[["mechanism:belt", "belt"]], [["object:box", "box"]]]);
  expect(chosenOf(on!, offered[0]!, undefined)).toEqual(["mechanism:belt"]);
  expect(chosenOf(on!, offered[0]!, ["mechanism:gone"])).toEqual(["mechanism:belt"]);
  expect(lackingFor("source", [["mechanism:belt"], [""]], [offered[0]!, []])).toContain("no object that robots may handle");
  const [members] = MORE["machine"]!.picks!;
  const devices = choicesOf(scene, members!, []);
  expect(lackingFor("machine", [chosenOf(members!, devices, ["robot:Arm"])], [devices])).toBe("Choose two or more members.");
  expect(lackingFor("machine", [chosenOf(members!, devices, ["robot:Arm", "mechanism:belt"])], [devices])).toBe("Choose two or more members."); // a belt is endless
  expect(lackingFor("machine", [chosenOf(members!, devices, ["robot:Arm", "mechanism:rail"])], [devices])).toBe("");
});

test("every kind is in one group", () => {
  expect(MORE_GROUPS.flatMap(([, kinds]) => kinds)).toEqual(Object.keys(MORE));
});
