// Keeping what the panes show as views of the cell, and showing it again.
import type { Bench } from "./bench.svelte";
import type { ViewRow } from "./commands";
import { SHOWABLE } from "./tree";
import { quoted } from "./text";
import { lookLine, stateOf } from "./views.svelte";

/** The line that keeps a pane as a view, with what the window and the pane hide; "" without a camera. */
function viewLine(bench: Bench, pane: number, name: string): string {
  const camera = bench.view?.cameraOf(pane);
  const state = bench.panes.list[pane];
  if (!camera || !state) return "";
  const here = [...bench.selection.hidden].flatMap((id) => bench.scene.node(id) ?? []).filter((node) => SHOWABLE.has(node.kind));
  const hidden = [...new Set([...state.hides, ...here.map((node) => node.name)])];
  return lookLine(name, state, camera, hidden, bench.scene.units);
}

/** Keep a pane as a view, with what the window and the pane hide; a view of that name is changed. */
export async function keepView(bench: Bench, pane: number, name: string): Promise<boolean> {
  const line = viewLine(bench, pane, name);
  const done = line !== "" && (await bench.views.keep([line]));
  if (done) bench.panes.list[pane]!.view = name;
  return done;
}

/** Let a pane show a view. */
export function showView(bench: Bench, pane: number, row: ViewRow): void {
  bench.panes.become(pane, stateOf(row));
  bench.view?.look(pane, row);
}

/** Keep all panes as a sheet, as one step; those that show no view are kept as views first. */
export async function keepSheet(bench: Bench, name: string): Promise<void> {
  const panes = bench.panes.list.slice(0, bench.panes.count);
  const names = panes.map((pane, i) => pane.view || `${name}-${i + 1}`);
  const lines = panes.flatMap((pane, i) => (pane.view ? [] : viewLine(bench, i, names[i]!)));
  if (lines.includes("")) return;
  const done = await bench.views.keep([...lines, `look ${quoted(name)} of ${names.map(quoted).join(",")}`]);
  if (done) panes.forEach((pane, i) => (pane.view = names[i]!));
}

/** Show a sheet: as many panes as it has views, each with its own. */
export async function showSheet(bench: Bench, sheet: ViewRow): Promise<void> {
  const rows = sheet.views.flatMap((name) => bench.views.list.find((row) => row.name === name) ?? sideView(name)).slice(0, 4);
  bench.panes.shown = rows.length;
  await new Promise((resolve) => setTimeout(resolve, 50)); // until the panes are there
  rows.forEach((row, pane) => showView(bench, pane, row));
}

const SIDES: ReadonlySet<string> = new Set(["iso", "front", "back", "left", "right", "top", "bottom", "xz", "yz", "xy"]);

/** A side, such as top, as a view; nothing if there is no such side. */
function sideView(side: string): ViewRow[] {
  if (!SIDES.has(side)) return [];
  const plain = { surfaces: "shaded", edges: "feature", shadows: true, grid: true, axes: true, cut: null, along: null, shows: null, hides: [], views: [] };
  return [{ ...plain, name: side, eye: null, target: [0, 0, 0], side, projection: "", zoom: 1, twist: 0, near: 0 }];
}
