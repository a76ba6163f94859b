// Robots and mechanisms that stand on others: what can carry one, and the command lines.
import type { Matrix4 } from "three";
import type { RobotInfo } from "./protocol";
import { referenceOf } from "./references";
import { type Convention, poseText } from "./rigid";
import type { Scene } from "./scene.svelte";

/** What can carry a robot: all others but belts and those that it carries itself; mechanisms, which are made for it, are first. No mechanism carries another one. */
export function carriersFor(robots: Iterable<RobotInfo>, robot: string): RobotInfo[] {
  const all = [...robots];
  const device = all.find(({ name }) => name === robot)?.mechanism;
  const above = (name: string, under: ReadonlySet<string> = new Set()): boolean => {
    const carrier = all.find((one) => one.name === name)?.carrier ?? "";
    return name === robot || (carrier !== "" && !under.has(name) && above(carrier, new Set([...under, name])));
  };
  const free = all.filter(({ name, belt, mechanism }) => !above(name) && !belt && !(device && mechanism));
  return [...free.filter(({ mechanism }) => mechanism), ...free.filter(({ mechanism }) => !mechanism)];
}

/** The links of a carrier, the base first, as a field lists them. */
export function linkNames({ joints }: Pick<RobotInfo, "joints">): string[] {
  const last = joints.length;
  return ["base", ...joints.map((_, i) => (i + 1 === last ? `link ${last}, the last` : `link ${i + 1}`))];
}

/** The line that mounts a robot on another one: on its last link where things are fixed there, or as stated. */
export function mountLine(scene: Scene, robot: RobotInfo, carrier: RobotInfo, stated?: { link: number; pose?: Matrix4; convention: Convention }): string {
  const named = (one: RobotInfo) => referenceOf(scene, { id: one.id, kind: "robot", name: one.name, note: "" });
  const pose = stated?.pose ? ` at ${poseText(stated.pose, scene.units, stated.convention)}` : "";
  return `mount ${named(robot)} on ${named(carrier)}${stated ? ` link ${stated.link}` : ""}${pose}`;
}
