import type { Bench } from "../bench.svelte";
import type { Action } from "./action";

export function fileActions(bench: Bench): Action[] {
  const { cells } = bench;
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
      title: () => "STEP, STL, OBJ, glTF, URDF, WLD, ROBOSIM, programs, recordings; or drop it on the page",
      run: () => chooseFiles((file) => bench.attempt(`Not taken: ${file.name}`, () => bench.take(file))),
    },
    {
      id: "file.close",
      group: "File",
      label: "Close this cell",
      enabled: () => cells.current?.first === false,
      run: () => bench.attempt("Not closed", () => cells.close(cells.current!)),
    },
  ];
}

/** Let the user choose files of their machine. */
function chooseFiles(take: (file: File) => void): void {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
  input.onchange = () => [...(input.files ?? [])].forEach(take);
  input.click();
}
