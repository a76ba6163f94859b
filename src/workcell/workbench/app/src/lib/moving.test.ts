import { Matrix4, Vector3 } from "three";
import { expect, test } from "vitest";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Loose } from "./loose.svelte";
import { Moving } from "./moving.svelte";
import type { Pendant } from "./pendant.svelte";
import type { Poses } from "./poses";
import type { Scene } from "./scene.svelte";
import type { Selection } from "./selection.svelte";
import type { Drag } from "./snapping";
import type { Time } from "./time.svelte";
import type { TreeNode } from "./tree";
import { describe } from "./typed_hand.svelte";

const node = (id: string, name: string): TreeNode => ({ id, name, kind: "object", note: "", bodies: [], children: [] });

const UNIT_ROWS = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];

/** A hand that holds the thing with id `1`, what it sent, and what it said; `there` is where the server has the thing [m]. */
function hand(units = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 }) {
  const there = [0, 0, 0];
  const nodes = new Map([["1", node("1", "box")], ["2", node("2", "table")]]);
  const lines: string[] = [];
  const said: string[] = [];
  const scene = { picture: { nodes, bodies: new Map(), robots: new Map() }, units, node: (id: string) => nodes.get(id), watch: (told: (touched: unknown) => void) => (told({ zones: true }), () => true) };
  const log = { press: (line: string) => (lines.push(line), Promise.resolve(true)) };
  const poses = { lift: () => {}, settle: () => {} };
  const followed: string[] = [];
  const loose = { places: new Map<string, [number, number, number]>(), placeable: () => true, follow: ({ id }: TreeNode) => followed.push(id) };
  const selection = { get things() { return [nodes.get("1")].filter((one) => one !== undefined); } }; // prettier-ignore
  const call = () => Promise.resolve({ pose: UNIT_ROWS.map((row, i) => (i < 3 ? [...row.slice(0, 3), there[i]!] : row)), bodies: [], places: [], carrier: "", refusal: "" });
  const connection = { link: "open", call };
  const moving = new Moving(
    connection as unknown as Connection,
    scene as unknown as Scene,
    selection as unknown as Selection,
    { live: true } as Time,
    poses as unknown as Poses,
    { convention: "fanuc_wpr" } as Pendant,
    log as unknown as Log,
    loose as unknown as Loose,
  );
  moving.onrefused = (_, sentence) => said.push(sentence);
  moving.handle = "move";
  moving.held = { node: nodes.get("1")!, taking: [], pose: new Matrix4(), bodies: new Set(), others: new Set(), carrier: "" };
  return { moving, nodes, lines, said, there, loose, followed };
}

test("a thing that is renamed while it is dragged is placed by its name now", async () => {
  const { moving, nodes, lines } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  nodes.set("1", node("1", "tmpx")).set("2", node("2", "box"));
  await moving.letGo(new Matrix4().makeTranslation(0.1, 0, 0));
  expect(lines).toEqual(["place object:tmpx at 100,0,0"]);
});

test("the drag of a thing that is removed ends with one message and no command", async () => {
  const { moving, nodes, lines, said } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  nodes.delete("1");
  await moving.refresh();
  expect(moving.motion).toBeUndefined();
  expect(await moving.letGo(new Matrix4())).toBe(false);
  expect(lines).toEqual([]);
  expect(said).toEqual(["box was removed while it was being moved."]);
});

test("several things are placed by one command, the first as it was dragged, and one that is gone ends the drag", async () => {
  const { moving, nodes, lines, said } = hand();
  const held = { ...moving.held!, taking: [nodes.get("2")!] };
  moving.held = held;
  await moving.letGo(new Matrix4().makeTranslation(0.1, 0, 0));
  expect(lines).toEqual(["place object:box at 100,0,0 taking object:table"]);
  moving.held = held;
  moving.show(new Matrix4());
  nodes.delete("2");
  expect(await moving.letGo(new Matrix4())).toBe(false);
  expect(said).toEqual(["table was removed while it was being moved."]);
  expect(lines.length).toBe(1);
});

