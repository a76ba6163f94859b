import { beforeEach, expect, test } from "vitest";
import type { BodyInfo, NodeInfo, Scene as SceneMessage } from "./protocol";
import { between, rowsOf } from "./rows";
import { Scene } from "./scene.svelte";
import { Selection } from "./selection.svelte";

const POSE = [0, 0, 0, 1, 0, 0, 0] as const;
let scene: Scene;
let selection: Selection;
let told: string[][];

const node = (id: string, kind: NodeInfo["kind"], rank: number): NodeInfo => ({ id, kind, name: id, note: "", rank: String(rank) });
const body = (id: string, owner: string, link = -1) => ({ id, name: id, owner, link, pose: POSE, pieces: [], movable: false }) as unknown as BodyInfo;

function picture(...gone: string[]): SceneMessage {
  const nodes = [node("arm", "robot", 0), node("crate", "object", 1), node("peg", "object", 2), node("spot", "target", 3), node("main", "program", 4)];
  const bodies = [body("arm/0", "arm", 0), body("arm/1", "arm", 1), body("b1", "crate"), body("b2", "peg")];
  const robots = [{ id: "arm", name: "arm", joints: [{ name: "J1" }], tool: "", hand: [] }];
  const there = (one: { id: string; owner?: string }) => !gone.includes(one.id) && !gone.includes(one.owner ?? "");
  return { type: "scene", facts: {}, nodes: nodes.filter(there), bodies: bodies.filter(there), robots, zones: [], curves: [] } as unknown as SceneMessage;
}

beforeEach(() => {
  scene = new Scene(() => {});
  told = [];
  selection = new Selection(scene, (things) => told.push(things));
  scene.replace(picture());
});

test("a click with a key adds a thing and takes it out again, and the last one is the primary one", () => {
  selection.pick("b1");
  selection.pick("b2", true);
  expect([selection.ids, selection.id]).toEqual([["crate", "peg"], "peg"]);
  selection.pick("b2", true);
  expect([selection.ids, selection.id]).toEqual([["crate"], "crate"]);
  expect(told).toEqual([["crate"], ["crate", "peg"], ["crate"]]);
});

test("a plain click goes from the robot to the link, but not while others are selected too", () => {
  selection.pick("arm/1");
  selection.pick("arm/1");
  expect(selection.ids).toEqual(["arm#1"]);
  selection.choose(["crate", "arm"]);
  selection.pick("arm/1");
  expect(selection.ids).toEqual(["arm"]);
});

test("a click with a key takes a robot out with its links", () => {
  selection.choose(["crate", "arm#1"]);
  selection.pick("arm/0", true);
  expect(selection.ids).toEqual(["crate", "arm#1", "arm"]); // another link: the robot is added
  selection.pick("arm/1", true);
  expect(selection.ids).toEqual(["crate"]);
});

test("of a robot and its link, the things are the robot alone", () => {
  selection.choose(["arm#1", "arm", "spot"]);
  expect(selection.things.map((one) => one.id)).toEqual(["arm", "spot"]);
  expect([...selection.bodies].sort()).toEqual(["arm/0", "arm/1"]);
});

test("one that is removed leaves the selection, and the others hear of it", () => {
  selection.choose(["crate", "peg", "spot"]);
  scene.replace(picture("peg"));
  expect(selection.ids).toEqual(["crate", "spot"]);
  expect(told.at(-1)).toEqual(["crate", "spot"]);
});

test("everything that is drawn is selected at once, and of a link all links", () => {
  selection.toggleHidden("peg");
  selection.selectAll();
  expect(selection.ids).toEqual(["arm", "crate", "spot"]);
  selection.select("arm#0");
  selection.selectAll();
  expect(selection.ids).toEqual(["arm#0", "arm#1"]);
});

test("several are hidden, shown and shown alone", () => {
  selection.choose(["crate", "peg"]);
  selection.toggleHidden("peg");
  selection.hideOrShow();
  expect([...selection.hidden].sort()).toEqual(["crate", "peg"]);
  selection.hideOrShow();
  expect(selection.hidden.size).toBe(0);
  selection.isolate();
  expect([...selection.hidden].sort()).toEqual(["arm", "spot"]);
  selection.choose(["arm#1"]);
  selection.isolate();
  expect([...selection.hidden].sort()).toEqual(["arm#0", "crate", "peg", "spot"]);
});

test("copies are selected when all of them are there", () => {
  selection.select("arm");
  scene.replace(picture("crate", "peg"));
  selection.selectWhenThere(["object", "crate"], ["object", "peg"]);
  scene.replace(picture("peg"));
  expect(selection.ids).toEqual(["arm"]);
  scene.replace(picture());
  expect(selection.ids).toEqual(["crate", "peg"]);
});

test("a range goes from its beginning to the line that was pressed, without the headings of groups", () => {
  const rows = rowsOf(scene.tree ?? [], new Map([["targets", true]]), "");
  expect(between(rows, "arm", "spot")).toEqual(["arm", "crate", "peg", "spot"]);
  expect(between(rows, "spot", "crate")).toEqual(["spot", "peg", "crate"]);
  expect(between(rows, "gone", "peg")).toEqual(["peg"]);
  expect(between(rows, "arm", "gone")).toEqual([]);
});

test("the selection waits for what is not in the picture yet", () => {
  selection.selectWhenThere(["zone", "fence"]);
  expect(selection.waits).toBe(true);
  const { nodes, ...rest } = picture();
  scene.replace({ ...rest, nodes: [...nodes, node("fence", "zone", 9)] });
  expect([selection.waits, selection.id]).toEqual([false, "fence"]);
});

test("a robot that is mounted on something else stays selected, as its links do", () => {
  const mounted = (id: string) => ({ ...picture(), nodes: [{ ...node(id, "robot", 0), name: "arm" }], robots: [{ id, name: "arm", joints: [{ name: "J1" }], tool: "", hand: [] }], bodies: [body(`${id}/1`, id, 1)] }) as unknown as SceneMessage;
  selection.choose(["crate", "arm"]);
  scene.replace(mounted("r9"));
  expect(selection.ids).toEqual(["r9"]);
  selection.select("r9#1");
  scene.replace(mounted("r5"));
  expect(selection.ids).toEqual(["r5#1"]);
});
