// Files that the user drops or chooses: sent to the server, and read into the cell by the command that fits each.
import { ARCHIVE, unpacked } from "./archives";
import type { ImportWay } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Dropped } from "./dropped";
import { FileRefused } from "./files";
import { type Host, uploadPath } from "./host";
import type { Log } from "./log.svelte";
import type { UnitNames, Uploaded } from "./protocol";
import { plain, quoted, quotedFile } from "./text";
import { decimals } from "./units";

/** A file that was sent: its path among the dropped ones, its name in commands, and how it is read. */
export interface Sent {
  path: string;
  file: string;
  way: ImportWay;
}

/**
 * What the user chose for a file: the unit of its numbers; whether a cell is opened, and not copied into this one;
 * whether a text is carried out as a script, and does not become a program.
 */
export interface Choice {
  unit?: string;
  open?: boolean;
  script?: boolean;
}

/** A question about files whose unit nobody knows, or that can be read in two ways; without choices, nothing is imported. */
export interface ImportQuestion {
  files: readonly Sent[];
  answer: (choices?: readonly Choice[]) => void;
}

/** What an import needs of the page. */
export interface ImportPage {
  connection: Pick<Connection, "call">;
  log: Pick<Log, "pressEach">;
  /** Where files are sent. */
  host: Pick<Host, "cell" | "fetch">;
  units: UnitNames;
  /** The names of what stands in the scene. */
  taken: () => Iterable<string>;
  /** Let the user answer a question about files. */
  ask: (files: readonly Sent[]) => Promise<readonly Choice[] | undefined>;
  /** Open a cell that was sent, as another one. */
  open: (file: string) => Promise<void>;
  /** Called with the path of each file that was not sent or read, and why; the others go on. */
  failed: (path: string, sentence: string) => void;
  /** Called with the path of a text file, and what was made of it. */
  noted: (path: string, sentence: string) => void;
  /** Called with how many files were left out, and why. */
  leftOut: (which: string, sentence: string) => void;
}

/** A thing of the scene that an import made. */
export interface Imported {
  kind: string;
  name: string;
}

const ROBOT = /\.urdf$/i;
const TEXT = /\.txt$/i;
/** What is made of a text, by the command that reads it, and its answer. */
const TEXTS: Record<string, (name: string) => string> = {
  "load-program": (name) => `Its lines are program ${name}.`,
  load: () => "Its lines were carried out as commands.",
};
const UNDONE = /`undo`/;
const MOST_FOLDERS = 1000; // for files of one name
const NAMED = 6; // files that a message names

/**
 * Send files, then read each one, except those that a URDF file names: it reads them itself. All of them are one step of
 * the history, each is read whole or not at all, and if one of them is cancelled, none is read. Let one drop end before
 * the next one begins: they may have files of the same names.
 *
 * @param page carries the commands out.
 * @param dropped the files that were dropped or chosen; archives are unpacked.
 * @param spot where a single file was dropped in the scene [m].
 * @returns the things that stand in the scene now.
 */
export async function importFiles(page: ImportPage, dropped: readonly Dropped[], spot?: readonly number[]): Promise<Imported[]> {
  const attempt = async (path: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      page.failed(path, (error as Error).message);
    }
  };
  const files: Dropped[] = [];
  for (const one of dropped) await attempt(one.path, async () => files.push(...(ARCHIVE.test(one.path) ? await unpacked(one) : [one])));
  const kept = await sendAll(page, files);
  const { read, left } = await mainOnes(files);
  if (left.length > 0) page.leftOut(counted(left.length), `No robot refers to ${left.length > 1 ? "them" : "it"}: ${namesOf(left)}. Drop the files that you need separately.`);
  const sent: Sent[] = [];
  for (const path of read) {
    const file = kept.get(path);
    if (file) await attempt(path, async () => sent.push({ path, file, way: await page.connection.call("import-way", { file }) }));
  }
  const asked = sent.filter(({ way }) => way.units.length > 0 || way.whole || way.script);
  const choices = asked.length > 0 ? await page.ask(asked) : [];
  if (!choices) return [];
  const chosen = new Map(asked.map((one, i) => [one, choices[i] ?? {}]));
  const opened = sent.filter((one) => chosen.get(one)?.open);
  const others = sent.filter((one) => !opened.includes(one));
  const made = await readAll(page, others, chosen, others.length === 1 ? spot : undefined);
  for (const { path, file } of opened) await attempt(path, () => page.open(file)); // the last one is shown
  return made;
}

