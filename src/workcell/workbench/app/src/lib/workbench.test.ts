import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VERSION } from "./protocol";
import { Workbench } from "./workbench.svelte";

class FakeSocket {
  static OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 1;
  onopen = () => {};
  onclose = () => {};
  onmessage: (event: { data: string | ArrayBuffer }) => void = () => {};

  constructor(readonly url: string) {
    FakeSocket.made.push(this);
  }

  send(): void {}

  greet(notes: string[]): void {
    this.onmessage({ data: JSON.stringify({ type: "hello", version: VERSION, cell: "old.cell", notes }) });
  }
}

beforeEach(() => {
  FakeSocket.made = [];
  vi.stubGlobal("WebSocket", FakeSocket);
});

afterEach(() => vi.unstubAllGlobals());

test("the notes about a cell stand in the console once, however often the server greets", () => {
  const bench = new Workbench("ws://here", "http://here");
  bench.open();
  const socket = FakeSocket.made.at(-1)!;
  socket.onopen();
  socket.greet(["Program 'old' edits the cell and cannot run.", "The drive is slow."]);
  socket.greet(["Program 'old' edits the cell and cannot run."]);
  expect(bench.entries.map((entry) => entry.text)).toEqual([
    "Program 'old' edits the cell and cannot run.",
    "The drive is slow.",
  ]);
  expect(bench.entries.every((entry) => entry.line === "" && entry.kind === "note")).toBe(true);
});

test("a cell without notes leaves the console empty", () => {
  const bench = new Workbench("ws://here", "http://here");
  bench.open();
  FakeSocket.made.at(-1)!.greet([]);
  expect(bench.entries).toEqual([]);
});

test("a page without its token keeps showing what to do, until the server lets it in", async () => {
  const words = "This server needs its token: open the address with ?token=… that it printed at the start.";
  vi.stubGlobal("fetch", async () => new Response(words, { status: 403 }));
  const bench = new Workbench("ws://here", "http://here");
  bench.open();
  FakeSocket.made.at(-1)!.onclose();
  await vi.waitFor(() => expect(bench.refusal).toBe(words));
  (bench as unknown as { changeLink: (state: string) => void }).changeLink("open");
  expect(bench.refusal).toBe("");
});
