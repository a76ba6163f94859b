// The line to the kernel: requests and sockets of one page as messages of a widget. The messages are documented in
// workcell/service/channel_messages.py.
import type { Ears, Socket } from "../host";

/** What a line needs of the model of a widget. */
export interface Model {
  send(content: unknown, callbacks: undefined, buffers: ArrayBufferView[]): void;
  on(event: string, heard: (content: unknown, buffers: readonly DataView[]) => void): void;
  off(event: string, heard: (content: unknown, buffers: readonly DataView[]) => void): void;
}

/** What the kernel says on a stream; with `buffer`, the next buffer of the batch belongs to it. */
type Said = { stream: number; buffer?: true } & (
  | { kind: "opened" | "data" }
  | { kind: "text"; text: string }
  | { kind: "closed"; code: number; reason: string }
  | { kind: "answer"; status: number; headers: Record<string, string> }
  | { kind: "piece"; last: boolean }
);

interface Batch {
  page: string;
  /** How many messages of this page have arrived; null for all. */
  heard: number | null;
  messages: readonly Said[];
}

type Hear = (said: Said, buffer: Uint8Array<ArrayBuffer>) => void;

export const ENDED = 4410; // the code of a socket whose kernel has ended
const PIECE = 2 ** 20; // bytes; a Jupyter server takes messages of 10 MB
const AHEAD = 4; // pieces that the kernel has not heard of yet
const READ = 2 ** 18; // bytes that are read before the kernel hears of it
const SLOW = 3000; // ms until the page shows that the kernel does not answer
const NOTHING = new Uint8Array(0);

export class Line {
  private page = randomName();
  private streams = new Map<number, Hear>();
  private number = 0;
  private sent = 0;
  private arrived = 0;
  private read = 0;
  private watches = new Set<(waiting: boolean) => void>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private waiting = false;
  private moved: (() => void)[] = [];
  private over = false;

  constructor(private model: Model) {
    model.on("msg:custom", this.hear);
  }

  /** Open a socket at a path of the server. */
  connect(path: string, ears: Ears): Socket {
    const stream = ++this.number;
    const slow = (waiting: boolean) => ears.slow(waiting);
    let open = false;
    this.watches.add(slow);
    this.streams.set(stream, (said, buffer) => {
      if (said.kind === "opened") {
        open = true;
        ears.opened();
      } else if (said.kind === "text") ears.heard(said.text);
      else if (said.kind === "data") ears.heard(buffer.buffer);
      else if (said.kind === "closed") {
        open = false;
        this.streams.delete(stream);
        this.watches.delete(slow);
        ears.slow(false);
        ears.closed(said.code, said.reason);
      }
    });
    try {
      this.say({ kind: "wire", stream, path });
    } catch {
      // The notebook has no kernel now.
      queueMicrotask(() => this.streams.get(stream)?.({ stream, kind: "closed", code: 1006, reason: "" }, NOTHING));
    }
    return {
      get open() {
        return open;
      },
      send: (text) => this.say({ kind: "text", stream, text }),
    };
  }

  /** Ask the server, as `fetch` does. */
  async fetch(path: string, request?: { method: string; body: Blob }): Promise<Response> {
    const stream = ++this.number;
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    const answer = new Promise<Response>((resolve, reject) => {
      let head = { status: 500, headers: {} as Record<string, string> };
      this.streams.set(stream, (said, buffer) => {
        if (said.kind === "answer") head = said;
        else if (said.kind === "closed") reject(new TypeError(said.reason));
        else if (said.kind === "piece") {
          pieces.push(buffer);
          if (said.last) resolve(answerOf(pieces, head.status, head.headers));
        }
      });
    });
    try {
      this.say({ kind: "ask", stream, path, ...(request ? { method: request.method, size: request.body.size } : {}) });
      if (request) void this.sendBody(stream, request.body);
      return await answer;
    } finally {
      this.streams.delete(stream);
    }
  }

  /** Send a body in pieces; the kernel may refuse it before it has all. */
  private async sendBody(stream: number, body: Blob): Promise<void> {
    let at = 0;
    do {
      while (this.sent - this.arrived >= AHEAD && !this.over) await new Promise<void>((resolve) => this.moved.push(resolve));
      const piece = new Uint8Array(await body.slice(at, at + PIECE).arrayBuffer());
      if (this.over || !this.streams.has(stream)) return;
      at += piece.byteLength;
      this.say({ kind: "piece", stream, last: at >= body.size }, piece);
    } while (at < body.size);
  }

  /** Ask the kernel whether it is there; resolves to whether it answered soon. */
  async probe(): Promise<boolean> {
    this.say({ kind: "probe" });
    const all = this.sent;
    const late = new Promise<void>((resolve) => setTimeout(resolve, SLOW));
    while (this.arrived < all) {
      const heard = new Promise<boolean>((resolve) => this.moved.push(() => resolve(true)));
      if (!(await Promise.race([heard, late]))) return false;
    }
    return true;
  }

  /** End everything: the kernel has gone, for a reason that the user is shown. */
  lose(reason: string): void {
    for (const [stream, hear] of [...this.streams]) hear({ stream, kind: "closed", code: ENDED, reason }, NOTHING);
    this.settle(this.sent);
  }

  /** The page goes. */
  close(): void {
    if (this.over) return;
    try {
      this.say({ kind: "bye" });
    } catch {
      // There is no kernel to take leave of.
    }
    this.over = true;
    this.model.off("msg:custom", this.hear);
    this.settle(this.sent);
  }

  private say(message: object, buffer?: Uint8Array): void {
    if (this.over) return;
    this.sent += 1;
    this.timer ??= setTimeout(() => this.show(true), SLOW);
    this.model.send({ page: this.page, message }, undefined, buffer ? [buffer] : []);
  }

  private hear = (content: unknown, buffers: readonly DataView[]): void => {
    const batch = content as Batch;
    if (batch.page !== this.page) return;
    this.settle(batch.heard ?? this.sent);
    let next = 0;
    for (const said of batch.messages) {
      const buffer = said.buffer ? copied(buffers[next++]!) : NOTHING;
      this.read += buffer.byteLength + (said.kind === "text" ? said.text.length : 0);
      this.streams.get(said.stream)?.(said, buffer);
    }
    if (this.read < READ) return;
    this.say({ kind: "read", size: this.read });
    this.read = 0;
  };

  /** So many messages have arrived. */
  private settle(arrived: number): void {
    if (arrived > this.arrived) {
      this.arrived = arrived;
      clearTimeout(this.timer);
      this.timer = this.arrived < this.sent ? setTimeout(() => this.show(true), SLOW) : undefined;
      this.show(false);
    }
    this.moved.splice(0).forEach((resolve) => resolve());
  }

  private show(waiting: boolean): void {
    if (waiting === this.waiting) return;
    this.waiting = waiting;
    this.watches.forEach((watch) => watch(waiting));
  }
}

/** The bytes of a view, in a buffer of this page: those of the notebook's page are of another kind. */
function copied(view: DataView): Uint8Array<ArrayBuffer> {
  const own = new Uint8Array(view.byteLength);
  own.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return own;
}

function answerOf(pieces: Uint8Array<ArrayBuffer>[], status: number, headers: Record<string, string>): Response {
  const body = new Blob(pieces);
  const zipped = headers["content-encoding"] === "gzip";
  return new Response(zipped ? body.stream().pipeThrough(new DecompressionStream("gzip")) : body, { status, headers });
}

/** A name that no other page has; `crypto.randomUUID` is only there with TLS. */
function randomName(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
}
