import { Matrix4 } from "three";
import { expect, test } from "vitest";
import { beltText, speedText } from "./belts";
import { carriersFor, linkNames, mountLine } from "./mounting";
import type { RobotInfo, UnitNames } from "./protocol";
import { Scene } from "./scene.svelte";
import { fitLines, toolsOf } from "./tools";

const units: UnitNames = { length: "mm", angle: "deg", lengthSize: 1e-3, angleSize: Math.PI / 180 };
const robot = (id: string, name: string, more: Partial<RobotInfo> = {}): RobotInfo =>
  ({ id, name, model: "", joints: [{ name: "J1" }, { name: "J2" }], values: [], tool: "", hand: [], mechanism: false, fitted: "", carrier: "", belt: false, ...more }) as unknown as RobotInfo;
const rail = robot("r1", "my rail", { mechanism: true });
const arm = robot("r2", "Arm", { carrier: "my rail", tool: "vac", fitted: "gripper" });
const small = robot("r3", "Small", { carrier: "Arm", tool: "two-finger gripper" });
const other = robot("r4", "Other");

function scene(...robots: RobotInfo[]): Scene {
  const made = new Scene(() => {});
  const nodes = robots.map(({ id, name }, rank) => ({ id, kind: "robot", name, note: "", rank: String(rank) }));
  made.replace({ type: "scene", facts: { units }, nodes, bodies: [], robots, zones: [] } as unknown as Parameters<Scene["replace"]>[0]);
  return made;
}

test("a robot is mounted on what it does not carry itself, devices first", () => {
  const all = [other, small, arm, rail];
  const names = (of: string) => carriersFor(all, of).map(({ name }) => name);
  expect(names("Other")).toEqual(["my rail", "Small", "Arm"]);
  expect(names("Arm")).toEqual(["my rail", "Other"]);
  expect(names("my rail")).toEqual(["Other"]);
});

test("mounting names both with their kinds, and the link and place where they are stated", () => {
  const cell = scene(rail, arm);
  expect(mountLine(cell, arm, rail)).toBe('mount robot:Arm on mechanism:"my rail"');
  expect(mountLine(cell, arm, rail, { link: 0, convention: "fanuc_wpr" })).toBe('mount robot:Arm on mechanism:"my rail" link 0');
  const pose = new Matrix4().makeTranslation(0.1, 0, 0.05);
  expect(mountLine(cell, arm, rail, { link: 1, pose, convention: "fanuc_wpr" })).toBe('mount robot:Arm on mechanism:"my rail" link 1 at 100,0,50 euler fanuc_wpr 0,0,0');
  expect(linkNames(rail)).toEqual(["base", "link 1", "link 2, the last"]);
});

test("a tool is taken off where it is, and what is on the flange before it, as one step", () => {
  const cell = scene(arm, small, other);
  cell.showLoose([{ id: "o9", kind: "tool", name: "my torch" }], "");
  const tools = toolsOf(cell);
  expect(tools.map(({ reference, robot }) => [reference, robot])).toEqual([["gripper:vac", "Arm"], ['tool:"my torch"', ""]]);
  const [vac, torch] = tools as [(typeof tools)[0], (typeof tools)[0]];
  expect(fitLines(torch, "Other", tools)).toEqual(['fit tool tool:"my torch" to robot:Other']);
  expect(fitLines(torch, "Arm", tools)).toEqual(["take-off robot:Arm", 'fit tool tool:"my torch" to robot:Arm']);
  expect(fitLines(vac, "Small", tools)).toEqual(["take-off robot:Arm", "fit tool gripper:vac to robot:Small"]);
  expect(fitLines(vac, "", tools)).toEqual(["take-off robot:Arm"]);
  expect(fitLines(vac, "Arm", tools)).toEqual([]);
});

test("a tool that was fitted is not loose any more, before the loose things are asked for again", () => {
  const cell = scene(arm, small, other);
  cell.showLoose([{ id: "o9", kind: "gripper", name: "vac" }, { id: "o8", kind: "tool", name: "vac" }], "");
  expect(toolsOf(cell).map(({ reference, robot }) => [reference, robot])).toEqual([["gripper:vac", "Arm"], ["tool:vac", ""]]);
});

test("the tree notes the kind of a fitted tool, and none for the gripper that belongs to a robot", () => {
  const cell = scene(arm, small);
  expect([cell.line("tool", "vac")?.note, cell.line("tool", "two-finger gripper")?.note]).toEqual(["gripper", ""]);
});

test("a belt runs at a speed in the units of the cell", () => {
  expect(speedText(-0.2, units)).toBe("-200mm/s");
  expect([beltText(0, units), beltText(0.25, units), beltText(-0.1, units)]).toEqual(["The belt stands still.", "The belt runs at 250 mm/s.", "The belt runs backwards at 100 mm/s."]);
});
