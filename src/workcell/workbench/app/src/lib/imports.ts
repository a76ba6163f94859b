// Files that the user drops or chooses: sent to the server, and read into the cell by the command that fits each.
import type { ImportWay } from "./commands";
import type { Connection } from "./connection.svelte";
import type { Dropped } from "./dropped";
import { FileRefused } from "./files";
import { type Host, uploadPath } from "./host";
import type { Log } from "./log.svelte";
import type { UnitNames, Uploaded } from "./protocol";
import { plain, quotedFile } from "./text";

/** A file that was sent: its path among the dropped ones, its name in commands, and how it is read. */
export interface Sent {
  path: string;
  file: string;
  way: ImportWay;
}

/** What the user chose for a file: the unit of its numbers; whether a cell is opened, and not copied into this one. */
export interface Choice {
  unit?: string;
  open?: boolean;
}

/** A question about files whose unit nobody knows, or that are cells; without choices, nothing is imported. */
export interface ImportQuestion {
  files: readonly Sent[];
  answer: (choices?: readonly Choice[]) => void;
}

/** What an import needs of the page. */
export interface ImportPage {
  connection: Pick<Connection, "call">;
  log: Pick<Log, "press" | "answer">;
  /** Where files are sent. */
  host: Pick<Host, "cell" | "fetch">;
  units: UnitNames;
  /** Let the user answer a question about files. */
  ask: (files: readonly Sent[]) => Promise<readonly Choice[] | undefined>;
  /** Open a cell that was sent, as another one. */
  open: (file: string) => Promise<void>;
  /** Called with the path of each file that was not sent or read, and why; the others go on. */
  failed: (path: string, sentence: string) => void;
}

/** A thing of the scene that an import made. */
export interface Imported {
  kind: string;
  name: string;
}

const ROBOT = /\.urdf$/i;

/**
 * Send files, then read each one; of files beside a URDF file only that is read, since it names the others. All of them
 * are one step of the history, and each is read whole or not at all.
 *
 * @param page carries the commands out.
 * @param files what was dropped or chosen.
 * @param spot where a single file was dropped in the scene [m].
 * @returns the things that stand in the scene now.
 */
export async function importFiles(page: ImportPage, files: readonly Dropped[], spot?: readonly number[]): Promise<Imported[]> {
  const sent: Sent[] = [];
  const kept = new Map<string, string>();
  const attempt = async (path: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      page.failed(path, (error as Error).message);
    }
  };
  for (const { path, file } of files) await attempt(path, async () => kept.set(path, await send(page, path, file)));
  for (const path of mainOnes(files.map((one) => one.path))) {
    const file = kept.get(path);
    if (file) await attempt(path, async () => sent.push({ path, file, way: await page.connection.call("import-way", { file }) }));
  }
  const asked = sent.filter(({ way }) => way.units.length > 0 || way.whole);
  const choices = asked.length > 0 ? await page.ask(asked) : [];
  if (!choices) return [];
  const chosen = new Map(asked.map((one, i) => [one, choices[i] ?? {}]));
  const opened = sent.filter((one) => chosen.get(one)?.open);
  const read = sent.filter((one) => !opened.includes(one));
  const made = await readAll(page, read, chosen, read.length === 1 ? spot : undefined);
  for (const { path, file } of opened) await attempt(path, () => page.open(file)); // the last one is shown
  return made;
}

/** Read files by their commands, as one step; a command that is refused is left out. */
async function readAll(page: ImportPage, files: readonly Sent[], chosen: ReadonlyMap<Sent, Choice>, spot?: readonly number[]): Promise<Imported[]> {
  const several = files.length > 1;
  if (several && !(await page.log.press("group"))) return [];
  const made: Imported[] = [];
  for (const [number, one] of files.entries()) {
    // What was read before may have taken the name.
    const way = number === 0 ? one.way : await page.connection.call("import-way", { file: one.file }).catch(() => one.way);
    const unit = chosen.get(one)?.unit;
    const answer = await page.log.answer(lineOf({ ...way, parameters: { ...way.parameters, ...(unit ? { unit } : {}) } }, one.file, placeOf(way, spot, page.units)));
    const name = way.parameters["name"];
    if (answer !== undefined && way.placing && typeof name === "string") made.push({ kind: way.placing === "at" ? "robot" : "object", name: name.replace(/^"|"$/g, "") });
  }
  if (several) await page.log.press("end");
  return made;
}

async function send(page: ImportPage, path: string, file: File): Promise<string> {
  const answer = await page.host.fetch(uploadPath(page.host, path), { method: "PUT", body: file }).catch(() => {
    throw new FileRefused(`The server does not answer; ${path} was not sent.`);
  });
  if (!answer.ok) throw new FileRefused(await answer.text());
  return ((await answer.json()) as Uploaded).file;
}

/** The files to read among those that were sent. */
export function mainOnes(paths: readonly string[]): string[] {
  const robots = paths.filter((path) => ROBOT.test(path));
  return robots.length > 0 ? robots : [...paths];
}

/** Where a thing is put, as the command has it: where it was dropped [m], or beside everything. */
export function placeOf(way: ImportWay, spot: readonly number[] | undefined, units: UnitNames): string {
  if (!way.placing) return "";
  const point = spot?.map((value) => plain(value / units.lengthSize, units.length === "mm" ? 1 : 4)).join(",");
  return point ? `${way.placing} ${point}` : "--beside";
}

/** The command that reads a file, as it would be typed. */
export function lineOf(way: ImportWay, file: string, place = ""): string {
  const { name, unit, prefix, here } = way.parameters;
  const copied = typeof prefix === "string" ? `prefix ${prefix}${here ? " --here" : ""}` : "";
  return [way.command, name, quotedFile(file), unit, copied, place].filter((word) => typeof word === "string" && word !== "").join(" ");
}
