import { expect, test } from "vitest";
import { unpacked } from "./archives";

interface Packed {
  data: string;
  method?: number;
  flags?: number;
  size?: number;
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function deflated(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A record of an archive: numbers of two or four bytes at their places. */
function record(size: number, shorts: Record<number, number>, longs: Record<number, number>): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(size));
  for (const [at, value] of Object.entries(shorts)) view.setUint16(Number(at), value, true);
  for (const [at, value] of Object.entries(longs)) view.setUint32(Number(at), value, true);
  return new Uint8Array(view.buffer);
}

/** A ZIP archive; what does not state how it is packed is deflated. */
async function zip(files: Record<string, Packed>, comment = ""): Promise<File> {
  const local: Uint8Array<ArrayBuffer>[] = [];
  const list: Uint8Array<ArrayBuffer>[] = [];
  const length = (parts: Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [path, { data, method = 8, flags = 0, size = bytes(data).length }] of Object.entries(files)) {
    const packed = method === 8 ? await deflated(data) : bytes(data);
    const name = bytes(path);
    list.push(record(46, { 8: flags, 10: method, 28: name.length }, { 0: 0x02014b50, 20: packed.length, 24: size, 42: length(local) }), name);
    local.push(record(30, { 26: name.length, 28: 3 }, { 0: 0x04034b50 }), name, bytes("xyz"), packed); // xyz: an extra field, which the list does not have
  }
  const end = record(22, { 10: Object.keys(files).length, 20: comment.length }, { 0: 0x06054b50, 12: length(list), 16: length(local) });
  return new File([...local, ...list, end, comment], "arm.zip");
}

const opened = async (file: File) => Promise.all((await unpacked({ path: "arm.zip", file })).map(async (one) => [one.path, await one.file.text()]));

test("the files of an archive are those of a folder of its name", async () => {
  const file = await zip({ "arm.urdf": { data: "<robot/>" }, "meshes/": { data: "", method: 0 }, "meshes/é.obj": { data: "v ".repeat(500) }, "b.stl": { data: "as it is", method: 0 } }, "a comment");
  expect(await opened(file)).toEqual([["arm/arm.urdf", "<robot/>"], ["arm/meshes/é.obj", "v ".repeat(500)], ["arm/b.stl", "as it is"]]);
  expect(await opened(await zip({ "a.stl": { data: "a" }, "__MACOSX/._a.stl": { data: "b" }, ".hidden": { data: "c" } }))).toEqual([["arm/a.stl", "a"]]);
});

test("what cannot be unpacked is refused in a sentence", async () => {
  const refused = async (file: File) => opened(file).catch((error: unknown) => (error as Error).message);
  const whole = await zip({ "a.stl": { data: "a".repeat(99) } });
  expect(await refused(new File(["no archive"], "arm.zip"))).toBe("The archive cannot be read: it is damaged, or no ZIP archive. Unpack it, and drop its folder.");
  expect(await refused(new File([whole.slice(60)], "arm.zip"))).toContain("damaged");
  expect(await refused(await zip({ "a.stl": { data: "a", flags: 1 } }))).toContain("it has a password");
  expect(await refused(await zip({ "a.stl": { data: "a".repeat(99), size: 9 } }))).toContain("a.stl in it is damaged"); // it grows beyond what it states
  expect(await refused(await zip({ "a.stl": { data: "a", size: 2 ** 31 } }))).toContain("more than 1 GB");
  expect(await refused(await zip({ "a.stl": { data: "a", method: 14 } }))).toContain("in a way that the page does not know");
  expect(await refused(await zip({ "folder/": { data: "", method: 0 } }))).toContain("it has no files");
});
