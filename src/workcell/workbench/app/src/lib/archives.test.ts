import { expect, test } from "vitest";
import { unpacked } from "./archives";

interface Packed {
  data: string;
  method?: number;
  flags?: number;
  size?: number;
  sum?: number;
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function deflated(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The CRC-32 of a text, bit by bit. */
function sumOf(text: string): number {
  let rest = -1;
  for (const byte of bytes(text)) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (-(rest & 1) & 0xedb88320);
  }
  return ~rest >>> 0;
}

/** A record of an archive: numbers of two or four bytes at their places. */
function record(size: number, shorts: Record<number, number>, longs: Record<number, number>): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(size));
  for (const [at, value] of Object.entries(shorts)) view.setUint16(Number(at), value, true);
  for (const [at, value] of Object.entries(longs)) view.setUint32(Number(at), value, true);
  return new Uint8Array(view.buffer);
}

/** A ZIP archive; what does not state how it is packed is deflated. Names may come several times. */
async function zip(files: Record<string, Packed> | [string, Packed][], comment = ""): Promise<File> {
  const entries = Array.isArray(files) ? files : Object.entries(files);
  const local: Uint8Array<ArrayBuffer>[] = [];
  const list: Uint8Array<ArrayBuffer>[] = [];
  const length = (parts: Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [path, { data, method = 8, flags = 0, size = bytes(data).length, sum = sumOf(data) }] of entries) {
    const packed = method === 8 ? await deflated(data) : bytes(data);
    const name = bytes(path);
    list.push(record(46, { 8: flags, 10: method, 28: name.length }, { 0: 0x02014b50, 16: sum, 20: packed.length, 24: size, 42: length(local) }), name);
    local.push(record(30, { 26: name.length, 28: 3 }, { 0: 0x04034b50 }), name, bytes("xyz"), packed); // xyz: an extra field, which the list does not have
  }
  const end = record(22, { 10: entries.length, 20: comment.length }, { 0: 0x06054b50, 12: length(list), 16: length(local) });
  return new File([...local, ...list, end, comment], "arm.zip");
}

const opened = async (file: File) => Promise.all((await unpacked({ path: "arm.zip", file })).map(async (one) => [one.path, await one.file.text()]));

test("the files of an archive are those of a folder of its name", async () => {
  const file = await zip({ "arm.urdf": { data: "<robot/>" }, "meshes/": { data: "", method: 0 }, "meshes/é.obj": { data: "v ".repeat(500) }, "b.stl": { data: "as it is", method: 0 } }, "a comment");
  expect(await opened(file)).toEqual([["arm/arm.urdf", "<robot/>"], ["arm/meshes/é.obj", "v ".repeat(500)], ["arm/b.stl", "as it is"]]);
  expect(await opened(await zip({ "a.stl": { data: "a" }, "__MACOSX/._a.stl": { data: "b" }, ".hidden": { data: "c" } }))).toEqual([["arm/a.stl", "a"]]);
});

test("names with backslashes are paths, and of several files with one path the last one counts", async () => {
  const file = await zip([["arm.urdf", { data: "old" }], ["meshes\\", { data: "", method: 0 }], ["meshes\\b.stl", { data: "b" }], ["arm.urdf", { data: "new" }]]);
  expect(await opened(file)).toEqual([["arm/arm.urdf", "new"], ["arm/meshes/b.stl", "b"]]);
});

test("a comment that looks like the end of an archive hides no file, nor do bytes behind the end", async () => {
  const mark = String.fromCharCode(0x50, 0x4b, 5, 6);
  for (const comment of [`${mark} is the mark of the end of an archive`, mark + "\0".repeat(18)]) expect(await opened(await zip({ "a.stl": { data: "a" } }, comment))).toEqual([["arm/a.stl", "a"]]);
  const longer = new File([await zip({ "a.stl": { data: "a" } }), "\n"], "arm.zip");
  expect(await opened(longer)).toEqual([["arm/a.stl", "a"]]);
});

test("what cannot be unpacked is refused in a sentence", async () => {
  const refused = async (file: File) => opened(file).catch((error: unknown) => (error as Error).message);
  const whole = await zip({ "a.stl": { data: "a".repeat(99) } });
  expect(await refused(new File(["no archive"], "arm.zip"))).toBe("The archive cannot be read: it is damaged, or no ZIP archive. Unpack it, and drop its folder.");
  expect(await refused(new File([whole.slice(60)], "arm.zip"))).toContain("damaged");
  expect(await refused(await zip({ "a.stl": { data: "a", flags: 1 } }))).toContain("it has a password");
  expect(await refused(await zip({ "a.stl": { data: "a".repeat(99), size: 9 } }))).toContain("a.stl in it is damaged"); // it grows beyond what it states
  for (const method of [0, 8]) expect(await opened(await zip({ "a.stl": { data: "123456789", method, sum: 0xcbf43926 } }))).toHaveLength(1); // the sum that the definition of CRC-32 names
  for (const method of [0, 8]) expect(await refused(await zip({ "b.stl": { data: "b" }, "a.stl": { data: "a", method, sum: 1 } }))).toContain("a.stl in it is damaged");
  expect(await refused(await zip({ "a.stl": { data: "a", method: 0, size: 2 } }))).toContain("a.stl in it is damaged");
  expect(await refused(await zip({ "a.stl": { data: "a", size: 2 ** 31 } }))).toContain("more than 1 GB");
  expect(await refused(await zip({ "a.stl": { data: "a", method: 14 } }))).toContain("in a way that the page does not know");
  expect(await refused(await zip({ "folder/": { data: "", method: 0 } }))).toContain("it has no files");
});
