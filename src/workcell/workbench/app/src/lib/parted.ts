// Several GLB files in one answer, one after the other: each file begins with its length. An answer for each of them comes
// as soon as its first bytes are here, and its bytes as they arrive.

const HEAD = 12; // bytes: magic, version, length of the file

/** The files of an answer; if it is no good, or ends too early, those that did not begin are fetched one by one. */
export function parted(answer: Promise<Response>, names: readonly string[], alone: (name: string) => Promise<Response>): Map<string, Promise<Response>> {
  const files = new Map<string, Promise<Response>>();
  const begin = new Map<string, (file: Response | Promise<Response>) => void>();
  for (const name of names) {
    const file = new Promise<Response>((resolve) => begin.set(name, resolve));
    file.catch(() => {}); // whoever takes it hears of it
    files.set(name, file);
  }
  const rest = () => begin.forEach((resolve, name) => resolve(alone(name)));
  void deal(answer, names, (name, file) => {
    begin.get(name)!(file);
    begin.delete(name);
  }).then(rest, rest);
  return files;
}

async function deal(answer: Promise<Response>, names: readonly string[], begins: (name: string, file: Response) => void): Promise<void> {
  const { ok, body } = await answer;
  if (!ok || !body) return;
  const reader = body.getReader();
  let held = new Uint8Array();
  let file: ReadableStreamDefaultController<Uint8Array> | undefined;
  let missing = 0; // bytes of the file
  let next = 0;
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      held = held.length > 0 ? joined([held, value!]) : value!;
      while (held.length > 0) {
        if (missing === 0) {
          if (held.length < HEAD) break;
          missing = new DataView(held.buffer, held.byteOffset).getUint32(8, true);
          const stream = new ReadableStream<Uint8Array>({ start: (one) => void (file = one) });
          const name = names[next++];
          if (name === undefined || missing < HEAD) return;
          begins(name, new Response(stream));
        }
        const piece = held.subarray(0, missing);
        file!.enqueue(piece);
        held = held.subarray(piece.length);
        missing -= piece.length;
        if (missing === 0) file!.close();
      }
    }
  } finally {
    if (missing > 0) file?.error(new TypeError("The answer ended too early."));
    void reader.cancel().catch(() => {});
  }
}

/** Pieces of bytes as one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
