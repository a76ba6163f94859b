import type { Bench } from "../bench.svelte";
import { EXPORTS, exportReport, exportRun } from "../exports";
import type { Action } from "./action";

export function fileActions(bench: Bench): Action[] {
  const { cells, time } = bench;
  const recorded = () => time.duration > 0;
  return [
    {
      id: "file.gallery",
      group: "File",
      label: "Sample cells and recent files",
      keys: ["Ctrl+O"],
      icon: "group",
      run: () => (bench.opened = "gallery"),
    },
    {
      id: "file.new",
      group: "File",
      label: "New cell",
      run: () => bench.attempt("No new cell", () => cells.make()),
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
      title: () => "STEP, STL, OBJ, glTF, URDF, WLD, ROBOSIM, cells, scripts, recordings; or drop it on the page",
      run: () => chooseFiles((files) => bench.take(files.map((file) => ({ path: file.name, file })))),
    },
    {
      id: "file.export-film",
      group: "File",
      label: "Export a film …",
      enabled: recorded,
      command: () => "film run.gif",
      run: () => (bench.opened = "film"),
    },
    ...EXPORTS.map((kind): Action => ({
      id: `file.export-${kind.id}`,
      group: "File",
      label: kind.label,
      enabled: recorded,
      command: () => kind.line(`run.${kind.ending}`),
      run: () => bench.attempt("Not exported", () => exportRun(bench, kind)),
    })),
    {
      id: "file.export-report",
      group: "File",
      label: "Export the report (text)",
      enabled: recorded,
      command: () => "report --limits",
      run: () => bench.attempt("Not exported", () => exportReport(bench)),
    },
    {
      id: "file.close",
      group: "File",
      label: "Close this cell",
      enabled: () => cells.current?.first === false,
      run: () => bench.closeCell(cells.current!),
    },
  ];
}

/** Let the user choose files of their machine. */
function chooseFiles(take: (files: File[]) => void): void {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.onchange = () => take([...(input.files ?? [])]);
  input.click();
}