test("a thing that stands nowhere is held where the view shows it, and letting go puts it into the scene", async () => {
  const { moving, nodes, lines, loose, followed } = hand();
  nodes.set("1", { ...node("1", "spare"), kind: "loose", note: "block" });
  await moving.refresh();
  expect([moving.held, moving.reason]).toEqual([undefined, "spare is not drawn; Place in the inspector puts it into the scene."]);
  loose.places.set("1", [-1, 0, 0.15]);
  await moving.refresh();
  expect(moving.held?.pose.elements.slice(12, 15)).toEqual([-1, 0, 0.15]);
  moving.show(new Matrix4().makeTranslation(0, 0, 0.15));
  expect(moving.motionOf("1")?.elements[12]).toBe(1);
  await moving.letGo(new Matrix4().makeTranslation(0.5, 0, 0.15));
  expect(lines).toEqual(["place block:spare at 500,0,150"]);
  expect(followed).toEqual(["1"]);
});

const drag = { start: new Matrix4(), axis: "X", own: false, flats: [], extent: () => [0, 0] as const };
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test("a drag ends when somebody else moves the thing or what carries it, and names who did what", async () => {
  const { moving, lines, said, there } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  moving.hear("Ada", "place table at 0,700,0");
  there[1] = 0.7;
  await moving.refresh();
  expect(moving.motion).toBeUndefined();
  expect(said).toEqual(["box was changed during the drag by Ada (place table at 0,700,0). Drag it again from where it is now."]);
  expect(new Vector3().setFromMatrixPosition(moving.held!.pose).y).toBe(0.7);
  expect(lines).toEqual([]);
});

test("a drag that is let go before the picture is here does not undo what somebody else did", async () => {
  const { moving, lines, said, there } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  there[1] = 0.7;
  expect(await moving.letGo(new Matrix4().makeTranslation(0.1, 0, 0))).toBe(false);
  expect([lines, said]).toEqual([[], ["box was changed during the drag. Drag it again from where it is now."]]);
});

test("a drag goes on when something else was changed", async () => {
  const { moving, lines, said } = hand();
  moving.show(new Matrix4().makeTranslation(0.1, 0, 0));
  moving.hear("Ada", "add solid peg cylinder 10 20");
  await moving.refresh();
  expect(moving.motion).toBeDefined();
  await moving.letGo(new Matrix4().makeTranslation(0.1, 0, 0));
  expect([lines, said]).toEqual([["place object:box at 100,0,0"], []]);
});

test("a typed value is a change of the thing as it is when it is taken", async () => {
  const { moving, lines, said, there } = hand();
  moving.open({ drag, kind: "move", text: "5", x: 0, y: 0 });
  there[1] = 0.7;
  await moving.refresh();
  expect(moving.typed?.text).toBe("5");
  moving.take("10cm");
  await settled();
  expect([lines, said]).toEqual([["place object:box at 100,700,0"], []]);
});

test("a typed value that cannot be read stays in its field with a sentence", () => {
  const { moving, lines } = hand();
  moving.open({ drag, kind: "move", text: "", x: 0, y: 0 });
  moving.take("abc");
  expect([moving.typed?.text, moving.fault]).toEqual(["", "“abc” cannot be read. Type a number such as 100 or 10cm."]);
  expect(moving.preview("7")).toBe(true);
  expect(moving.fault).toBe("");
  moving.open({ drag, kind: "turn", text: "", x: 0, y: 0 });
  moving.take("10cm");
  expect(moving.fault).toBe("“10cm” cannot be read. Type a number such as 45 or 0.5rad.");
  moving.take("");
  expect([moving.typed, lines]).toEqual([undefined, []]);
});

test("a turn is read out in the unit of the cell", () => {
  const about = { start: new Matrix4(), axis: "Z", own: false } as unknown as Drag;
  const quarter = new Matrix4().makeRotationZ(Math.PI / 2);
  expect(describe(about, "turn", quarter, { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 })).toBe("+90.0° about z");
  expect(describe(about, "turn", quarter, { length: "m", angle: "turn", lengthSize: 1, angleSize: 2 * Math.PI })).toBe("+0.2500 turn about z");
  expect(describe(about, "turn", quarter, { length: "m", angle: "rad", lengthSize: 1, angleSize: 1 })).toBe("+1.571 rad about z");
});
