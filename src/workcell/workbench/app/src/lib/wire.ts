// The connection to the server: requests and answers, other messages, and reconnecting.
import { frameHead, isPacked, unpack } from "./frames";
import type { Ears, Socket } from "./host";
import type { ClientMessage, Failure, ServerMessage } from "./protocol";

type Request = Extract<ClientMessage, { request: number }>;
type WithoutNumber<T> = T extends Request ? Omit<T, "request"> : never;

/** A request as the page writes it: the connection numbers it. */
export type Question = WithoutNumber<Request>;
/** How the connection is; `gone` is the end: the server has no such cell, or there is no server any more. */
export type Link = "connecting" | "open" | "lost" | "gone";

/** A request that the server refused. */
export class Refusal extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
    this.name = failure.kind;
  }
}

export interface Listener {
  message(message: ServerMessage): void;
  /** How the connection is now, with a reason if the server gave one. */
  state(state: Link, reason?: string): void;
  /** Whether the server has not taken for a while what was sent. */
  slow?(waiting: boolean): void;
}

interface Waiting {
  resolve: (answer: ServerMessage | ArrayBuffer) => void;
  reject: (reason: Error) => void;
}

const FIRST_WAIT = 300; // ms
const LONGEST_WAIT = 5000;
const GONE = 4404; // the code by which the server closes the wire of a cell that is not open
const ENDED = 4410; // … and of a server that has ended for good; the reason is for the user

export class Wire {
  private socket: Socket | undefined;
  private number = 0;
  private waiting = new Map<number, Waiting>();
  private wait = FIRST_WAIT;
  private order: Promise<unknown> = Promise.resolve();
  private waitingFrames = 0;
  private opened = 0;

  constructor(
    private connect: (ears: Ears) => Socket,
    private listener: Listener,
  ) {}

  open(): void {
    this.listener.state("connecting");
    const number = ++this.opened;
    this.socket = this.connect({
      opened: () => {
        this.wait = FIRST_WAIT;
        this.listener.state("open");
      },
      heard: (data) => this.receive(data),
      closed: (code, reason) => this.lost(number, code, reason),
      slow: (waiting) => this.listener.slow?.(waiting),
    });
  }

  private lost(number: number, code: number, reason: string): void {
    if (number !== this.opened) return;
    this.socket = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(new Error("The connection to the server was lost."));
    this.waiting.clear();
    const gone = code === GONE || code === ENDED;
    this.listener.state(gone ? "gone" : "lost", code === ENDED ? reason : "");
    if (gone) return;
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(LONGEST_WAIT, this.wait * 1.6);
  }

  /** Frames are handled in order: those after a packed one wait until it is unpacked. */
  private receive(data: string | ArrayBuffer): void {
    const packed = typeof data !== "string" && isPacked(data) ? data : undefined;
    if (!packed && this.waitingFrames === 0) {
      this.take(data);
      return;
    }
    const socket = this.socket;
    const unpacked = packed ? unpack(packed) : data;
    this.waitingFrames += 1;
    this.order = this.order
      .then(async () => {
        const frame = await unpacked;
        if (socket === this.socket) this.take(frame);
      })
      .catch((error: unknown) => console.error("A message from the server could not be read:", error))
      .finally(() => (this.waitingFrames -= 1));
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.settle(frameHead(data).request, data);
      return;
    }
    const message = JSON.parse(data) as ServerMessage;
    const request = "request" in message ? message.request : 0;
    if (message.type !== "progress" && request && this.settle(request, message)) return;
    this.listener.message(message);
  }

  private settle(request: number, answer: ServerMessage | ArrayBuffer): boolean {
    const waiting = this.waiting.get(request);
    if (!waiting) return false;
    this.waiting.delete(request);
    if (!(answer instanceof ArrayBuffer) && answer.type === "error") waiting.reject(new Refusal(answer));
    else waiting.resolve(answer);
    return true;
  }

  send(message: ClientMessage): void {
    if (!this.socket?.open) throw new Error("There is no connection to the server.");
    this.socket.send(JSON.stringify(message));
  }

  /** Send a request; the promise has its number, by which progress refers to it. */
  ask<T extends ServerMessage | ArrayBuffer>(message: Question): Promise<T> & { request: number } {
    const request = ++this.number;
    const answer = new Promise<T>((resolve, reject) => {
      this.waiting.set(request, { resolve: resolve as Waiting["resolve"], reject });
      try {
        this.send({ ...message, request });
      } catch (error) {
        this.waiting.delete(request);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    return Object.assign(answer, { request });
  }
}
