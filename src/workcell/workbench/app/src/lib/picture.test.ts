import { expect, test } from "vitest";
import { Picture } from "./picture";
import type { BodyInfo, Difference, Facts, Scene } from "./protocol";
import { treeOf } from "./tree";

const facts = (revision: string): Facts => ({
  revision,
  undo: "",
  redo: "",
  watch: "",
  units: { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 },
});
const body = (id: string, owner: string, link = -1): BodyInfo => ({
  id,
  name: id,
  owner,
  link,
  pieces: [{ glb: "g", colour: [0, 0, 0], ghost: false, opacity: 1 }],
  pose: [0, 0, 0, 1, 0, 0, 0],
  movable: false,
});
const scene = (): Scene => ({
  type: "scene",
  number: 4,
  facts: facts("4"),
  bodies: [body("b1", "o1"), body("r1/base", "r1", 0), body("r1/link 1", "r1", 1)],
  nodes: [
    { id: "o1", kind: "object", name: "table", note: "", rank: "2" },
    { id: "r1", kind: "robot", name: "Puma", note: "puma560", rank: "1" },
  ],
  robots: [{ id: "r1", name: "Puma", model: "puma560", joints: [{ name: "waist", lower: -1, upper: 1, prismatic: false }], values: [0], tool: "", hand: [], point: "", grips: "", mechanism: false, fitted: "", carrier: "", belt: false }],
  zones: [],
});
const difference = (before: number, rest: Partial<Difference>): Difference => ({
  type: "difference",
  before,
  after: before + 1,
  facts: facts(`${before + 1}`),
  ...rest,
});

test("a difference changes what it names and nothing else", () => {
  const picture = new Picture();
  picture.replace(scene());
  const pieces = picture.bodies.get("b1")!.pieces;
  const touched = picture.apply(
    difference(4, {
      bodies: { appeared: [body("b2", "o2")], changed: [{ id: "b1", pose: [1, 0, 0, 1, 0, 0, 0] }], went: ["r1/base"] },
      nodes: { appeared: [{ id: "o2", kind: "object", name: "peg", note: "", rank: "1" }] },
    }),
  )!;
  expect([...touched.bodies].sort()).toEqual(["b1", "b2", "r1/base"]);
  expect(picture.bodies.get("b1")!.pose[0]).toBe(1);
  expect(picture.bodies.get("b1")!.pieces).toBe(pieces); // not drawn anew
  expect([...picture.bodies.keys()]).toEqual(["b1", "r1/link 1", "b2"]);
  expect(picture.facts!.revision).toBe("5");
  expect(touched.lists).toBe(true);
});

test("a body that only moves changes no list", () => {
  const picture = new Picture();
  picture.replace(scene());
  const touched = picture.apply(difference(4, { bodies: { changed: [{ id: "b1", pose: [1, 0, 0, 1, 0, 0, 0] }] } }));
  expect(touched).toMatchObject({ lists: false, zones: false, whole: false });
});

test("a difference that does not follow is refused and changes nothing", () => {
  const picture = new Picture();
  picture.replace(scene());
  expect(picture.apply(difference(5, { bodies: { went: ["b1"] } }))).toBeUndefined();
  expect(picture.bodies.has("b1")).toBe(true);
  expect(picture.number).toBe(4);
});

test("the tree groups things in their order and gives robots their links", () => {
  const picture = new Picture();
  const whole = scene();
  whole.bodies.push(body("b2", "o1"), { ...body("b3", "o3"), movable: true });
  whole.nodes.push({ id: "o3", kind: "object", name: "cup", note: "", rank: "1" });
  picture.replace(whole);
  const [robots, objects] = treeOf(picture);
  expect(robots!.children[0]!.children.map((link) => [link.id, link.name, link.note, link.bodies])).toEqual([
    ["r1#0", "Base", "", ["r1/base"]],
    ["r1#1", "Link 1", "waist", ["r1/link 1"]],
  ]);
  expect(objects!.children.map((node) => [node.name, node.note, node.children.length])).toEqual([
    ["cup", "", 0],
    ["table", "fixed", 2],
  ]);
});

test("what is on a flange is a line under its robot, and no part of the last link", () => {
  const picture = new Picture();
  const whole = scene();
  const robot = { ...whole.robots[0]!, tool: "vac", hand: ["r1/vac", "r1/right finger"], point: "", grips: "" };
  whole.robots = [robot];
  whole.bodies.push(body("r1/vac", "r1", 1), body("r1/right finger", "r1", 1));
  picture.replace(whole);
  const lines = (): [string, string, string[]][] =>
    treeOf(picture)[0]!.children[0]!.children.map((line) => [line.name, line.kind, line.bodies]);
  expect(lines()).toEqual([
    ["Base", "link", ["r1/base"]],
    ["Link 1", "link", ["r1/link 1"]],
    ["vac", "tool", ["r1/vac", "r1/right finger"]],
  ]);
  picture.apply(difference(4, { bodies: { went: ["r1/vac", "r1/right finger"] }, robots: { changed: [{ id: "r1", tool: "torch", hand: [], point: "", grips: "", mechanism: false, fitted: "", carrier: "", belt: false }] } }));
  expect(lines()[2]).toEqual(["torch", "tool", []]); // it has no shape
  const touched = picture.apply(difference(5, { robots: { changed: [{ id: "r1", tool: "" }] } }))!;
  expect(touched.lists).toBe(true); // the tree is made anew
  expect(lines().length).toBe(2);
});
