import { expect, test } from "vitest";
import { droppedFiles } from "./dropped";

type Folder = { [name: string]: string | Folder };
const PART = 2; // entries that a browser gives at once

/** An entry as a browser makes it: folders are read in parts, and an empty part is the end. */
function entry(name: string, content: string | Folder, above = ""): FileSystemEntry {
  const fullPath = `${above}/${name}`;
  if (typeof content === "string") {
    return { isFile: true, fullPath, name, file: (done: (file: File) => void) => done(new File([content], name)) } as unknown as FileSystemEntry;
  }
  const inside = Object.entries(content).map(([below, one]) => entry(below, one, fullPath));
  let read = 0;
  const readEntries = (done: (some: FileSystemEntry[]) => void) => done(inside.slice(read, (read += PART)));
  return { isFile: false, fullPath, name, createReader: () => ({ readEntries }) } as unknown as FileSystemEntry;
}

function transfer(entries: readonly FileSystemEntry[], files: readonly File[] = []): DataTransfer {
  return { items: entries.map((one) => ({ webkitGetAsEntry: () => one })), files } as unknown as DataTransfer;
}

test("everything in a dropped folder is found, in all parts of it, with its path", async () => {
  const arm = { "arm.urdf": "robot", meshes: { "a.stl": "1", "b.stl": "2", "c.stl": "3", high: { "d.stl": "4", "e.stl": "5" } }, empty: {} };
  const found = await droppedFiles(transfer([entry("arm", arm), entry("peg.step", "peg")]));
  expect(found.map(({ path }) => path).sort()).toEqual([
    "arm/arm.urdf",
    "arm/meshes/a.stl",
    "arm/meshes/b.stl",
    "arm/meshes/c.stl",
    "arm/meshes/high/d.stl",
    "arm/meshes/high/e.stl",
    "peg.step",
  ]);
  expect(await found.find(({ path }) => path.endsWith("d.stl"))!.file.text()).toBe("4");
});

test("files that have no entries are taken as they are", async () => {
  const found = await droppedFiles(transfer([], [new File(["1"], "a.stl")]));
  expect(found.map(({ path }) => path)).toEqual(["a.stl"]);
});

test("a file that cannot be read ends the drop with its reason", async () => {
  const broken = { isFile: true, fullPath: "/a.stl", file: (_: unknown, failed: (reason: Error) => void) => failed(new Error("gone")) } as unknown as FileSystemEntry;
  await expect(droppedFiles(transfer([broken]))).rejects.toThrow("gone");
});
