import { expect, it } from "vitest";
import type { ImportWay } from "./commands";
import { type Choice, importFiles, type ImportPage, lineOf, mainOnes, placeOf, type Sent } from "./imports";

const units = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const wayOf = (file: string, more: Partial<ImportWay> = {}): ImportWay => ({
  makes: "",
  placing: "on",
  text: "",
  units: [],
  whole: false,
  command: "import solid",
  parameters: { name: file.split("/").at(-1)!.replace(/\..*$/, "") },
  ...more,
});
const dropped = (...paths: string[]) => paths.map((path) => ({ path, file: new File([], path) }));

/** A page whose server knows the ways of files; `lines` are the commands that it was given. */
function pageWith(ways: (file: string) => Partial<ImportWay>, choices: readonly Choice[] | undefined = []) {
  const lines: string[] = [];
  const failed: string[] = [];
  const opened: string[] = [];
  const asked: Sent[] = [];
  const fetch = (path: string) =>
    Promise.resolve(
      path === "uploads/huge.stl" ? new Response("Too large.", { status: 413 }) : new Response(JSON.stringify({ file: path.replace("uploads", "dropped:") })),
    );
  const page = {
    connection: {
      call: (_: string, { file }: { file: string }) =>
        file.endsWith(".docx") ? Promise.reject(new Error(`No way to read ${file}.`)) : Promise.resolve(wayOf(file, ways(file))),
    },
    log: {
      press: (line: string) => Promise.resolve(lines.push(line) > 0),
      answer: (line: string) => Promise.resolve(lines.push(line) > 0 && !line.includes("bad") ? "done" : undefined),
    },
    host: { cell: "", fetch },
    units,
    ask: (files: readonly Sent[]) => Promise.resolve((asked.push(...files), choices)),
    open: (file: string) => Promise.resolve(void opened.push(file)),
    failed: (path: string, sentence: string) => failed.push(`${path}: ${sentence}`),
  };
  return { page: page as unknown as ImportPage, lines, failed, opened, asked };
}

it("reads a robot and not the meshes beside it", () => {
  expect(mainOnes(["arm/meshes/base.stl", "arm/arm.urdf", "arm/meshes/hand.stl"])).toEqual(["arm/arm.urdf"]);
  expect(mainOnes(["a.step", "b.stl"])).toEqual(["a.step", "b.stl"]);
});

it("makes and places a thing by one command, so that nothing is half done", async () => {
  const { page, lines } = pageWith(() => ({ parameters: { name: "peg", unit: "mm" } }));
  expect(await importFiles(page, dropped("peg.stl"), [0.3, 0, 0.05])).toEqual([{ kind: "object", name: "peg" }]);
  expect(lines).toEqual(["import solid peg dropped:/peg.stl mm on 300,0,50"]);
});

it("names each file that cannot be read, and goes on with the others as one step", async () => {
  const { page, lines, failed } = pageWith(() => ({}));
  const made = await importFiles(page, dropped("h1.stl", "readme.docx", "huge.stl", "bad.stl", "h2.stl"), [1, 0, 0]);
  expect(lines).toEqual([
    "group",
    "import solid h1 dropped:/h1.stl --beside",
    "import solid bad dropped:/bad.stl --beside",
    "import solid h2 dropped:/h2.stl --beside",
    "end",
  ]);
  expect(failed).toEqual(["huge.stl: Too large.", "readme.docx: No way to read dropped:/readme.docx."]);
  expect(made.map((one) => one.name)).toEqual(["h1", "h2"]);
});

it("asks for the unit of a mesh, and reads nothing if the question is cancelled", async () => {
  const mesh = { parameters: { name: "peg", unit: "m" }, units: [{ unit: "mm", size: "0.4 mm" }, { unit: "m", size: "400 mm" }] };
  const chosen = pageWith(() => mesh, [{ unit: "inch" }]);
  await importFiles(chosen.page, dropped("peg.stl"));
  expect(chosen.asked.map((one) => one.path)).toEqual(["peg.stl"]);
  expect(chosen.lines).toEqual(["import solid peg dropped:/peg.stl inch --beside"]);
  const cancelled = pageWith(() => mesh, undefined);
  cancelled.page.ask = () => Promise.resolve(undefined);
  await importFiles(cancelled.page, dropped("peg.stl"));
  expect(cancelled.lines).toEqual([]);
});

it("opens a cell or copies it into this one, as the user chooses", async () => {
  const cell = { command: "load", placing: "", whole: true, parameters: { prefix: "line-", here: true } };
  const opening = pageWith(() => cell, [{ open: true }]);
  await importFiles(opening.page, dropped("line.cell"));
  expect([opening.opened, opening.lines]).toEqual([["dropped:/line.cell"], []]);
  const merging = pageWith(() => cell, [{ open: false }]);
  await importFiles(merging.page, dropped("line.cell"));
  expect([merging.opened, merging.lines]).toEqual([[], ["load dropped:/line.cell prefix line- --here"]]);
});

it("writes commands as they would be typed", () => {
  const way = wayOf("", { parameters: { name: '"big box"', unit: "mm" } });
  expect(lineOf(way, "dropped:/big box.stl", "--beside")).toBe('import solid "big box" "dropped:/big box.stl" mm --beside');
  expect(lineOf(wayOf("", { command: "import world", parameters: { file: "x" } }), "dropped:/a.wld")).toBe("import world dropped:/a.wld");
  expect(lineOf(way, 'dropped:/3" 50% (new).stl')).toBe('import solid "big box" "dropped:/3%22 50%25 (new).stl" mm');
  expect(placeOf(wayOf("", { placing: "at" }), [1.23456, -0.5, 0], { ...units, length: "m", lengthSize: 1 })).toBe("at 1.2346,-0.5,0");
});

it("reports that the server does not answer", async () => {
  const { page, failed } = pageWith(() => ({}));
  page.host.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  await importFiles(page, dropped("a.stl"));
  expect(failed).toEqual(["a.stl: The server does not answer; a.stl was not sent."]);
});
