// What carries targets and frames: an object, a robot or a frame; otherwise they stand in the world.
import type { NodeInfo } from "./protocol";
import { referenceOf } from "./references";
import type { Scene } from "./scene.svelte";
import { quoted } from "./text";

export const WORLD = "world";
const MOST = 200; // names that a field proposes
const CARRYING: ReadonlySet<string> = new Set(["robot", "object", "frame"]);

/** The things that may carry something else than themselves. */
function carriers(scene: Scene): NodeInfo[] {
  void scene.seen;
  return [...scene.picture.nodes.values()].filter((node) => CARRYING.has(node.kind));
}

/** The names that a field proposes. */
export function proposed(scene: Scene, except = ""): string[] {
  const names = carriers(scene).filter((node) => node.name !== except).map((node) => node.name);
  return [WORLD, ...[...new Set(names)].sort((a, b) => a.localeCompare(b, "en", { numeric: true })).slice(0, MOST)];
}

/** How a command names the thing that was typed; "" for the world. What the page does not know, the command may refuse. */
export function carrierOf(scene: Scene, typed: string): string {
  const name = typed.trim();
  if (!name || name === WORLD) return "";
  const found = carriers(scene).find((node) => node.name === name);
  return found ? referenceOf(scene, found) : quoted(name);
}

/** The name of the thing among the owners of a target or frame that carries it; a path places its targets. */
export function carrierAmong(scene: Scene, owners: readonly string[]): { name: string; path: boolean } {
  void scene.seen;
  const bare = owners.map((owner) => owner.slice(owner.indexOf(":") + 1).replace(/^"(.*)"$/, "$1"));
  const nodes = [...scene.picture.nodes.values()].filter((node) => bare.includes(node.name));
  const path = nodes.find((node) => node.kind === "path");
  return { name: (path ?? nodes.find((node) => CARRYING.has(node.kind)))?.name ?? WORLD, path: path !== undefined };
}
