// The files of a ZIP archive that the user drops: the page unpacks it, and reads them as those of a dropped folder.
import type { Dropped } from "./dropped";
import { FileRefused } from "./files";

export const ARCHIVE = /\.zip$/i;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_SIZE = 22;
const ENTRY_SIZE = 46;
const LOCAL_SIZE = 30;
const LONGEST_COMMENT = 0xffff;
const MOST_BYTES = 1 << 30; // of all files of an archive
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  path: string;
  method: number;
  packed: number;
  size: number;
  /** The CRC-32 of what was packed. */
  sum: number;
  start: number;
}

const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/**
 * The files of an archive, with their paths in a folder of its name; what some systems add to archives is left out.
 *
 * @throws FileRefused if it is no archive that the page can unpack.
 */
export async function unpacked({ path, file }: Dropped): Promise<Dropped[]> {
  const folder = path.replace(ARCHIVE, "");
  const entries = await entriesOf(file);
  if (entries.length === 0) throw refusal("it has no files");
  if (entries.reduce((sum, one) => sum + one.size, 0) > MOST_BYTES) throw refusal("its files take more than 1 GB");
  const found: Dropped[] = [];
  for (const entry of entries) found.push({ path: `${folder}/${entry.path}`, file: new File([await content(file, entry)], entry.path.split("/").at(-1)!) });
  return found;
}

const refusal = (reason: string) => new FileRefused(`The archive cannot be read: ${reason}. Unpack it, and drop its folder.`);

async function entriesOf(file: File): Promise<Entry[]> {
  const last = await view(file, Math.max(0, file.size - END_SIZE - LONGEST_COMMENT), file.size);
  const at = endIn(last);
  if (at === undefined) throw refusal("it is damaged, or no ZIP archive");
  const [length, start] = [last.getUint32(at + 12, true), last.getUint32(at + 16, true)];
  const list = await view(file, start, start + length);
  const found = new Map<string, Entry>(); // of several entries with one path, the last one counts
  for (let next = 0, count = last.getUint16(at + 10, true); count > 0; count -= 1) {
    if (next + ENTRY_SIZE > list.byteLength || list.getUint32(next, true) !== ENTRY) throw refusal("it is damaged, or larger than 4 GB");
    const [name, extra, comment] = [28, 30, 32].map((place) => list.getUint16(next + place, true)) as [number, number, number];
    const path = new TextDecoder().decode(new Uint8Array(list.buffer, list.byteOffset + next + ENTRY_SIZE, Math.min(name, list.byteLength - next - ENTRY_SIZE))).replaceAll("\\", "/");
    if (list.getUint16(next + 8, true) & ENCRYPTED) throw refusal("it has a password");
    const [sum, packed, size, begin] = [16, 20, 24, 42].map((place) => list.getUint32(next + place, true)) as [number, number, number, number];
    const added = path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX");
    if (!path.endsWith("/") && !added) found.set(path, { path, method: list.getUint16(next + 10, true), packed, size, sum, start: begin });
    next += ENTRY_SIZE + name + extra + comment;
  }
  return [...found.values()];
}

/** Where the end record is: its comment takes what follows it; of several marks, those behind it are in the comment. */
function endIn(last: DataView): number | undefined {
  const marks: number[] = [];
  for (let at = 0; at + END_SIZE <= last.byteLength; at += 1) if (last.getUint32(at, true) === END) marks.push(at);
  return marks.find((at) => at + END_SIZE + last.getUint16(at + 20, true) === last.byteLength) ?? marks.at(-1);
}

async function content(file: File, { path, method, packed, size, sum, start }: Entry): Promise<Blob> {
  const local = await view(file, start, start + LOCAL_SIZE);
  if (local.byteLength < LOCAL_SIZE) throw refusal("it is damaged");
  const begin = start + LOCAL_SIZE + local.getUint16(26, true) + local.getUint16(28, true);
  const data = file.slice(begin, begin + packed);
  if (method !== STORED && method !== DEFLATED) throw refusal(`${path} is packed in a way that the page does not know`);
  const stream = method === STORED ? data.stream() : data.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const found = await read(stream, size);
  if (found?.sum !== sum) throw refusal(`${path} in it is damaged`);
  return found.data;
}

/** What was packed and its CRC-32; undefined if its size is another one, as soon as it is larger. */
async function read(stream: ReadableStream<Uint8Array<ArrayBuffer>>, size: number): Promise<{ data: Blob; sum: number } | undefined> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let [length, rest] = [0, -1];
  try {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done && length <= size; next = await reader.read()) {
      parts.push(next.value);
      length += next.value.length;
      for (const byte of next.value) rest = REMAINDERS[(rest ^ byte) & 0xff]! ^ (rest >>> 8);
    }
    if (length > size) await reader.cancel();
  } catch {
    return undefined;
  }
  return length === size ? { data: new Blob(parts), sum: ~rest >>> 0 } : undefined;
}

async function view(file: File, start: number, end: number): Promise<DataView> {
  return new DataView(await file.slice(start, end).arrayBuffer());
}
