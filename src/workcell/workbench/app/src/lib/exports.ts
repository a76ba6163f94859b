// Exports of the recording: a command writes a file into the folder of the cell, and the browser takes it from there.
import type { Bench } from "./bench.svelte";
import { quoted } from "./text";

export interface Export {
  id: string;
  label: string;
  ending: string;
  /** The command line that writes the file. */
  line: (file: string) => string;
}

export const EXPORTS: readonly Export[] = [
  { id: "film-gif", label: "Export a film (GIF)", ending: "gif", line: (file) => `film ${quoted(file)} --clock` },
  { id: "film-mp4", label: "Export a film (MP4)", ending: "mp4", line: (file) => `film ${quoted(file)} --clock` },
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

/** Write a file of the recording, and hand it to the user. */
export async function exportRun(bench: Bench, kind: Export): Promise<void> {
  const file = nameFor(bench, kind.ending);
  if (!(await bench.log.press(kind.line(file)))) return;
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
