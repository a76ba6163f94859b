// What can be done with several selected things at once. Each is one step; a thing that cannot take part is named, and
// nothing is done then.
import type { Bench } from "./bench.svelte";
import { isNamed, propertiesOf } from "./inspected.svelte";
import { referenceOf } from "./references";
import type { Scene } from "./scene.svelte";
import { freeName } from "./pendant.svelte";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

/** Of more things, the common properties are not asked for. */
export const MOST_ASKED = 40;
const PAINTED: ReadonlySet<string> = new Set(["object", "light"]);

/** The kinds of things and how many there are: `2 objects, 1 target`. */
export function kindsText(things: readonly TreeNode[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of things) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = (kind: string, count: number) => (count === 1 ? kind : kind === "body" ? "bodies" : `${kind}s`);
  return [...counts].map(([kind, count]) => `${count} ${named(kind, count)}`).join(", ");
}

/** Why some of the things cannot take part, one sentence each; "" if all can. */
function stuck(things: readonly TreeNode[], can: (node: TreeNode) => boolean, reason: (node: TreeNode) => string): string {
  return things.filter((node) => !can(node)).map((node) => `${node.name} ${reason(node)}.`).join(" ");
}

/** Why the selection has no common colour; "" if it can have one. */
export function unpainted(things: readonly TreeNode[]): string {
  return stuck(things, (node) => PAINTED.has(node.kind), (node) => `is a ${node.kind} and has no colour of its own`);
}

/** Remove the selected things with their parts. Returns why not, or "". */
export async function removeAll({ selection, scene, log }: Bench): Promise<string> {
  const { things } = selection;
  const reason = stuck(things, isNamed, (node) => `is a part of ${scene.node(scene.above(node.id)[0] ?? "")?.name ?? "something"} and cannot be removed on its own`);
  const [first, ...others] = things.map((node) => referenceOf(scene, node));
  if (!reason && first) await log.press(`remove ${first}${others.map((one) => ` with ${one}`).join("")} --deep`);
  return reason;
}

/** Give the selected things a colour. Returns why not, or "". */
export async function paintAll({ selection, scene, log }: Bench, colour: string): Promise<string> {
  const { things } = selection;
  const reason = unpainted(things);
  if (!reason) await log.pressAll(things.map((node) => `modify ${referenceOf(scene, node)} colour ${quoted(colour)}`));
  return reason;
}

/** Give a property of the selected things a value. */
export function setAll({ selection, scene, log }: Bench, property: string, value: string): Promise<boolean> {
  return log.pressAll(selection.things.map((node) => `modify ${referenceOf(scene, node)} ${property} ${value}`));
}

/** The lines that bring things home: robots to their initial joint values, objects to where they were attached or stood at first. */
export function homeLines(scene: Scene, things: readonly TreeNode[]): string[] {
  const [first, ...others] = things.filter((node) => node.kind === "object").map((node) => referenceOf(scene, node));
  const robots = things.filter((node) => node.kind === "robot").map((node) => `home ${referenceOf(scene, node)}`);
  return first ? [...robots, `send-home ${first}${others.map((one) => ` with ${one}`).join("")}`] : robots;
}

/** Bring what is selected home; for a link or a tool, its robot. Returns why not, or "". */
export async function homeAll({ selection, moving, scene, log }: Bench): Promise<string> {
  const things = selection.ids.length > 1 ? selection.things : moving.nodes.map((node) => (node.kind === "tool" ? scene.node(scene.above(node.id)[0] ?? "")! : node));
  const reason = stuck(things, (node) => node.kind === "robot" || node.kind === "object", (node) => `is a ${node.kind}; only robots and objects have a home`);
  if (!reason) await log.pressAll(homeLines(scene, things));
  return reason;
}

/** Measure the distance between two things, and show it in the view. Returns why not, or "". */
export async function measure({ selection, contacts, log }: Bench): Promise<string> {
  const { things } = selection;
  const reason = stuck(things, (node) => node.kind === "object" || node.kind === "robot", (node) => `is a ${node.kind}; distances are measured between objects and robots`);
  if (reason || things.length !== 2) return reason || "Select exactly two things.";
  const [first, second] = things.map((node) => quoted(node.name)) as [string, string];
  const found = await log.value(`clearance between ${first} and ${second}`, "clearance", { first, second });
  if (found) contacts.measured = { pair: found.pair, length: found.distance, points: found.points as [number, number, number][] };
  return "";
}

/** Make one rigid object of the selected ones, in their place. Returns why not, or "". */
export async function composeAll({ selection, scene, log }: Bench): Promise<string> {
  const { things } = selection;
  const reason = stuck(things, (node) => node.kind === "object", (node) => `is a ${node.kind}; only objects become one`);
  if (reason) return reason;
  const taken = new Set([...scene.picture.nodes.values()].map((one) => one.name));
  const name = freeName(`${things[0]!.name}-`, taken);
  const parts = things.map((node) => ` of ${referenceOf(scene, node)}`).join("");
  if (await log.press(`compose ${quoted(name)}${parts} --remove-parts`)) selection.selectWhenThere(["object", name]);
  return "";
}

/** The properties that all things have, with their values; "" where they differ. */
export async function commonProperties({ scene, connection }: Bench, things: readonly TreeNode[]): Promise<Map<string, string>> {
  let common: Map<string, string> | undefined;
  if (things.length > MOST_ASKED || !things.every(isNamed)) return new Map();
  for (const node of things) {
    const shown = await connection.call("show", { thing: referenceOf(scene, node) });
    const known = "facts" in shown ? (shown.facts as { properties?: Record<string, unknown> }).properties : undefined;
    const own = new Map(propertiesOf(shown.text, known ?? {}).map(({ name, value }) => [name, value]));
    const both = [...(common ?? own)].filter(([name]) => own.has(name));
    common = new Map(both.map(([name, value]) => [name, own.get(name) === value ? value : ""]));
  }
  return common ?? new Map<string, string>();
}
