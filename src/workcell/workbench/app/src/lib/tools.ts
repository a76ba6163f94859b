// The tools of the cell: which robots carry them, and the command lines that fit them and take them off.
import type { RobotInfo } from "./protocol";
import { referenceOf } from "./references";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

/** The kinds of things that are fitted to flanges. */
export const TOOLS: ReadonlySet<string> = new Set(["tool", "gripper"]);

export interface ToolOfCell {
  name: string;
  /** How commands name it. */
  reference: string;
  /** The robot that it is fitted to, by name; "" if it lies loose. */
  robot: string;
}

/** The tools that are fitted to robots or lie loose; grippers that belong to robots are none. */
export function toolsOf(scene: Scene): ToolOfCell[] {
  void scene.seen;
  const fitted = armsOf(scene).flatMap(({ name, tool, fitted }) => (fitted ? { name: tool, reference: `${fitted}:${quoted(tool)}`, robot: name } : []));
  const loose = (scene.tree ?? []).flatMap(({ children }) => children).filter(isLooseTool);
  return [...fitted, ...loose.map((node) => ({ name: node.name, reference: referenceOf(scene, node), robot: "" }))];
}

export const isLooseTool = ({ kind, note }: TreeNode): boolean => kind === "loose" && TOOLS.has(note);

/** The robots that have a flange. */
export function armsOf(scene: Scene): RobotInfo[] {
  void scene.seen;
  return [...scene.picture.robots.values()].filter(({ mechanism }) => !mechanism);
}

export const takeOffLine = (robot: string): string => `take-off robot:${quoted(robot)}`;

/** The lines that fit a tool to a robot, or only take it off its robot if `robot` is ""; what is on the flange before is taken off. */
export function fitLines(tool: ToolOfCell, robot: string, all: readonly ToolOfCell[]): string[] {
  if (tool.robot === robot) return [];
  const emptied = [tool.robot, ...(all.some((one) => one.robot === robot) ? [robot] : [])].filter((name) => name !== "");
  const fit = robot ? [`fit tool ${tool.reference} to robot:${quoted(robot)}`] : [];
  return [...emptied.map(takeOffLine), ...fit];
}
