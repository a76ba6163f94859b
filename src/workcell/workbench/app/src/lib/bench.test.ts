import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type CellInfo, type RunInfo, VERSION } from "./protocol";
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

test("a change that playback hides is told in words", () => {
  vi.useFakeTimers();
  const bench = new Bench({ ...HOST });
  bench.open();
  bench.time.resize(5);
  bench.time.seek(2);
  const change = { type: "change", revision: "4", effect: "simulates", who: "Eva", line: "move-joints-absolute robot:Arm (0.17453292519943295, 0)" };
  const socket = FakeSocket.made.at(-1)!;
  socket.say({ ...change, label: "move-joints-absolute Arm 10,0" });
  vi.advanceTimersByTime(1000);
  const { title, text, offer } = bench.messages.list.at(-1)!;
  expect([title, text, offer?.label]).toEqual(["Not shown in playback", "Arm was changed (by Eva). The view shows the recording.", "Show now"]);
  vi.useRealTimers();
});

test("what others undid is named as the console would name it", () => {
  const bench = new Bench({ ...HOST });
  bench.open();
  const undone = { label: "place object:brick at 300,0,50", who: "Eva" };
  FakeSocket.made.at(-1)!.say({ type: "change", revision: "4", effect: "edits", who: "Eva", line: "undo", label: "", undone });
  const { title, text } = bench.messages.list.at(-1)!;
  expect([title, text]).toEqual(["Undone by Eva", "place brick at 300,0,50 (a step of Eva)"]);
});

test("a sketch that is not made and lines that are not kept are asked about in one place", async () => {
  const bench = new Bench({ ...HOST });
  expect(bench.unkept).toEqual([]);
  bench.workshop.unkept = "The sketch is not made.";
  bench.programs.draft = "wait 1";
  expect(bench.unkept).toEqual(["Lines that you typed into a program are not saved.", "The sketch is not made."]);
  const cell = { id: "", name: "Press", address: "/", file: "/a.cell", sample: "", clients: 1, first: true, folder: "", paused: false };
  bench.cells.refresh = () => Promise.resolve();
  bench.cells.hear({ type: "cells", request: 0, cells: [cell], recent: [] });
  bench.closeCell(cell);
  await new Promise((resolve) => setTimeout(resolve));
  expect([bench.opened, bench.cells.closing?.losses]).toEqual(["close-cell", bench.unkept]);
  bench.forgetUnkept();
  expect(bench.unkept).toEqual([]);
  bench.programs.info = { state: "paused" } as RunInfo;
  bench.closeCell(cell);
  await new Promise((resolve) => setTimeout(resolve));
  expect(bench.cells.closing?.losses).toEqual(["A run is paused in this cell; closing discards it."]);
});

test("a panel takes the sentence of the command that it gave, and no message repeats it", async () => {
  const bench = new Bench({ ...HOST });
  bench.messages.refused("Refused: merge a b", "They do not touch.");
  expect(bench.refusal()).toBe("They do not touch.");
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(bench.messages.list).toEqual([]);
});

test("the console and the cameras of a cell are there again when the window comes back to it, and after it was saved under another name", () => {
  const drawer = new Map<string, string>();
  const host = (cell: string): Host => ({ ...HOST, cell, recall: (one) => drawer.get(one) ?? "", keep: (one, text) => void drawer.set(one, text) });
  const camera = { from: [0, -3, 1], at: [0, 0, 0.5], zoom: 1, moved: true } as const;
  const bench = new Bench(host("2"));
  bench.log.note("units m", "metres");
  bench.log.remark("The drive is slow.");
  bench.panes.lookFrom(0, "front");
  bench.view = { cameraOf: () => camera } as unknown as NonNullable<Bench["view"]>;
  bench.leave();
  bench.cells.onsaved({ id: "5", first: false, file: "/a/press.cell" } as CellInfo);
  for (const cell of ["2", "5"]) {
    const again = new Bench(host(cell));
    again.log.remark("The drive is slow."); // as the server greets
    expect(again.log.entries.map(({ line, text }) => [line, text])).toEqual([["units m", "metres"], ["", "The drive is slow."]]);
    expect(again.cameras).toEqual([{ ...camera, square: true }]);
    expect(again.messages.list.map(({ title }) => title)).toEqual(cell === "5" ? ["Saved as press.cell."] : []);
  }
  expect(new Bench(host("3")).log.entries).toEqual([]);
  drawer.set("3", "{damaged");
  expect(new Bench(host("3")).cameras).toEqual([]);
});
