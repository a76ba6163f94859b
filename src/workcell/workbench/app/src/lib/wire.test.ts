import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Ears, Socket } from "./host";
import type { ServerMessage } from "./protocol";
import { Refusal, Wire } from "./wire";

class FakeSocket implements Socket {
  static made: FakeSocket[] = [];
  open = true;
  sent: string[] = [];

  constructor(readonly ears: Ears) {
    FakeSocket.made.push(this);
  }

  send(text: string): void {
    this.sent.push(text);
  }

  say(message: object): void {
    this.ears.heard(JSON.stringify(message));
  }
}

let states: string[];
let heard: ServerMessage[];
let wire: Wire;
const socket = () => FakeSocket.made.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.made = [];
  states = [];
  heard = [];
  wire = new Wire((ears) => new FakeSocket(ears), { message: (message) => heard.push(message), state: (state, reason) => states.push(reason ? `${state}: ${reason}` : state) });
  wire.open();
  socket().ears.opened();
});

afterEach(() => {
  vi.useRealTimers();
});

test("answers find their requests in any order", async () => {
  const one = wire.ask<ServerMessage>({ type: "command", line: "a" });
  const two = wire.ask<ServerMessage>({ type: "command", line: "b" });
  socket().say({ type: "result", request: two.request, text: "B" });
  socket().say({ type: "result", request: one.request, text: "A" });
  expect(await one).toMatchObject({ text: "A" });
  expect(await two).toMatchObject({ text: "B" });
  expect(heard).toEqual([]);
});

test("a refusal is an error with its facts", async () => {
  const asked = wire.ask({ type: "command", line: "x y" });
  socket().say({ type: "error", request: asked.request, kind: "CommandSyntaxError", message: "No.", line: "x y", column: 2 });
  await expect(asked).rejects.toBeInstanceOf(Refusal);
  await expect(asked).rejects.toMatchObject({ message: "No.", failure: { column: 2 } });
});

test("binary answers and progress go where they belong", async () => {
  const asked = wire.ask<ArrayBuffer>({ type: "motion", start: 0, end: 1 });
  socket().say({ type: "progress", job: "job1", request: asked.request, title: "x", fraction: 0.5, label: "x", done: false });
  expect(heard).toHaveLength(1);
  const frame = new ArrayBuffer(32);
  new DataView(frame).setUint32(4, asked.request, true);
  socket().ears.heard(frame);
  expect(await asked).toBe(frame);
});

test("a lost connection rejects what waits and comes back by itself", async () => {
  const asked = wire.ask({ type: "command", line: "a" });
  const rejected = expect(asked).rejects.toThrow("lost");
  socket().open = false;
  socket().ears.closed(1012, "The server closed this connection.");
  await rejected;
  await expect(wire.ask({ type: "command", line: "b" })).rejects.toThrow("no connection");
  vi.advanceTimersByTime(400);
  expect(FakeSocket.made).toHaveLength(2);
  socket().ears.opened();
  expect(states).toEqual(["connecting", "open", "lost", "connecting", "open"]);
});

test("the wire of a cell that is not open is not opened again", () => {
  socket().ears.closed(4404, "No such cell.");
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.made).toHaveLength(1);
  expect(states.at(-1)).toBe("gone");
});

test("the reason of a server that has ended is for the user, and nothing is opened again", () => {
  socket().ears.closed(4410, "The kernel was restarted.");
  vi.advanceTimersByTime(60_000);
  expect(FakeSocket.made).toHaveLength(1);
  expect(states.at(-1)).toBe("gone: The kernel was restarted.");
});

test("frames behind a packed one wait for it, and order stays", async () => {
  const text = JSON.stringify({ type: "status", uptime: 1 });
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(stream).arrayBuffer());
  const packed = new ArrayBuffer(12 + data.length);
  new Uint32Array(packed, 0, 3).set([4, 0, 1]);
  new Uint8Array(packed, 12).set(data);
  socket().ears.heard(packed);
  socket().say({ type: "status", uptime: 2 });
  expect(heard).toEqual([]);
  await vi.waitFor(() => expect(heard).toHaveLength(2));
  expect(heard.map((message) => (message as { uptime: number }).uptime)).toEqual([1, 2]);
  socket().say({ type: "status", uptime: 3 });
  await vi.waitFor(() => expect(heard).toHaveLength(3));
});
