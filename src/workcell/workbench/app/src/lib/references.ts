// How commands name things. The page sends every name with its kind, because another thing may have the same name;
// the console shows it without its kind where the page knows no other thing of that name.
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

const KINDS = "robot|mechanism|tool|gripper|object|zone|sensor|target|frame|path|machine|station|curve|surface|program|view|light|signal";
const REFERENCE = new RegExp(`"[^"]*"|(?<!\\S)(?:${KINDS}):("[^"]*"|[^\\s"/]+)(?!\\S)`, "g");

/** How commands name a thing: with its kind. */
export function referenceOf(scene: Scene, node: Pick<TreeNode, "id" | "kind" | "name" | "note">): string {
  const mechanism = node.kind === "robot" && scene.picture.robots.get(node.id)?.mechanism;
  return `${mechanism ? "mechanism" : node.kind === "loose" || node.kind === "tool" ? node.note : node.kind}:${quoted(node.name)}`;
}

/** The line with names alone where `only` finds that no other thing has the name, and of a text of several lines the first. */
export function shortened(line: string, only: (name: string) => boolean): string {
  return line.replace(REFERENCE, (whole, name?: string) => (name !== undefined && only(name.replace(/^"(.*)"$/, "$1")) ? name : whole.replace(/(%0D)?%0A.*/, ' …"')));
}
