// The named views of the cell, which `render` knows: a pane is saved as one, and shows one.
import { AskedRows } from "./asked_rows.svelte";
import type { ViewRow } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Log } from "./log.svelte";
import type { Scene } from "./scene.svelte";
import { plain, quoted } from "./text";
import type { PaneState } from "./panes.svelte";
import type { UnitNames } from "./protocol";
import { decimals } from "./units";
import type { Surfaces, Triple } from "./view/appearance";

/** The camera of a pane: where it is and what it looks at [m], and how much larger than usual its picture is. */
export interface CameraState {
  from: Triple;
  at: Triple;
  zoom: number;
  /** Whether somebody moved it, so that it does not follow what is new. */
  moved?: boolean;
}

const QUIET = 120; // ms after a change
const SQUARE_ON: ReadonlySet<string> = new Set(["front", "back", "left", "right", "top", "bottom", "xz", "yz", "xy"]);

export class Views extends AskedRows<ViewRow> {
  constructor(connection: Connection, scene: Scene, log: Log) {
    super(connection, scene, log, QUIET);
  }

  protected fetch(): Promise<readonly ViewRow[]> | undefined {
    const any = [...this.scene.picture.nodes.values()].some((node) => node.kind === "view");
    return any ? this.connection.call("views", {}).then(({ views }) => views) : undefined;
  }

  /** Views, without sheets. */
  get single(): ViewRow[] {
    return this.list.filter((row) => row.views.length === 0);
  }

  /** Sheets: several views side by side. */
  get sheets(): ViewRow[] {
    return this.list.filter((row) => row.views.length > 0);
  }

  /** Carry out the lines that keep panes as views, and views as a sheet, as one step. */
  keep(lines: readonly string[]): Promise<boolean> {
    return this.log.pressAll(lines);
  }

  rename(row: ViewRow, name: string): Promise<boolean> {
    return this.log.press(`modify view:${quoted(row.name)} name ${quoted(name)}`);
  }

  remove(row: ViewRow): Promise<boolean> {
    return this.log.press(`remove view:${quoted(row.name)}`);
  }

  /** A name that no view has. */
  freeName(stem: string): string {
    const taken = new Set(this.list.map((row) => row.name));
    for (let i = 1; ; i += 1) if (!taken.has(`${stem}${i}`)) return `${stem}${i}`;
  }
}

/** The command that keeps a pane as a view; lengths are in the unit of the cell, those of the camera rounded to a tenth of a millimetre. */
export function lookLine(name: string, pane: PaneState, { from, at, zoom }: CameraState, hidden: readonly string[], units: UnitNames): string {
  const length = (value: number, fewer = 0) => plain(value / units.lengthSize, decimals(units.length, fewer));
  const point = (values: Triple, fewer = 0) => values.map((value) => length(value, fewer)).join(",");
  const yes = (on: boolean) => (on ? "yes" : "no");
  const { section } = pane;
  return [
    `look ${quoted(name)} from ${point(from, 2)} at ${point(at, 2)} twist ${plain((pane.twist * 180) / Math.PI, 4)}deg zoom ${plain(zoom, 4)}`,
    ...(pane.near > 0 ? [`near ${length(pane.near)}`] : []),
    `projection ${pane.parallel ? "parallel" : "perspective"} as ${pane.surfaces} edges ${pane.edges ? "feature" : "none"}`,
    `shadows ${yes(pane.shadows)} grid ${yes(pane.grid)} axes ${yes(pane.axes)}`,
    section ? `cut ${point(section.normal.map((one) => one * section.at) as Triple)} along ${section.normal.map((one) => plain(one, 6)).join(",")}` : "--whole",
    `hiding "${hidden.join(",")}"`,
  ].join(" ");
}

/** Whether a camera looks along an axis of the world. */
function alongAxis(eye: readonly number[], target: readonly number[]): boolean {
  const way = eye.map((value, i) => Math.abs(value - target[i]!));
  const far = Math.max(...way);
  return way.filter((value) => value > 1e-3 * far).length === 1;
}

/** What a pane becomes that shows a view; its camera is another matter. */
export function stateOf(row: ViewRow): PaneState {
  const { cut, along } = row;
  const fromSide = row.eye === null ? SQUARE_ON.has(row.side) : alongAxis(row.eye, row.target);
  const square = fromSide && (row.projection === "parallel" || (row.projection === "" && row.eye === null));
  return {
    surfaces: row.surfaces as Surfaces,
    edges: row.edges !== "none",
    shadows: row.shadows,
    grid: row.grid,
    axes: row.axes,
    section: cut && along ? { normal: along, at: cut.reduce((sum, one, i) => sum + one * along[i]!, 0) } : null,
    parallel: row.projection === "parallel" || square,
    square,
    twist: row.twist,
    near: row.near,
    view: row.name,
    shows: row.shows,
    hides: row.hides,
  };
}
