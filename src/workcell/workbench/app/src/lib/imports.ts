// Files that the user drops or chooses: sent to the server, and read into the cell by the command that fits each.
import type { ImportWay } from "./commands";
import type { Connection } from "./connection.svelte";
import { FileRefused } from "./files";
import type { Log } from "./log.svelte";
import type { Uploaded } from "./protocol";
import { quotedFile } from "./text";

/** A file and its path among the files that were dropped together. */
export interface Dropped {
  path: string;
  file: File;
}

const ROBOT = /\.urdf$/i;

export class Imports {
  constructor(
    private connection: Connection,
    private log: Log,
    private address: (name: string) => string,
  ) {}

  /**
   * Send files, then read each one; of files beside a URDF file only that is read, since it names the others.
   *
   * @param files what was dropped or chosen.
   * @param failed called with the path of each file that was not sent or read, and why; the others go on.
   */
  async take(files: readonly Dropped[], failed: (path: string, sentence: string) => void): Promise<void> {
    const kept = new Map<string, string>();
    const attempt = async (path: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        failed(path, (error as Error).message);
      }
    };
    for (const { path, file } of files) await attempt(path, async () => kept.set(path, await this.send(path, file)));
    for (const path of mainOnes(files.map((one) => one.path))) {
      const sent = kept.get(path);
      if (sent) await attempt(path, () => this.read(sent));
    }
  }

  private async send(path: string, file: File): Promise<string> {
    const answer = await fetch(this.address(path), { method: "PUT", body: file }).catch(() => {
      throw new FileRefused(`The server does not answer; ${path} was not sent.`);
    });
    if (!answer.ok) throw new FileRefused(await answer.text());
    return ((await answer.json()) as Uploaded).file;
  }

  /** Whether the file was read; what it made is put into the scene. */
  private async read(file: string): Promise<boolean> {
    const way = await this.connection.call("import-way", { file });
    if (!(await this.log.press(lineOf(way, file)))) return false;
    const name = way.parameters["name"];
    return way.placing && typeof name === "string" ? this.log.press(`place ${name} at 0,0,0`) : true;
  }
}

/** The files to read among those that were sent. */
export function mainOnes(paths: readonly string[]): string[] {
  const robots = paths.filter((path) => ROBOT.test(path));
  return robots.length > 0 ? robots : [...paths];
}

/** The command that reads a file, as it would be typed. */
export function lineOf(way: ImportWay, file: string): string {
  const { name, unit } = way.parameters;
  return [way.command, name, quotedFile(file), unit].filter((word) => typeof word === "string").join(" ");
}

/** Everything that was dropped, with the files in dropped folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Dropped[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ path: file.name, file }));
  return (await Promise.all(entries.map((entry) => within(entry)))).flat();
}

async function within(entry: FileSystemEntry): Promise<Dropped[]> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: Dropped[] = [];
  for (;;) {
    // A folder is read in parts; an empty part is the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...(await within(one)));
  }
}
