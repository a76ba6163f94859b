import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

const RUN: [id: string, label: string][] = [
  ["animation", "Export an animation (glTF)"],
  ["table", "Export a table (CSV)"],
  ["gantt", "Export the Gantt chart (SVG)"],
  ["recording", "Export the recording"],
];

export function fileActions(bench: Bench): Action[] {
  const { cells, programs, time } = bench;
  const recorded = () => time.duration > 0;
  return [
    {
      id: "file.gallery",
      group: "File",
      label: "Open …",
      title: () => "Open a sample cell, a recent file or another cell file",
      keys: ["Ctrl+O"],
      icon: "group",
      run: () => (bench.opened = "gallery"),
    },
    {
      id: "file.new",
      group: "File",
      label: "New cell",
      run: () => bench.attempt("Cell not created", () => cells.make()),
    },
    {
      id: "file.save",
      group: "File",
      label: "Save",
      title: () =>
        programs.draft !== undefined ? "Save the typed lines of the program in the cell" : cells.current?.file ? "Save the recording in the file of the cell; everything else is in it already" : "Save the cell as a file",
      keys: ["Ctrl+S"],
      run: () => bench.attempt("Not saved", async () => (programs.draft === undefined ? save(bench) : void (await programs.keep()))),
    },
    {
      id: "file.save-as",
      group: "File",
      label: "Save as …",
      keys: ["Ctrl+Shift+S"],
      run: () => (bench.opened = "save-as"),
    },
    {
      id: "file.import",
      group: "File",
      label: "Import a file …",
      title: () => "STEP, STL, OBJ, glTF, COLLADA, URDF, WLD, ROBOSIM, cells, programs, scripts, recordings, ZIP archives. You can also drop files on the page",
      run: () => chooseFiles((files) => bench.take(files.map((file) => ({ path: file.name, file })))),
    },
    {
      id: "file.export",
      group: "File",
      label: "Export …",
      title: () => "The cell, or something in it: STEP, STL, OBJ, glTF, robot files, WLD, ROBOSIM, a picture, a program",
      run: () => (bench.opened = "export"),
    },
    {
      id: "file.close",
      group: "File",
      label: "Close this cell",
      enabled: () => cells.current?.first === false,
      run: () => bench.closeCell(cells.current!),
    },
    {
      id: "file.export-film",
      group: "File",
      part: "Recording",
      label: "Export a film …",
      enabled: recorded,
      run: () => (bench.opened = "film"),
    },
    ...RUN.map(([id, label]): Action => ({
      id: `file.export-${id}`,
      group: "File",
      part: "Recording",
      label,
      enabled: recorded,
      run: () => bench.attempt("Not exported", async () => (await import("../exports")).exportRun(bench, id)),
    })),
    {
      id: "file.export-report",
      group: "File",
      part: "Recording",
      label: "Export the report (text)",
      enabled: recorded,
      command: () => "report --limits",
      run: () => bench.attempt("Not exported", async () => (await import("../exports")).exportReport(bench)),
    },
  ];
}

/** Write the recording to the file of the cell, and confirm that; a cell without a file gets one. */
async function save(bench: Bench): Promise<void> {
  const file = bench.cells.current?.file;
  if (!file) return void (bench.opened = "save-as");
  const [head = "", ...notes] = (await bench.log.answer("save"))?.split("\n") ?? [];
  if (head) bench.messages.note(`${head.charAt(0).toUpperCase()}${head.slice(1)}.`, notes.join(" ") || file);
}

/** Let the user choose files of their machine. */
function chooseFiles(take: (files: File[]) => void): void {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.onchange = () => take([...(input.files ?? [])]);
  input.click();
}
