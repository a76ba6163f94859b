// The tree of the cell: things in groups, robots with links and tools, objects with several bodies.
import type { LooseThing } from "./commands";
import type { Picture } from "./picture";
import type { BodyInfo, NodeInfo } from "./protocol";

export interface TreeNode {
  id: string;
  name: string;
  /** A loose thing stands nowhere and is part of nothing. Its note, and that of a fitted tool, is its kind in the cell; the own gripper of a robot has none. */
  kind: NodeInfo["kind"] | "group" | "link" | "tool" | "body" | "loose";
  note: string;
  bodies: string[];
  children: TreeNode[];
}

const GROUPS: [NodeInfo["kind"], string][] = [
  ["robot", "Robots"],
  ["machine", "Machines"],
  ["station", "Stations"],
  ["object", "Objects"],
  ["zone", "Zones"],
  ["sensor", "Sensors"],
  ["target", "Targets"],
  ["frame", "Frames"],
  ["path", "Paths"],
  ["curve", "Curves"],
  ["surface", "Patches"],
  ["program", "Programs"],
  ["view", "Views"],
  ["light", "Lamps"],
];

export function treeOf(picture: Picture): TreeNode[] {
  const owned = new Map<string, BodyInfo[]>();
  for (const body of picture.bodies.values()) {
    const list = owned.get(body.owner);
    if (list) list.push(body);
    else owned.set(body.owner, [body]);
  }
  const byKind = new Map<string, NodeInfo[]>();
  for (const node of picture.nodes.values()) {
    const list = byKind.get(node.kind);
    if (list) list.push(node);
    else byKind.set(node.kind, [node]);
  }
  return GROUPS.flatMap(([kind, title]) => {
    const nodes = (byKind.get(kind) ?? []).sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
    if (nodes.length === 0) return [];
    const children = nodes.map((node) => lineOf(picture, node, owned.get(node.id) ?? []));
    return [{ id: title.toLowerCase(), name: title, kind: "group", note: "", bodies: [], children } satisfies TreeNode];
  });
}

/** The group of things that stand nowhere; none if there are none. What has come into the picture since, or onto a flange, is left out. */
export function looseGroup(things: readonly LooseThing[], note: string, picture: Picture): TreeNode[] {
  const fitted = [...picture.robots.values()].map(({ fitted, tool }) => ({ kind: fitted, name: tool }));
  const placed = new Set([...picture.nodes.values(), ...fitted].map(({ kind, name }) => `${kind}:${name}`));
  const children = things.filter(({ kind, name }) => !placed.has(`${kind}:${name}`)).map(({ id, kind, name }) => leaf(id, name, "loose", kind, []));
  if (children.length === 0) return [];
  return [{ id: "loose", name: "Not placed", kind: "group", note, bodies: [], children }];
}

function lineOf(picture: Picture, node: NodeInfo, bodies: BodyInfo[]): TreeNode {
  const ids = bodies.map((body) => body.id);
  const line = { id: node.id, name: node.name, kind: node.kind, note: node.note, bodies: ids };
  if (node.kind === "robot") return { ...line, children: linksOf(picture, node.id, bodies) };
  if (node.kind !== "object") return { ...line, children: [] };
  const ghost = bodies.every((body) => body.pieces.length > 0 && body.pieces.every((piece) => piece.ghost));
  const note = ghost ? "ghost" : bodies.some((body) => body.movable) ? "" : "fixed";
  const children = bodies.length < 2 ? [] : bodies.map((body) => leaf(body.id, body.name, "body", "", [body.id]));
  return { ...line, note, children };
}

function linksOf(picture: Picture, robot: string, bodies: BodyInfo[]): TreeNode[] {
  const { joints = [], tool = "", hand = [], fitted = "" } = picture.robots.get(robot) ?? {};
  const links = [...new Set(bodies.map((body) => body.link))].sort((a, b) => a - b);
  const lines = links.map((link) => {
    const ids = bodies.filter((body) => body.link === link && !hand.includes(body.id)).map((body) => body.id);
    const note = link === 0 ? "" : (joints[link - 1]?.name ?? "");
    return leaf(`${robot}#${link}`, link === 0 ? "Base" : `Link ${link}`, "link", note, ids);
  });
  const known = new Set(bodies.map((body) => body.id));
  return tool ? [...lines, leaf(`${robot}#tool`, tool, "tool", fitted, hand.filter((id) => known.has(id)))] : lines;
}

function leaf(id: string, name: string, kind: TreeNode["kind"], note: string, bodies: string[]): TreeNode {
  return { id, name, kind, note, bodies, children: [] };
}

/** The kinds of things that a view shows or hides. */
export const SHOWABLE: ReadonlySet<string> = new Set(["robot", "object", "zone", "sensor"]);

/** The ids of the bodies and zones that a view does not show: all but those it names, and those it hides. What stands nowhere is in no view that names things. */
export function hiddenIn(tree: readonly TreeNode[], shows: readonly string[] | null, hides: readonly string[]): Set<string> {
  const found = new Set<string>();
  if (!shows && hides.length === 0) return found;
  for (const node of tree.flatMap((group) => group.children)) {
    if (node.kind === "loose" && shows) found.add(node.id);
    if (!SHOWABLE.has(node.kind) || (!hides.includes(node.name) && (shows?.includes(node.name) ?? true))) continue;
    for (const id of [node.id, ...node.bodies]) found.add(id);
  }
  return found;
}
