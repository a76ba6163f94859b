// Files of the cell's folder: sending one there, and fetching one from there.
import { quoted } from "./text";

/** A file that the server refused to take or to give, in its sentence. */
export class FileRefused extends Error {}

export class Files {
  constructor(private address: (name: string) => string) {}

  /** Send a file to the folder of the cell; returns the name under which commands find it. */
  async upload(file: File): Promise<string> {
    const answer = await fetch(this.address(file.name), { method: "PUT", body: file });
    if (!answer.ok) throw new FileRefused(await answer.text());
    return await answer.text();
  }

  /** Fetch a file from the folder of the cell and hand it to the user. */
  async download(name: string): Promise<void> {
    const answer = await fetch(this.address(name));
    if (!answer.ok) throw new FileRefused(await answer.text());
    this.hand(name, await answer.blob());
  }

  /** Hand what the page made to the user, as a file. */
  hand(name: string, content: Blob): void {
    const place = URL.createObjectURL(content);
    const link = Object.assign(document.createElement("a"), { href: place, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(place));
  }
}

/** The command that reads each kind of file: its words, and whether the thing that it makes gets a name. */
const READERS: readonly [RegExp, string, boolean][] = [
  [/\.(urdf|xacro)$/i, "import robot", true],
  [/\.wld$/i, "import world", false],
  [/\.robosim$/i, "import robosim", false],
  [/\.rec$/i, "load-recording", false],
  [/\.(cell|cellscript)$/i, "load", false],
  [/\.(agent|cmd)$/i, "import agent", true],
  [/\.txt$/i, "load-program", true],
  [/\.(glb|gltf)$/i, "import assembly", true],
];

/** The command that reads a file of the cell's folder; files of other kinds are shapes. */
export function readingLine(file: string): string {
  const [, words, named] = READERS.find(([ending]) => ending.test(file)) ?? [/./, "import solid", true];
  const name = file.replace(/\.[^.]*$/, "").replace(/[^A-Za-z0-9_-]+/g, "-");
  return named ? `${words} ${name} ${quoted(file)}` : `${words} ${quoted(file)}`;
}
