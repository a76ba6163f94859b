import { afterEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "./connection.svelte";
import { Imports, lineOf, mainOnes } from "./imports";
import type { Log } from "./log.svelte";

afterEach(() => vi.unstubAllGlobals());

describe("imports", () => {
  it("read a robot and not the meshes beside it", () => {
    expect(mainOnes(["arm/meshes/base.stl", "arm/arm.urdf", "arm/meshes/hand.stl"])).toEqual(["arm/arm.urdf"]);
    expect(mainOnes(["a.step", "b.stl"])).toEqual(["a.step", "b.stl"]);
  });

  it("name each file that cannot be read, and go on with the others", async () => {
    const lines: string[] = [];
    const failed: string[] = [];
    const way = (file: string) => ({ makes: "", placing: false, text: "", command: "import solid", parameters: { name: file } });
    const connection = {
      call: (_: string, { file }: { file: string }) =>
        file.endsWith(".txt") ? Promise.reject(new Error(`No way to read ${file}.`)) : Promise.resolve(way(file)),
    };
    const log = { press: (line: string) => Promise.resolve(lines.push(line) > 0) };
    vi.stubGlobal("fetch", (path: string) =>
      Promise.resolve(path === "huge.stl" ? new Response("Too large.", { status: 413 }) : new Response(JSON.stringify({ file: path }))),
    );
    const imports = new Imports(connection as never, log as never, (path) => path);
    const files = ["h1.stl", "readme.txt", "huge.stl", "h2.stl"].map((path) => ({ path, file: new File([], path) }));
    await imports.take(files, (path, sentence) => failed.push(`${path}: ${sentence}`));
    expect(lines).toEqual(["import solid h1.stl h1.stl", "import solid h2.stl h2.stl"]);
    expect(failed).toEqual(["huge.stl: Too large.", "readme.txt: No way to read readme.txt."]);
  });

  it("are commands as they would be typed", () => {
    const way = { makes: "a block", placing: true, text: "", command: "import solid", parameters: { name: '"big box"', unit: "mm" } };
    expect(lineOf(way, "/tmp/up loads/big box.stl")).toBe('import solid "big box" "/tmp/up loads/big box.stl" mm');
    expect(lineOf({ ...way, command: "import world", parameters: { file: "x" } }, "/tmp/a.wld")).toBe("import world /tmp/a.wld");
    expect(lineOf(way, '/tmp/3" 50% (new).stl')).toBe('import solid "big box" "/tmp/3%22 50%25 (new).stl" mm');
  });

  it("say that the server does not answer", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    const imports = new Imports({} as Connection, {} as Log, (name) => name);
    const failed = vi.fn();
    await imports.take([{ path: "a.stl", file: new File([], "a.stl") }], failed);
    expect(failed).toHaveBeenCalledExactlyOnceWith("a.stl", "The server does not answer; a.stl was not sent.");
  });
});
