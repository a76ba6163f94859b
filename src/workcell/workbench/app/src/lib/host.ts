// What the page needs of whoever shows it: a way to the server, and to another cell of it. A browser shows the page
// from the address of a server (`HttpHost`); a notebook shows it in an output (`notebook/comm_host.ts`).

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
  fetch(path: string, request?: { method: string; body: Blob }): Promise<Response>;
  /** Show a picture of the server in an element; returns what forgets it again. */
  show(image: HTMLImageElement, path: string): (() => void) | undefined;
  /** Show another cell of the server in this window, "" for the first; with the gallery over it, if that is wanted. */
  go(cell: string, gallery?: boolean): void;
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

/** The page at the address of its server. */
export class HttpHost implements Host {
  readonly cell: string;
  readonly gallery: boolean;
  private tail: string;

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
    sessionStorage.setItem(IDENTITY, identity);
  }

  connect(ears: Ears): Socket {
    const { protocol, host } = this.location;
    const who = this.identity ? `${this.tail ? "&" : "?"}client=${encodeURIComponent(this.identity)}` : "";
    const socket = new WebSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/${place(this, "ws")}${this.tail}${who}`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => ears.opened();
    socket.onmessage = ({ data }) => ears.heard(data as string | ArrayBuffer);
    socket.onclose = ({ code, reason }) => ears.closed(code, reason);
    return {
      get open() {
        return socket.readyState === WebSocket.OPEN;
      },
      send: (text) => socket.send(text),
    };
  }

  fetch(path: string, request?: { method: string; body: Blob }): Promise<Response> {
    return fetch(path + this.tail, request);
  }

  show(image: HTMLImageElement, path: string): undefined {
    image.src = path;
  }

  go(cell: string, gallery = false): void {
    this.location.assign((cell ? `?cell=${encodeURIComponent(cell)}` : "?") + (gallery ? "#gallery" : ""));
  }
}
