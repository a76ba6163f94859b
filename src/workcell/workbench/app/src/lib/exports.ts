// Exports: a command writes a file for this page to fetch, and the browser keeps it. Fetched when it is first needed.
import type { Bench } from "./bench.svelte";
import type { UnitNames } from "./protocol";
import { plain, quoted } from "./text";
import { decimals } from "./units";

/** Where commands write what the page fetches; it is not in the folder of the cell. */
const DOWNLOAD = "download:/";

/** The commands that write a file of the recording, by the ids of their actions, and the endings of the files. */
export const RUN_EXPORTS: Record<string, { ending: string; command: string }> = {
  animation: { ending: "glb", command: "export-animation" },
  table: { ending: "csv", command: "export-recording" },
  gantt: { ending: "svg", command: "gantt" },
  recording: { ending: "rec", command: "save-recording" },
};

/** A kind of thing that can be exported, and the endings of the files that it can be. */
export const FORMATS: Record<string, Record<string, string>> = {
  cell: { wld: "Work cell file (.wld)", celltext: "Text form of the cell (.celltext)", png: "Picture (.png)" },
  scene: { step: "STEP", stl: "STL", obj: "OBJ", glb: "glTF", robosim: "ROBOSIM source" },
  object: { step: "STEP", stl: "STL", obj: "OBJ", glb: "glTF", robosim: "ROBOSIM source" },
  robot: { toml: "Workcell robot file (.toml)", zip: "URDF with its meshes (.zip)", wld: "Work cell file (.wld)", robosim: "ROBOSIM source" },
  program: { txt: "Text" },
};

/** What is exported: the cell, or a thing by its kind and name; as which file; how. */
export interface Wanted {
  kind: string;
  name: string;
  ending: string;
  /** The unit of the numbers in an STL or OBJ file. */
  unit: string;
  /** The view and the size of a picture [pixels]. */
  view: string;
  size: readonly [number, number];
}

/** The command line that exports something. */
export function wantedLine(wanted: Wanted, file: string): string {
  const { kind, name, ending } = wanted;
  const thing = `${kind}:${quoted(name)}`;
  const path = quoted(file);
  if (ending === "png") return `render ${path} ${wanted.view} size ${wanted.size.join(" ")}`;
  if (kind === "cell") return ending === "wld" ? `export world ${path}` : `save ${path}`;
  if (kind === "program") return `save-program ${quoted(name)} ${path}`;
  if (ending === "robosim") return `export robosim ${thing} ${path}`;
  if (kind === "robot") return `export robot ${quoted(name)} ${path}`;
  return `export solid ${thing} ${path}${ending === "stl" || ending === "obj" ? ` ${wanted.unit}` : ""}`;
}

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

/** What a film is: its file ending, where its camera is (`own`: as the window looks; else a side or a named view), its size [pixels], its speed. */
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
  const point = (values: readonly number[]) => values.map((value) => plain(value / units.lengthSize, decimals(units.length, 2))).join(",");
  const own = film.side === "own" && camera;
  const seen = own ? `from ${point(camera.eye)} at ${point(camera.target)} field ${plain(camera.field / units.angleSize, decimals(units.angle))}${camera.parallel ? " --parallel" : ""}` : `view ${film.side === "own" ? "iso" : quoted(film.side)}`;
  return `film ${quoted(file)} ${seen} fps ${film.rate} factor ${film.factor} size ${film.size.join(" ")}${film.clock ? " --clock" : ""}`;
}

/** Write a file of the recording, and hand it to the user. */
export async function exportRun(bench: Bench, id: string): Promise<void> {
  const { ending, command } = RUN_EXPORTS[id]!;
  await exportFile(bench, nameFor(bench, ending), (path) => `${command} ${path}`);
}

/** Carry out the line that writes a file, and hand it to the user. @param line of a path, as the line has it. */
export async function exportFile(bench: Bench, file: string, line: (path: string) => string): Promise<void> {
  const path = DOWNLOAD + file;
  if (!(await bench.log.press(line(quoted(path))))) return;
  await bench.files.download(path);
  bench.messages.note("Exported", `${file} is in the downloads of your browser.`);
}

/** Export something as the user wants it. */
export async function exportWanted(bench: Bench, wanted: Wanted): Promise<void> {
  const base = wanted.kind === "cell" ? "" : wanted.name;
  const file = base ? freshName(base, new Date(), wanted.ending) : nameFor(bench, wanted.ending);
  await exportFile(bench, file, () => wantedLine(wanted, DOWNLOAD + file));
}

/** Hand the report of the run to the user, as text. */
export async function exportReport(bench: Bench): Promise<void> {
  const text = await bench.log.answer("report --limits");
  if (text === undefined) return;
  const file = nameFor(bench, "txt");
  bench.files.hand(file, new Blob([text, "\n"], { type: "text/plain" }));
  bench.messages.note("Exported", `${file} is in the downloads of your browser.`);
}
