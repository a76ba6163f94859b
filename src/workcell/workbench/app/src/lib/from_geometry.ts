// Targets from what is picked or selected: where a target on a face is, and what the card that makes paths of them begins with.
import { Matrix4, Vector3 } from "three";
import type { Bench } from "./bench.svelte";
import type { PatternAsked } from "./making.svelte";
import { linesOf } from "./nurbs";
import { freeName } from "./pendant.svelte";
import type { Pressed } from "./picking.svelte";
import { referenceOf } from "./references";
import { fromSeven, poseText, toSeven } from "./rigid";
import { alignToGrid, toMicrometres } from "./snapping";
import type { Spot } from "./spots";
import { stepFor } from "./target_patterns";

const UPRIGHT = 0.999;
const DOWN = [0, 0, 0, 0, 1, 0, 0]; // z against that of the frame

/** The pose at a point of a surface: z against its outward normal, x along that of the frame if the normal allows. */
export function facing(point: Vector3, normal: Vector3): Matrix4 {
  const z = normal.clone().normalize().negate();
  const along = new Vector3(...(Math.abs(z.x) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
  const x = along.addScaledVector(z, -along.dot(z)).normalize();
  return new Matrix4().makeBasis(x, z.clone().cross(x), z).setPosition(point);
}

/** The pose of a target where a face was pressed, with its body as it stands now. */
function poseOn({ picking, preferences }: Bench, face: Spot, pressed: Pressed, body: Matrix4): Matrix4 {
  const { snap, step } = preferences.hands;
  const facts = picking.facts(face);
  const flat = facts?.kind === "plane" ? picking.normal(face) : undefined;
  const point = pressed.point.clone().applyMatrix4(body);
  if (facts && flat) point.addScaledVector(flat, new Vector3(...facts.centre).applyMatrix4(body).sub(point).dot(flat));
  if (snap && flat) alignToGrid(point, flat, step);
  return toMicrometres(facing(point, flat ?? pressed.normal.clone().transformDirection(body)), new Matrix4());
}

/** Add a target where the chosen face was pressed; it moves with the thing. Returns why not, or "". */
export async function targetHere(bench: Bench): Promise<string> {
  const { picking, scene, poses, log, selection } = bench;
  const { chosen, pressed } = picking;
  const owner = chosen && picking.owner(chosen.body);
  if (!chosen || !pressed || !owner) return "Pick a face for the target.";
  const name = freeName("target", new Set([...scene.picture.nodes.values()].map((node) => node.name)));
  const done = await picking.work.run(async () => {
    await picking.named(chosen); // its normal is exact when its facts are here
    const stands = poses.of(chosen.body);
    if (!stands) return false; // it was removed meanwhile
    const pose = poseText(poseOn(bench, chosen, pressed, fromSeven(stands)), scene.units, bench.pendant.convention);
    const link = scene.picture.bodies.get(chosen.body)?.link ?? -1;
    return log.press(`add target ${name} ${pose} on ${referenceOf(scene, owner)}${link >= 0 ? ` link ${link}` : ""}`);
  });
  if (done) {
    picking.chosen = undefined;
    selection.selectWhenThere(["target", name]);
  }
  return "";
}

/** Open the card for targets along the chosen edge or over the chosen face. Returns why not, or "". */
export async function fromSpot(bench: Bench): Promise<string> {
  const { picking, making } = bench;
  const { chosen } = picking;
  const found = chosen && (await picking.named(chosen));
  if (!chosen) return "Pick a face or an edge.";
  if (!found?.facts || found.faces.length < (chosen.kind === "edge" ? 2 : 1)) return "Only faces and edges of objects have names for this command.";
  const edge = chosen.kind === "edge";
  const step = stepFor(edge ? picking.length(chosen) : Math.sqrt(found.facts.area));
  making.ask({ kind: edge ? "along-edge" : "over-face", id: found.node.id, faces: found.faces, step, flat: found.facts.kind === "plane" });
  return "";
}

/** Open the card for a grid of targets: on the chosen face, on the selected thing, or in the world. */
export async function grid(bench: Bench): Promise<string> {
  const { picking, selection, making } = bench;
  const { chosen } = picking;
  const found = chosen?.kind === "face" ? await picking.named(chosen) : undefined;
  const { node } = selection;
  const id = found?.node.id ?? (node?.kind === "object" ? node.id : "");
  const asked: PatternAsked = { kind: "grid", id, faces: [], step: stepFor(found?.facts ? Math.sqrt(found.facts.area) : 1), flat: true, first: DOWN };
  if (found?.facts) {
    const normal = new Vector3(...found.facts.normal);
    const centre = new Vector3(...found.facts.centre);
    if (Math.abs(normal.z) > UPRIGHT) centre.x -= asked.step;
    if (Math.abs(normal.z) > UPRIGHT) centre.y -= asked.step;
    asked.first = toSeven(facing(centre, normal));
  }
  making.ask(asked);
  return "";
}

/** Open the card for targets along the selected curve, or for the mirror image of the selected path. */
export function fromSelection(bench: Bench): Promise<string> {
  const { node } = bench.selection;
  const net = node && bench.forms.nets.get(node.id);
  if (node?.kind === "path") bench.making.ask({ kind: "mirror", id: node.id, faces: [], step: 0, flat: true });
  else if (node?.kind === "curve") {
    const points = net ? linesOf(net).flat().map((one) => new Vector3(...one)) : [];
    const whole = points.slice(1).reduce((sum, point, i) => sum + point.distanceTo(points[i]!), 0);
    bench.making.ask({ kind: "along-curve", id: node.id, faces: [], step: stepFor(whole), flat: true });
  } else return Promise.resolve("Select a curve or a path.");
  return Promise.resolve("");
}
