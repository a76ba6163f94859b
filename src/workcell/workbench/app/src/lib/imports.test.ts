import { expect, it } from "vitest";
import type { ImportWay } from "./commands";
import { type Choice, importFiles, type ImportPage, lineOf, mainOnes, placeOf, type Sent } from "./imports";
import { Turns } from "./turns";

const units = { length: "mm", angle: "deg", lengthSize: 0.001, angleSize: Math.PI / 180 };
const wayOf = (file: string, more: Partial<ImportWay> = {}): ImportWay => ({
  makes: "",
  placing: "on",
  text: "",
  units: [],
  whole: false,
  script: false,
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
  const noted: string[] = [];
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
    log: { pressEach: (some: string[]) => Promise.resolve(some.map((line) => (lines.push(line), line.includes("bad") ? undefined : line.includes("looks") ? "the cell is as before" : some.length > 1 ? "`undo` reverts them with their step" : "one `undo` reverts all of them"))) },
    host: { cell: "", fetch },
    units,
    taken: () => ["peg-2"],
    ask: (files: readonly Sent[]) => Promise.resolve((asked.push(...files), choices)),
    open: (file: string) => Promise.resolve(void opened.push(file)),
    failed: (path: string, sentence: string) => failed.push(`${path}: ${sentence}`),
    noted: (path: string, sentence: string) => noted.push(`${path}: ${sentence}`),
    leftOut: (which: string, sentence: string) => failed.push(`${which}: ${sentence}`),
  };
  return { page: page as unknown as ImportPage, lines, failed, opened, asked, noted };
}

const URDF = '<robot><link><visual><geometry><mesh filename="package://arm/meshes/Base.stl"/></geometry></visual></link></robot>';
const beside = (urdf: string, ...paths: string[]) => [{ path: urdf, file: new File([URDF], urdf) }, ...dropped(...paths)];

it("reads a robot and not the meshes that it names", async () => {
  expect(await mainOnes(beside("arm/arm.urdf", "arm/meshes/base.stl"))).toEqual({ read: ["arm/arm.urdf"], left: [] });
  expect(await mainOnes(beside("arm.urdf", "base.stl"))).toEqual({ read: ["arm.urdf"], left: [] });
  expect(await mainOnes(dropped("a.step", "b.stl"))).toEqual({ read: ["a.step", "b.stl"], left: [] });
});

it("reads what is dropped beside a robot and does not belong to it, and names what it leaves out", async () => {
  expect((await mainOnes(beside("arm.urdf", "base.stl", "table.step"))).read).toEqual(["arm.urdf", "table.step"]);
  const { page, lines, failed } = pageWith(() => ({}));
  await importFiles(page, beside("arm/arm.urdf", "arm/meshes/base.stl", "arm/meshes/other.stl", "arm/README.txt", "table.step"));
  expect(lines).toEqual(["import solid arm dropped:/arm/arm.urdf --beside", "import solid table dropped:/table.step --beside"]);
  expect(failed).toEqual(["2 files: No robot refers to them: other.stl, README.txt. Drop the files that you need separately."]);
});

it("gives files of one name different names, since they are read by one message", async () => {
  const { page, lines } = pageWith((file) => ({ parameters: { name: file.includes("big") ? '"big box"' : "peg" } }));
  const made = await importFiles(page, dropped("a/peg.stl", "b/peg.stl", "a/big box.stl", "b/big box.stl"));
  expect(lines.map((line) => line.split(" dropped:")[0]!.split(' "dropped:')[0])).toEqual(["import solid peg", "import solid peg-3", 'import solid "big box"', 'import solid "big box-2"']);
  expect(made.map((one) => one.name)).toEqual(["peg", "peg-3", "big box", "big box-2"]);
});

it("sends all files of a drop to a folder of their own where another window sent one of their names", async () => {
  const { page, lines, failed } = pageWith(() => ({}));
  const usual = page.host.fetch;
  const sent: string[] = [];
  page.host.fetch = (path) => {
    sent.push(path);
    const taken = ["uploads/arm/meshes/base.stl", "uploads/2/arm/arm.urdf"].includes(path);
    return taken ? Promise.resolve(new Response("Another file was sent.", { status: 409 })) : usual(path);
  };
  await importFiles(page, beside("arm/arm.urdf", "arm/meshes/base.stl"));
  expect(lines).toEqual(["import solid arm dropped:/3/arm/arm.urdf --beside"]);
  expect(sent.slice(-2)).toEqual(["uploads/3/arm/arm.urdf", "uploads/3/arm/meshes/base.stl"]);
  expect(failed).toEqual([]);
});

it("asks and reads for one drop after the other", async () => {
  const turns = new Turns();
  const order: string[] = [];
  const { page } = pageWith(() => ({ whole: true }));
  let answer = () => {};
  page.ask = ([first]) => (order.push(`ask ${first!.path}`), new Promise((resolve) => (answer = () => resolve([{}]))));
  page.log.pressEach = (lines) => Promise.resolve(lines.map((line) => `${order.push(line.split(" ")[2]!)}`));
  const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
  const both = ["one.cell", "two.cell"].map((path) => turns.take(() => importFiles(page, dropped(path))));
  await settled();
  expect(order).toEqual(["ask one.cell"]);
  answer();
  await settled();
  expect(order).toEqual(["ask one.cell", "one", "ask two.cell"]);
  answer();
  await Promise.all(both);
  expect(order.at(-1)).toBe("two");
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
    "import solid h1 dropped:/h1.stl --beside",
    "import solid bad dropped:/bad.stl --beside",
    "import solid h2 dropped:/h2.stl --beside",
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

it("makes a program of a text or carries it out, and says which it was", async () => {
  const steps = { command: "load-program", placing: "", script: true, parameters: { name: "turns" } };
  const kept = pageWith(() => steps, [{ script: false }]);
  await importFiles(kept.page, dropped("turns.txt"));
  expect([kept.lines, kept.noted]).toEqual([["load-program turns dropped:/turns.txt"], ["turns.txt: Its lines are program turns."]]);
  const script = "Its lines were carried out as commands. Undo takes all of them back.";
  const done = pageWith(() => steps, [{ script: true }]);
  await importFiles(done.page, dropped("turns.txt"));
  expect([done.lines, done.noted]).toEqual([["load dropped:/turns.txt"], [`turns.txt: ${script}`]]);
  const refused = pageWith(() => ({ command: "load", placing: "", parameters: {} }));
  await importFiles(refused.page, dropped("bad.txt", "good.txt", "fine.txt", "looks.txt"));
  const carried = "Its lines were carried out as commands.";
  const once = `fine.txt: ${carried} Undo takes everything that was dropped back at once.`;
  expect([refused.asked, refused.noted]).toEqual([[], [`good.txt: ${carried}`, once, `looks.txt: ${carried}`]]); // `looks` has nothing to undo
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