/** Read files by their commands, as one step; a command that is refused is left out. */
async function readAll(page: ImportPage, files: readonly Sent[], chosen: ReadonlyMap<Sent, Choice>, spot?: readonly number[]): Promise<Imported[]> {
  const taken = new Set(page.taken());
  const named = files.map((one) => (chosen.get(one)?.script ? { ...one, way: scriptOf(one) } : one)).map((one) => {
    const { name } = one.way.parameters;
    if (typeof name !== "string") return { ...one, name: "" };
    const free = freeOf(name.replace(/^"|"$/g, ""), taken); // files of one drop may have one name
    taken.add(free);
    return { ...one, name: free, way: { ...one.way, parameters: { ...one.way.parameters, name: quoted(free) } } };
  });
  const lines = named.map(({ way, file }, i) => {
    const unit = chosen.get(files[i]!)?.unit;
    return lineOf({ ...way, parameters: { ...way.parameters, ...(unit ? { unit } : {}) } }, file, placeOf(way, spot, page.units));
  });
  const answers = await page.log.pressEach(lines);
  const undone = named.map(({ path, way }, i) => way.command === "load" && TEXT.test(path) && UNDONE.test(answers[i] ?? "")).lastIndexOf(true);
  named.forEach(({ path, way, name }, i) => {
    const made = TEXTS[way.command];
    const undo = i === undone ? ` Undo takes ${lines.length > 1 ? "everything that was dropped back at once" : "all of them back"}.` : "";
    if (answers[i] !== undefined && made && TEXT.test(path)) page.noted(path, made(name) + undo);
  });
  return named.flatMap(({ way, name }, i) => (answers[i] !== undefined && way.placing && name ? [{ kind: way.placing === "at" ? "robot" : "object", name }] : []));
}

/** How a text is carried out as a script. */
const scriptOf = ({ way, file }: Sent): ImportWay => ({ ...way, command: "load", parameters: { file } });

/** A name that is not taken, with a number as the server gives it. */
function freeOf(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
  return free;
}

/** Send files; returns their names in commands by their paths. Where others have such a name already, all go to a folder of their own. */
async function sendAll(page: ImportPage, files: readonly Dropped[]): Promise<Map<string, string>> {
  for (let folder = 1; ; folder += 1) {
    const kept = new Map<string, string>();
    const failed = new Map<string, unknown>();
    for (const { path, file } of files) {
      try {
        kept.set(path, await send(page, folder > 1 ? `${folder}/${path}` : path, file));
      } catch (error) {
        failed.set(path, error);
        if (error instanceof NameTaken) break;
      }
    }
    if (folder < MOST_FOLDERS && [...failed.values()].some((error) => error instanceof NameTaken)) continue;
    failed.forEach((error, path) => page.failed(path, (error as Error).message));
    return kept;
  }
}

/** Another file was sent by that name. */
class NameTaken extends FileRefused {}

async function send(page: ImportPage, path: string, file: File): Promise<string> {
  const answer = await page.host.fetch(uploadPath(page.host, path), { method: "PUT", body: file }).catch(() => {
    throw new FileRefused(`The server does not answer; ${path} was not sent.`);
  });
  if (!answer.ok) throw new (answer.status === 409 ? NameTaken : FileRefused)(await answer.text());
  return ((await answer.json()) as Uploaded).file;
}

/**
 * The files to read, and those to leave out: what a robot names is read with it, and what lies in its folder and is not
 * named by it belongs to other robots, or is no model at all.
 */
export async function mainOnes(files: readonly Dropped[]): Promise<{ read: string[]; left: string[] }> {
  const robots = files.filter(({ path }) => ROBOT.test(path));
  const texts = (await Promise.all(robots.map(({ file }) => file.text()))).join("\n");
  const meshes = new Set(Array.from(texts.matchAll(/filename\s*=\s*["']([^"']+)["']/g), ([, file]) => lastOf(file!)));
  const folders = new Set(robots.map(({ path }) => folderOf(path)).filter((folder) => folder !== ""));
  const rest = files.filter((one) => !robots.includes(one) && (robots.length === 0 || !meshes.has(lastOf(one.path)))).map(({ path }) => path);
  const left = rest.filter((path) => folders.has(folderOf(path)));
  return { read: [...robots.map(({ path }) => path), ...rest.filter((path) => !left.includes(path))], left };
}

const lastOf = (path: string) => path.split("/").at(-1)!.toLowerCase();
/** The folder that was dropped; "" for a file by itself. */
const folderOf = (path: string) => (path.includes("/") ? path.split("/")[0]! : "");
const counted = (count: number) => (count > 1 ? `${count} files` : "a file");

function namesOf(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).map((path) => path.split("/").at(-1)!);
  return paths.length > NAMED ? `${shown.join(", ")} and ${paths.length - NAMED} more` : shown.join(", ");
}

/** Where a thing is put, as the command has it: where it was dropped [m], or beside everything. */
export function placeOf(way: ImportWay, spot: readonly number[] | undefined, units: UnitNames): string {
  if (!way.placing) return "";
  const point = spot?.map((value) => plain(value / units.lengthSize, decimals(units.length, 2))).join(",");
  return point ? `${way.placing} ${point}` : "--beside";
}

/** The command that reads a file, as it would be typed. */
export function lineOf(way: ImportWay, file: string, place = ""): string {
  const { name, unit, prefix, here } = way.parameters;
  const copied = typeof prefix === "string" ? `prefix ${prefix}${here ? " --here" : ""}` : "";
  return [way.command, name, quotedFile(file), unit, copied, place].filter((word) => typeof word === "string" && word !== "").join(" ");
}
