// Keeping what the panes show as views of the cell, and showing it again.
import type { Bench } from "./bench.svelte";
import type { ViewRow } from "./commands";
import { SHOWABLE } from "./tree";
import { stateOf } from "./views.svelte";

/** Keep a pane as a view, with what the window and the pane hide. */
export async function keepView(bench: Bench, pane: number, name: string): Promise<boolean> {
  const camera = bench.view?.cameraOf(pane);
  const state = bench.panes.list[pane];
  if (!camera || !state) return false;
  const here = [...bench.selection.hidden].flatMap((id) => bench.scene.node(id) ?? []).filter((node) => SHOWABLE.has(node.kind));
  const hidden = [...new Set([...state.hides, ...here.map((node) => node.name)])];
  const done = await bench.views.save(name, state, camera, hidden);
  if (done) state.view = name;
  return done;
}

/** Let a pane show a view. */
export function showView(bench: Bench, pane: number, row: ViewRow): void {
  bench.panes.become(pane, stateOf(row));
  bench.view?.look(pane, row);
}

/** Keep all panes as a sheet; those that show no view are kept as views first. */
export async function keepSheet(bench: Bench, name: string): Promise<void> {
  const names: string[] = [];
  for (let pane = 0; pane < bench.panes.count; pane += 1) {
    const view = bench.panes.list[pane]!.view || `${name}-${pane + 1}`;
    if (!bench.panes.list[pane]!.view && !(await keepView(bench, pane, view))) return;
    names.push(view);
  }
  await bench.views.arrange(name, names);
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
