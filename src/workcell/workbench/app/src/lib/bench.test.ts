import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VERSION } from "./protocol";
import { Bench } from "./bench.svelte";

const ADDRESS = { ws: "ws://here", cell: "", glb: () => "http://here", file: () => "http://here", upload: () => "http://here" };

class FakeSocket {
  static OPEN = 1;
  static made: FakeSocket[] = [];
  readyState = 1;
  onopen = () => {};
  onclose: (event: { code: number }) => void = () => {};
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
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});

afterEach(() => vi.unstubAllGlobals());

test("the notes about a cell stand in the console once, however often the server greets", () => {
  const bench = new Bench(ADDRESS);
  bench.open();
  const socket = FakeSocket.made.at(-1)!;
  socket.onopen();
  socket.greet(["Program 'old' edits the cell and cannot run.", "The drive is slow."]);
  socket.greet(["Program 'old' edits the cell and cannot run."]);
  expect(bench.log.entries.map((entry) => entry.text)).toEqual([
    "Program 'old' edits the cell and cannot run.",
    "The drive is slow.",
  ]);
  expect(bench.log.entries.every((entry) => entry.line === "" && entry.kind === "note")).toBe(true);
});

test("a cell without notes leaves the console empty", () => {
  const bench = new Bench(ADDRESS);
  bench.open();
  FakeSocket.made.at(-1)!.greet([]);
  expect(bench.log.entries).toEqual([]);
});

test("the page of a closed cell does not say that it reconnects", async () => {
  const bench = new Bench({ ...ADDRESS, cell: "2" });
  bench.open();
  const socket = FakeSocket.made.at(-1)!;
  socket.onopen();
  socket.onmessage({ data: JSON.stringify({ type: "cells", request: 0, cells: [{ id: "1", first: true }], recent: [] }) });
  socket.onclose({ code: 1012 });
  expect(bench.messages.list).toEqual([]);
  await vi.waitFor(() => expect(FakeSocket.made.length).toBe(2));
  FakeSocket.made.at(-1)!.onopen();
  FakeSocket.made.at(-1)!.onclose({ code: 4404 });
  expect([bench.connection.link, bench.messages.list]).toEqual(["gone", []]);
});

test("a page without its token keeps showing what to do, until the server lets it in", async () => {
  const words = "This server needs its token: open the address with ?token=… that it printed at the start.";
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(words, { status: 403 })));
  const bench = new Bench(ADDRESS);
  bench.open();
  FakeSocket.made.at(-1)!.onclose({ code: 1006 });
  await vi.waitFor(() => expect(bench.connection.refusal).toBe(words));
  await vi.waitFor(() => expect(FakeSocket.made.length).toBe(2));
  FakeSocket.made.at(-1)!.onopen();
  expect(bench.connection.refusal).toBe("");
});

test("a change that playback hides is named as it was typed, in the units of the cell", () => {
  const bench = new Bench(ADDRESS);
  bench.open();
  bench.time.resize(5);
  bench.time.seek(2);
  const change = { type: "change", revision: "4", effect: "simulates", who: "Eva", line: "move-joints-absolute robot:Arm (0.17453292519943295, 0)" };
  const socket = FakeSocket.made.at(-1)!;
  socket.onmessage({ data: JSON.stringify({ ...change, label: "move-joints-absolute Arm 10,0" }) });
  expect(bench.messages.list.at(-1)?.text).toMatch(/^move-joints-absolute Arm 10,0 by Eva: /);
});
