// The rows of the tree that are open, and those of them that are seen.
import type { TreeNode } from "./tree";

export interface Row {
  node: TreeNode;
  depth: number;
  open: boolean;
}

const FOLDED = new Set(["targets", "frames"]); // there may be hundreds
const FEW = 12;

/** Whether a line is open until the user opens or closes it: groups are, links are not, nor are many targets or frames. */
export function openAtFirst(node: TreeNode): boolean {
  return node.kind === "group" && (!FOLDED.has(node.id) || node.children.length <= FEW);
}

/** The rows in order: the lines whose parents are all open, or that match the text or hold a line that does. */
export function rowsOf(nodes: readonly TreeNode[], chosen: ReadonlyMap<string, boolean>, text: string): Row[] {
  const rows: Row[] = [];
  const visit = (node: TreeNode, depth: number, all: boolean): boolean => {
    const place = rows.length;
    const named = all || node.name.toLowerCase().includes(text);
    const open = node.children.length > 0 && (text !== "" || (chosen.get(node.id) ?? openAtFirst(node)));
    rows.push({ node, depth, open });
    let holds = named;
    if (open) for (const child of node.children) holds = visit(child, depth + 1, named) || holds;
    if (!holds) rows.length = place;
    return holds;
  };
  for (const node of nodes) visit(node, 0, text === "");
  return rows;
}

/** The first row and the one after the last that a window of some height shows, with a few on either side. */
export function seenRows(count: number, top: number, height: number, row: number, beside = 8): [number, number] {
  const first = Math.max(0, Math.floor(top / row) - beside);
  return [first, Math.min(count, Math.ceil((top + height) / row) + beside)];
}

/** Where rows of several heights begin, and where the last one ends [pixels]. */
export function topsOf(heights: readonly number[]): number[] {
  const tops = [0];
  for (const height of heights) tops.push(tops.at(-1)! + height);
  return tops;
}

/** As `seenRows`, for rows of several heights that begin at `tops`. */
export function seenAmong(tops: readonly number[], top: number, height: number, beside = 8): [number, number] {
  const count = tops.length - 1;
  const at = (place: number): number => {
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1]! <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return [Math.max(0, at(top) - beside), Math.min(count, at(top + height) + 1 + beside)];
}

/** How far a list is scrolled so that a row is seen, if possible as it is [pixels]. */
export function scrolledTo([top, bottom]: readonly [number, number], scrolled: number, height: number): number {
  return Math.min(top, Math.max(scrolled, bottom - height));
}

/** The ids of the lines from one row to another, the latter last; groups are left out. */
export function between(rows: readonly Row[], from: string, to: string): string[] {
  const [a, b] = [from, to].map((id) => rows.findIndex((row) => row.node.id === id)) as [number, number];
  if (b < 0) return [];
  const first = a < 0 ? b : a;
  const found = rows.slice(Math.min(first, b), Math.max(first, b) + 1).filter((row) => row.node.kind !== "group").map((row) => row.node.id);
  return first <= b ? found : found.reverse();
}
