// What the page needs of whoever shows it: a way to the server, and to another cell of it. A browser shows the page
// from the address of a server (`HttpHost`); a notebook shows it in an output (`notebook/comm_host.ts`).
import { isPacked, unpack } from "./frames";
import { parted } from "./parted";

/** What hears a socket. */
export interface Ears {
  opened(): void;
  heard(data: string | ArrayBuffer): void;
  closed(code: number, reason: string): void;
  /** Whether the server has not taken for a while what was sent. */
  slow(waiting: boolean): void;
}

/** What the page needs of a WebSocket. */
export interface Socket {
  readonly open: boolean;
  send(text: string): void;
}

/** A file that is sent, or what stops the question. */
export type Asking = { method: string; body: Blob } | { signal: AbortSignal };

export interface Host {
  /** Which cell of the server is shown; "" for the first. */
  readonly cell: string;
  /** Whether the page begins with the gallery. */
  readonly gallery: boolean;
  /** What the server called this window, so that it gets the same name again. */
  identity: string;
  /** Open a socket to the cell. */
  connect(ears: Ears): Socket;
  /** Ask the server; paths are relative to the page, and `place` gives those of the cell. */
  fetch(path: string, request?: Asking): Promise<Response>;
  /** Show a picture of the server in an element; returns what forgets it again. */
  show(image: HTMLImageElement, path: string): (() => void) | undefined;
  /** Show another cell of the server in this window, "" for the first; with the gallery over it, if that is wanted. */
  go(cell: string, gallery?: boolean): void;
  /** What this window keeps of a cell while it shows another one: a text, "" for nothing. */
  recall?(cell: string): string;
  keep?(cell: string, text: string): void;
  /** Show the cell in another window too; undefined where there are no windows. */
  again?(): void;
}

/** The path of something that belongs to the cell of a page. */
export function place(host: Pick<Host, "cell">, path: string): string {
  return host.cell ? `cells/${encodeURIComponent(host.cell)}/${path}` : path;
}

/** The path of a file that the page sends. */
export function uploadPath(host: Pick<Host, "cell">, path: string): string {
  return place(host, `uploads/${path.split("/").map(encodeURIComponent).join("/")}`);
}

const IDENTITY = "workcell-client";
const TOKEN = "workcell-token";
/** How many shapes are fetched at once before the page is there: each request takes time. The server takes twice as many. */
const TOGETHER = 32;

/** The page at the address of its server. */
export class HttpHost implements Host {
  readonly cell: string;
  readonly gallery: boolean;
  private tail: string;
  private knocked: { socket: WebSocket; heard: ((ears: Ears) => void)[] } | undefined;
  /** Shapes that were asked for before the page did, by path. */
  private early = new Map<string, Promise<Response>>();

  /** The token comes from the address of the page; it is kept for reloads, and removed from view. */
  constructor(private location: Location) {
    const query = new URLSearchParams(location.search);
    const given = query.get("token");
    this.gallery = location.hash === "#gallery";
    if (given) {
      sessionStorage.setItem(TOKEN, given);
      query.delete("token");
    }
    const rest = (query.size > 0 ? `?${query.toString()}` : "") + (this.gallery ? "" : location.hash);
    if (given || this.gallery) history.replaceState(null, "", location.pathname + rest);
    const token = given ?? sessionStorage.getItem(TOKEN);
    this.tail = token ? `?token=${encodeURIComponent(token)}` : "";
    this.cell = query.get("cell") ?? "";
  }

  /** A duplicated tab begins with the identity of the other, and gets its own. */
  get identity(): string {
    return sessionStorage.getItem(IDENTITY) ?? "";
  }

  set identity(identity: string) {
    try {
      sessionStorage.setItem(IDENTITY, identity);
    } catch {
      // The storage is full: after a reload this window has another name.
    }
  }

  /**
   * Open a socket before anybody listens; the first `connect` takes it over, with all that was heard by then. The shapes
   * of a scene that comes so early are fetched at once, many with one request.
   */
  knock(): void {
    const heard: ((ears: Ears) => void)[] = [];
    const early: Ears = { opened() {}, heard: (data) => void this.foresee(data), closed() {}, slow() {} };
    const socket = this.socket((event) => {
      heard.push(event);
      event(early);
    });
    this.knocked = { socket, heard };
  }

  private async foresee(message: string | ArrayBuffer): Promise<void> {
    const scene = typeof message === "string" ? message : isPacked(message) && (await unpack(message));
    if (typeof scene !== "string" || !scene.startsWith('{"type":"scene"')) return;
    const path = (hash: string) => place(this, `glb/${hash}`);
    const all = [...new Set([...scene.matchAll(/"glb":"(\w+)"/g)].map(([, hash]) => hash!))].filter((hash) => !this.early.has(path(hash)));
    for (let at = 0; at < all.length; at += TOGETHER) {
      const hashes = all.slice(at, at + TOGETHER);
      const ask = (name: string) => fetch(path(name) + this.tail);
      const answers = parted(ask(hashes.join(",")), hashes, ask);
      answers.forEach((answer, hash) => this.early.set(path(hash), answer));
    }
  }

  connect(ears: Ears): Socket {
    const { socket, heard } = this.knocked ?? { socket: this.socket(), heard: [] };
    this.knocked = undefined;
    listen(socket, (event) => event(ears));
    queueMicrotask(() => heard.forEach((event) => event(ears))); // whoever connects has the socket by then
    return {
      get open() {
        return socket.readyState === WebSocket.OPEN;
      },
      send: (text) => socket.send(text),
    };
  }

  private socket(heard?: (event: (ears: Ears) => void) => void): WebSocket {
    const { protocol, host } = this.location;
    const who = this.identity ? `${this.tail ? "&" : "?"}client=${encodeURIComponent(this.identity)}` : "";
    const socket = new WebSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/${place(this, "ws")}${this.tail}${who}`);
    socket.binaryType = "arraybuffer";
    if (heard) listen(socket, heard);
    return socket;
  }

  fetch(path: string, request?: Asking): Promise<Response> {
    const early = this.early.get(path);
    this.early.delete(path);
    return early ?? fetch(path + this.tail, request);
  }

  show(image: HTMLImageElement, path: string): undefined {
    image.src = path;
  }

  /** Without an opener: otherwise the browser would copy what this window keeps, such as its console. */
  again(): void {
    const cell = this.cell ? `${this.tail ? "&" : "?"}cell=${encodeURIComponent(this.cell)}` : "";
    open(`${this.location.pathname}${this.tail}${cell}`, "_blank", "noopener");
  }

  recall(cell: string): string {
    return sessionStorage.getItem(this.drawer(cell)) ?? "";
  }

  keep(cell: string, text: string): void {
    try {
      sessionStorage.setItem(this.drawer(cell), text);
    } catch {
      sessionStorage.removeItem(this.drawer(cell)); // there is no room for it
    }
  }

  /** Another server, which has another token, has other cells. */
  private drawer(cell: string): string {
    return `workcell-cell ${cell}${this.tail}`;
  }

  go(cell: string, gallery = false): void {
    this.location.assign((cell ? `?cell=${encodeURIComponent(cell)}` : "?") + (gallery ? "#gallery" : ""));
  }
}

/** Hand on what a socket does, as something that ears can hear. */
function listen(socket: WebSocket, heard: (event: (ears: Ears) => void) => void): void {
  socket.onopen = () => heard((ears) => ears.opened());
  socket.onmessage = ({ data }) => heard((ears) => ears.heard(data as string | ArrayBuffer));
  socket.onclose = ({ code, reason }) => heard((ears) => ears.closed(code, reason));
}
