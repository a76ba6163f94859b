// Exports of the recording: a command writes a file into the folder of the cell, and the browser takes it from there.
import type { Bench } from "./bench.svelte";
import type { UnitNames } from "./protocol";
import { plain, quoted } from "./text";

export interface Export {
  id: string;
  label: string;
  ending: string;
  /** The command line that writes the file. */
  line: (file: string) => string;
}

export const EXPORTS: readonly Export[] = [
  { id: "animation", label: "Export an animation (glTF)", ending: "glb", line: (file) => `export-animation ${quoted(file)}` },
  { id: "table", label: "Export a table (CSV)", ending: "csv", line: (file) => `export-recording ${quoted(file)}` },
  { id: "gantt", label: "Export the Gantt chart (SVG)", ending: "svg", line: (file) => `gantt ${quoted(file)}` },
  { id: "recording", label: "Export the recording", ending: "rec", line: (file) => `save-recording ${quoted(file)}` },
];

/** A name that is free: the name of the cell and the moment. Commands that overwrite files find none. */
export function freshName(cell: string, moment: Date, ending: string): string {
  const base = cell.replace(/\.cell$/i, "").replace(/[^\p{L}\p{N}_-]+/gu, "-").replace(/^-+|-+$/g, "");
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${moment.getFullYear()}${two(moment.getMonth() + 1)}${two(moment.getDate())}`;
  const time = `${two(moment.getHours())}${two(moment.getMinutes())}${two(moment.getSeconds())}`;
  return `${base || "run"}-${day}-${time}.${ending}`;
}

/** The name of this cell's next file. */
export function nameFor(bench: Bench, ending: string): string {
  return freshName(bench.cells.current?.name ?? "", new Date(), ending);
}

export const FILM_SIZES = [[640, 360], [960, 540], [1280, 720], [1920, 1080]] as const;

/** What a film is: its file ending, where its camera is (`own`: as the window looks), its size [pixels], its speed. */
export interface Film {
  ending: string;
  side: string;
  size: readonly [number, number];
  /** Simulated seconds for each second of the film, and pictures per second. */
  factor: number;
  rate: number;
  clock: boolean;
}

/** Where a camera is and what it looks at [m], what it sees from top to bottom [rad], and whether sizes are true. */
export interface CameraPlace {
  eye: readonly number[];
  target: readonly number[];
  field: number;
  parallel: boolean;
}

/** The command line of a film. */
export function filmLine(film: Film, file: string, camera: CameraPlace | undefined, units: UnitNames): string {
  const point = (values: readonly number[]) => values.map((value) => plain(value / units.lengthSize, units.length === "mm" ? 1 : 4)).join(",");
  const own = film.side === "own" && camera;
  const seen = own ? `from ${point(camera.eye)} at ${point(camera.target)} field ${plain(camera.field / units.angleSize, 4)}${camera.parallel ? " --parallel" : ""}` : `view ${film.side === "own" ? "iso" : film.side}`;
  return `film ${quoted(file)} ${seen} fps ${film.rate} factor ${film.factor} size ${film.size.join(" ")}${film.clock ? " --clock" : ""}`;
}

/** Write a file of the recording, and hand it to the user. */
export async function exportRun(bench: Bench, kind: Export): Promise<void> {
  const file = nameFor(bench, kind.ending);
  await exportFile(bench, file, kind.line(file));
}

/** Carry out the line that writes a file, and hand it to the user. */
export async function exportFile(bench: Bench, file: string, line: string): Promise<void> {
  if (!(await bench.log.press(line))) return;
  await bench.files.download(file);
  bench.messages.note(`Exported: ${file}`, "It is also in the folder of the cell.");
}

/** Hand the report of the run to the user, as text. */
export async function exportReport(bench: Bench): Promise<void> {
  const { text } = await bench.connection.call("report", { limits: true });
  const file = nameFor(bench, "txt");
  bench.files.hand(file, new Blob([text, "\n"], { type: "text/plain" }));
  bench.messages.note(`Exported: ${file}`, "The command report --limits shows the same text.");
}
