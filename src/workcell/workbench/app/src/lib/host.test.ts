import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Ears, HttpHost } from "./host";
import { joined } from "./parted";

class FakeSocket {
  static made: FakeSocket[] = [];
  static readonly OPEN = 1;
  readyState = 0;
  binaryType = "";
  onopen = () => {};
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: (event: { code: number; reason: string }) => void = () => {};

  constructor(readonly url: string) {
    FakeSocket.made.push(this);
  }
}

/** The smallest head of a file, with a mark. */
const glb = (mark: number) => new Uint8Array(Uint32Array.from([mark, 2, 12]).buffer);

let host: HttpHost;
let heard: unknown[];
const ears: Ears = {
  opened: () => heard.push("opened"),
  heard: (data) => heard.push(data),
  closed: (code) => heard.push(code),
  slow: () => {},
};

beforeEach(() => {
  FakeSocket.made = [];
  heard = [];
  const kept = new Map<string, string>();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("sessionStorage", { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) });
  vi.stubGlobal("history", { replaceState: () => {} });
  host = new HttpHost({ search: "?token=abc&cell=c2", hash: "", pathname: "/", protocol: "http:", host: "here:1" } as Location);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("what a socket says before the page listens is heard in order, after the page has the socket", async () => {
  host.knock();
  const [early] = FakeSocket.made;
  early!.onopen();
  early!.onmessage({ data: "hello" });
  const socket = host.connect(ears);
  expect(heard).toEqual([]);
  await Promise.resolve();
  early!.onmessage({ data: "scene" });
  expect(heard).toEqual(["opened", "hello", "scene"]);
  expect(FakeSocket.made).toHaveLength(1);
  expect(early!.url).toBe("ws://here:1/cells/c2/ws?token=abc");
  early!.readyState = FakeSocket.OPEN;
  expect(socket.open).toBe(true);
});

test("an early socket serves once: whoever connects again gets another", async () => {
  host.knock();
  FakeSocket.made[0]!.onclose({ code: 1006, reason: "" });
  host.connect(ears);
  await Promise.resolve();
  expect(heard).toEqual([1006]);
  host.connect(ears);
  await Promise.resolve();
  FakeSocket.made[1]!.onmessage({ data: "back" });
  expect(heard).toEqual([1006, "back"]);
});

test("without an early socket, connecting opens one", async () => {
  host.connect(ears);
  FakeSocket.made[0]!.onopen();
  await Promise.resolve();
  expect(heard).toEqual(["opened"]);
});

test("the shapes of a scene that comes early are fetched once and together, before the page asks for them", async () => {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    fetched.push(path);
    return Promise.resolve(new Response(path.includes(",") ? joined([glb(1), glb(2)]) : glb(3)));
  });
  host.knock();
  FakeSocket.made[0]!.onmessage({ data: '{"type":"hello","glb":"no"}' });
  FakeSocket.made[0]!.onmessage({ data: '{"type":"scene","bodies":[{"glb":"a1"},{"glb":"b2"},{"glb":"a1"}]}' });
  expect(fetched).toEqual(["cells/c2/glb/a1,b2?token=abc"]);
  for (const [path, mark] of [["a1", 1], ["b2", 2], ["a1", 3]] as const) {
    // the last one was forgotten and is wanted again
    expect(new Uint8Array(await (await host.fetch(`cells/c2/glb/${path}`)).arrayBuffer())).toEqual(glb(mark));
  }
  expect(fetched).toHaveLength(2);
  host.connect(ears);
  FakeSocket.made[0]!.onmessage({ data: '{"type":"scene","bodies":[{"glb":"c3"}]}' });
  expect(fetched).toHaveLength(2);
});

test("a new window shows the same cell, and takes nothing along that this window keeps", () => {
  const opened: unknown[][] = [];
  vi.stubGlobal("open", (...how: unknown[]) => opened.push(how));
  host.again();
  expect(opened).toEqual([["/?token=abc&cell=c2", "_blank", "noopener"]]); // a window with an opener begins with a copy of the session storage
});
