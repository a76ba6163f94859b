// Copies of things, beside the originals, as one step of the history.
import { Matrix4 } from "three";
import type { Bench } from "./bench.svelte";
import { COPIED } from "./inspected.svelte";
import { referenceOf } from "./references";
import { freeName } from "./pendant.svelte";
import { fromRows, poseText } from "./rigid";
import { quoted } from "./text";
import type { TreeNode } from "./tree";

const ASIDE = 0.2; // m from an original to its copy
const AT_ONCE = 50; // places that are asked for before the first answer

/**
 * Copy things, with parts of their own if `deep`, put the copies beside them, and select the copies.
 * @returns whether it was done.
 */
export async function copyThings({ scene, connection, selection, pendant, log }: Bench, things: readonly TreeNode[], deep: boolean): Promise<boolean> {
  const stuck = things.filter((node) => !COPIED.has(node.kind));
  if (stuck.length > 0) throw new Error(stuck.map((node) => `${node.name}: a ${node.kind} cannot be copied.`).join(" "));
  const taken = new Set([...scene.picture.nodes.values()].map((one) => one.name));
  const lines: string[] = [];
  const made: [string, string][] = [];
  const places: number[][][] = [];
  for (let at = 0; at < things.length; at += AT_ONCE) {
    const asked = things.slice(at, at + AT_ONCE).map((node) => connection.call("moves-with", { thing: referenceOf(scene, node) }));
    places.push(...(await Promise.all(asked)).map(({ pose }) => pose));
  }
  for (const [i, node] of things.entries()) {
    const thing = referenceOf(scene, node);
    const name = freeName(`${node.name}-`, taken);
    taken.add(name);
    made.push([node.kind, name]);
    const beside = new Matrix4().makeTranslation(ASIDE, 0, 0).multiply(fromRows(places[i]!));
    lines.push(`copy ${thing} as ${quoted(name)}${deep ? " --deep" : ""}`);
    lines.push(`place ${thing.slice(0, thing.indexOf(":"))}:${quoted(name)} at ${poseText(beside, scene.units, pendant.convention)}`);
  }
  const done = await log.pressAll(lines);
  if (done) selection.selectWhenThere(...made);
  return done;
}
