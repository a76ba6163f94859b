import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { VERSION } from "./protocol";
import { Bench } from "./bench.svelte";
import type { Ears, Host } from "./host";

class FakeSocket {
  static made: FakeSocket[] = [];
  open = true;

  constructor(readonly ears: Ears) {
    FakeSocket.made.push(this);
  }

  send(): void {}

  greet(notes: string[]): void {
    this.say({ type: "hello", version: VERSION, cell: "old.cell", notes });
  }

  say(message: object): void {
    this.ears.heard(JSON.stringify(message));
  }
}

const HOST: Host = {
  cell: "",
  gallery: false,
  identity: "",
  connect: (ears) => new FakeSocket(ears),
  fetch: () => Promise.reject(new TypeError("Failed to fetch")),
  show: () => undefined,
  go: () => {},
};

beforeEach(() => {
  FakeSocket.made = [];
  vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => {} });
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});

afterEach(() => vi.unstubAllGlobals());

test("the notes about a cell stand in the console once, however often the server greets", () => {
  const bench = new Bench({ ...HOST });
  bench.open();
  const socket = FakeSocket.made.at(-1)!;
  socket.ears.opened();
  socket.greet(["Program 'old' edits the cell and cannot run.", "The drive is slow."]);
  socket.greet(["Program 'old' edits the cell and cannot run."]);
  expect(bench.log.entries.map((entry) => entry.text)).toEqual([
    "Program 'old' edits the cell and cannot run.",
    "The drive is slow.",
  ]);
  expect(bench.log.entries.every((entry) => entry.line === "" && entry.kind === "note")).toBe(true);
});

test("a cell without notes leaves the console empty", () => {
  const bench = new Bench({ ...HOST });
  bench.open();
  FakeSocket.made.at(-1)!.greet([]);
  expect(bench.log.entries).toEqual([]);
});

test("the page of a closed cell does not say that it reconnects", async () => {
  const bench = new Bench({ ...HOST, cell: "2" });
  bench.open();
  const socket = FakeSocket.made.at(-1)!;
  socket.ears.opened();
  socket.say({ type: "cells", request: 0, cells: [{ id: "1", first: true }], recent: [] });
  socket.ears.closed(1012, "");
  expect(bench.messages.list).toEqual([]);
  await vi.waitFor(() => expect(FakeSocket.made.length).toBe(2));
  FakeSocket.made.at(-1)!.ears.opened();
  FakeSocket.made.at(-1)!.ears.closed(4404, "");
  expect([bench.connection.link, bench.messages.list]).toEqual(["gone", []]);
});

test("a page without its token keeps showing what to do, until the server lets it in", async () => {
  const words = "This server needs its token: open the address with ?token=… that it printed at the start.";
  const bench = new Bench({ ...HOST, fetch: () => Promise.resolve(new Response(words, { status: 403 })) });
  bench.open();
  FakeSocket.made.at(-1)!.ears.closed(1006, "");
  await vi.waitFor(() => expect(bench.connection.refusal).toBe(words));
  await vi.waitFor(() => expect(FakeSocket.made.length).toBe(2));
  FakeSocket.made.at(-1)!.ears.opened();
  expect(bench.connection.refusal).toBe("");
});

test("a change that playback hides is named as it was typed, in the units of the cell", () => {
  const bench = new Bench({ ...HOST });
  bench.open();
  bench.time.resize(5);
  bench.time.seek(2);
  const change = { type: "change", revision: "4", effect: "simulates", who: "Eva", line: "move-joints-absolute robot:Arm (0.17453292519943295, 0)" };
  const socket = FakeSocket.made.at(-1)!;
  socket.say({ ...change, label: "move-joints-absolute Arm 10,0" });
  expect(bench.messages.list.at(-1)?.text).toMatch(/^move-joints-absolute Arm 10,0 by Eva: /);
});
