// The connection to the server: requests and answers, other messages, and reconnecting.
import { frameHead, isPacked, unpack } from "./frames";
import type { ClientMessage, Failure, ServerMessage } from "./protocol";

type Request = Extract<ClientMessage, { request: number }>;
type WithoutNumber<T> = T extends Request ? Omit<T, "request"> : never;

/** A request as the page writes it: the connection numbers it. */
export type Question = WithoutNumber<Request>;
/** How the connection is; `gone` is the end: the server has no such cell. */
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
  state(state: Link): void;
}

interface Waiting {
  resolve: (answer: ServerMessage | ArrayBuffer) => void;
  reject: (reason: Error) => void;
}

const FIRST_WAIT = 300; // ms
const LONGEST_WAIT = 5000;
const GONE = 4404; // the code by which the server closes the wire of a cell that is not open

export class Wire {
  private socket: WebSocket | undefined;
  private number = 0;
  private waiting = new Map<number, Waiting>();
  private wait = FIRST_WAIT;
  private order: Promise<unknown> = Promise.resolve();
  private waitingFrames = 0;

  constructor(
    private url: string,
    private listener: Listener,
  ) {}

  open(): void {
    this.listener.state("connecting");
    const socket = new WebSocket(asBefore(this.url));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.listener.state("open");
    };
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = ({ code }) => this.lost(socket, code);
    this.socket = socket;
  }

  private lost(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    this.socket = undefined;
    for (const waiting of this.waiting.values()) waiting.reject(new Error("The connection to the server was lost."));
    this.waiting.clear();
    this.listener.state(code === GONE ? "gone" : "lost");
    if (code === GONE) return;
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
      .catch((error: unknown) => console.error("A frame of the server could not be read:", error))
      .finally(() => (this.waitingFrames -= 1));
  }

  private take(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      this.settle(frameHead(data).request, data);
      return;
    }
    const message = JSON.parse(data) as ServerMessage;
    if (message.type === "hello") keepIdentity(message.identity);
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
    if (this.socket?.readyState !== WebSocket.OPEN) throw new Error("There is no connection to the server.");
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

const IDENTITY = "workcell-client";

/** The address of the socket with what this tab is to the server, so that it gets the same name again. */
function asBefore(url: string): string {
  const identity = globalThis.sessionStorage?.getItem(IDENTITY);
  return identity ? `${url}${url.includes("?") ? "&" : "?"}client=${encodeURIComponent(identity)}` : url;
}

/** Keep what the server calls this tab; a duplicated tab begins with that of the other, and gets its own. */
function keepIdentity(identity: string): void {
  globalThis.sessionStorage?.setItem(IDENTITY, identity);
}

/** The addresses of the server: the socket, a shape, a file of the cell, a file to import; and which cell it is, "" for the first. */
export interface Address {
  ws: string;
  cell: string;
  glb: (hash: string) => string;
  file: (name: string) => string;
  upload: (path: string) => string;
}

/** The addresses, with the token from the address of the page (kept for reloads, removed from view). */
export function serverAddress(location: Location): Address {
  const query = new URLSearchParams(location.search);
  const given = query.get("token");
  if (given) {
    sessionStorage.setItem("workcell-token", given);
    query.delete("token");
    const rest = query.toString();
    history.replaceState(null, "", location.pathname + (rest ? `?${rest}` : "") + location.hash);
  }
  const token = given ?? sessionStorage.getItem("workcell-token");
  const tail = token ? `?token=${encodeURIComponent(token)}` : "";
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const cell = query.get("cell") ?? "";
  const place = cell ? `cells/${encodeURIComponent(cell)}/` : "";
  return {
    ws: `${scheme}://${location.host}/${place}ws${tail}`,
    cell,
    glb: (hash) => `${place}glb/${hash}${tail}`,
    file: (name) => `${place}files/${encodeURIComponent(name)}${tail}`,
    upload: (path) => `${place}uploads/${path.split("/").map(encodeURIComponent).join("/")}${tail}`,
  };
}
