import { expect, test } from "vitest";
import { joined, parted } from "./parted";

/** A file of a length, filled with a number. */
function glb(length: number, mark: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(length).fill(mark);
  new DataView(file.buffer).setUint32(8, length, true);
  return file;
}

const FILES = [glb(12, 1), glb(40, 2), glb(333, 3)];
const NAMES = ["a", "b", "c"];
const fresh = (name: string) => Promise.resolve(new Response(`alone ${name}`));

/** An answer whose bytes come in pieces of one size. */
function pieces(bytes: Uint8Array<ArrayBuffer>, size: number): Response {
  let at = 0;
  return new Response(new ReadableStream({ pull: (to) => (at < bytes.length ? to.enqueue(bytes.slice(at, (at += size))) : to.close()) }));
}

async function bytesOf(file: Promise<Response>): Promise<Uint8Array> {
  return new Uint8Array(await (await file).arrayBuffer());
}

test.each([1, 5, 12, 13, 52, 1000])("files are told apart when they come in pieces of %i bytes", async (size) => {
  const files = parted(Promise.resolve(pieces(joined(FILES), size)), NAMES, fresh);
  expect(await Promise.all(NAMES.map((name) => bytesOf(files.get(name)!)))).toEqual(FILES);
});

test("a file begins before the ones behind it are here", async () => {
  let pour!: ReadableStreamDefaultController<Uint8Array>;
  const files = parted(Promise.resolve(new Response(new ReadableStream<Uint8Array>({ start: (one) => void (pour = one) }))), NAMES, fresh);
  pour.enqueue(joined([FILES[0]!, FILES[1]!.slice(0, 20)]));
  expect(await bytesOf(files.get("a")!)).toEqual(FILES[0]);
  const reader = (await files.get("b")!).body!.getReader();
  expect((await reader.read()).value).toEqual(FILES[1]!.slice(0, 20));
});

test("what an answer does not have is fetched alone, and half a file is an error", async () => {
  const text = async (file: Promise<Response>) => (await file).text();
  const refused = parted(Promise.resolve(new Response("No shape has this hash.", { status: 404 })), NAMES, fresh);
  expect(await Promise.all(NAMES.map((name) => text(refused.get(name)!)))).toEqual(["alone a", "alone b", "alone c"]);
  const lost = parted(Promise.reject(new TypeError("Failed to fetch")), NAMES, fresh);
  expect(await text(lost.get("c")!)).toBe("alone c");
  const broken = parted(Promise.resolve(pieces(joined(FILES).slice(0, 60), 25)), NAMES, fresh);
  expect(await bytesOf(broken.get("a")!)).toEqual(FILES[0]);
  expect(await bytesOf(broken.get("b")!)).toEqual(FILES[1]);
  expect(await text(broken.get("c")!)).toBe("alone c");
  const half = parted(Promise.resolve(pieces(joined(FILES).slice(0, 80), 25)), NAMES, fresh);
  await expect(bytesOf(half.get("c")!)).rejects.toThrow("too early");
});
